internal import LedgerEvents

extension Cast {
  /// The events of a run as a recorder would have written them, by position. An event that is sent
  /// again is repeated with its id.
  ///
  /// - Complexity: O(*n*) in the number of events.
  func events(of events: [SimulatedEvent]) -> [Event] {
    var written: [Event] = []
    written.reserveCapacity(events.count + 1)
    var offers = products.map(\.version)
    var position: UInt64 = 0
    /// The originals of repeated events, by their position in the recording, from 1.
    var first: [Int: Event] = [:]
    if scenario.setsCatalog && !products.isEmpty {
      position = 1
      written.append(catalogEvent())
    }
    for (index, event) in events.enumerated() {
      if event.repeats != 0, let copy = first[Int(event.repeats)] {
        written.append(copy)
        continue
      }
      position += 1
      if event.kind == .contentVersionPublished { offers[Int(event.product)] = event.version }
      let text = write(event, position, offers)
      if event.source == .notification { first[index + 1] = text }
      written.append(text)
    }
    return written
  }

  private func catalogEvent() -> Event {
    var data = EventData.Builder()
    data.set("products", .array(scenario.products.map(\.catalogEntry)))
    return Event(
      id: id(ofPosition: 1), type: EventType(.catalogSet), occurredAt: scenario.start,
      source: EventSource(.operator), environment: scenario.environment, app: scenario.app,
      data: data.build())
  }

  private func write(_ event: SimulatedEvent, _ position: UInt64, _ offers: [Int16]) -> Event {
    Event(
      id: id(ofPosition: position), type: EventType(event.kind),
      occurredAt: Instant(microseconds: event.time), source: EventSource(event.source),
      environment: scenario.environment, app: scenario.app,
      account: event.account.isAbsent ? nil : scenario.accounts[Int(event.account)],
      device: event.device.isAbsent ? nil : scenario.devices[Int(event.device)].name,
      session: event.device.isAbsent ? nil : name(session: event.session, of: event.device),
      sequence: event.sequence.isAbsent ? nil : Int64(event.sequence),
      payment: event.payment.isAbsent ? nil : name(payment: event.payment),
      product: event.product.isAbsent ? nil : name(product: event.product),
      transaction: event.transaction.isAbsent ? nil : name(transaction: event.transaction),
      originalTransaction: event.original.isAbsent ? nil : name(transaction: event.original),
      download: event.part.isAbsent
        ? nil : products[Int(event.product)].parts[Int(event.part)].name,
      data: data(of: event, offers))
  }

  private func data(of event: SimulatedEvent, _ offers: [Int16]) -> EventData {
    var data = EventData.Builder()
    switch event.kind {
    case .transactionPurchased, .transactionRestored:
      data.set("quantity", Int64(event.quantity))
      data.set("purchasedAt", Instant(microseconds: event.purchasedAt))
      if !event.version.isAbsent, !products[Int(event.product)].parts.isEmpty {
        data.set("downloads", .array(downloads(of: event)))
      }
    case .paymentAdded: data.set("quantity", Int64(event.quantity))
    case .paymentsChecked: data.set("allowed", event.note == .allowed)
    case .catalogRequested:
      data.set(
        "requested",
        .array(
          (products.map(\.name) + scenario.invalidProducts).map { .string($0.text) }))
    case .catalogReceived: writeOffers(offers, to: &data)
    case .contentVersionPublished: data.set("contentVersion", versions[Int(event.version)])
    case .sessionStarted:
      if scenario.devices[Int(event.device)].isSimulator { data.set("simulator", true) }
    case .sessionEnded: data.set("reason", event.note == .crashed ? "crashed" : "quit")
    case .transactionFailed:
      data.set("cancelled", event.note == .cancelledByCustomer)
    case .receiptRejected: data.set("status", Self.rejectionStatus)
    default: writeContent(event, to: &data)
    }
    data.set("error", event.note.error)
    return data.build()
  }

  /// *The receipt could not be authenticated.*
  private static let rejectionStatus: Int64 = 21_003

  private func writeContent(_ event: SimulatedEvent, to data: inout EventData.Builder) {
    switch event.kind {
    case .downloadWaiting, .downloadProgressed:
      data.set("progress", number: Self.decimal(event.progress))
      // StoreKit's value for a time that is not known yet.
      let unknown = "-1"
      let tenths = event.remaining
      data.set(
        "timeRemaining",
        number: tenths == SimulatedEvent.remainingUnknown
          ? unknown : "\(tenths / 10).\(tenths % 10)")
    case .downloadFinished:
      data.set("progress", number: "1")
      data.set("contentVersion", versions[Int(event.version)])
      let part = products[Int(event.product)].parts[Int(event.part)]
      data.set("contentURL", "Library/Caches/StoreKit/\(event.transaction)/\(part.name).zip")
      data.set("contentLength", part.length)
    case .contentInstallStarted:
      data.set("contentVersion", versions[Int(event.version)])
    case .contentInstalled:
      let version = versions[Int(event.version)]
      data.set("contentVersion", version)
      data.set("path", "Content/\(name(product: event.product))/\(version)")
      data.set("bytes", products[Int(event.product)].parts[Int(event.part)].length)
      data.set("excludedFromBackup", true)
    default: break
    }
  }

  private func downloads(of event: SimulatedEvent) -> [JSONValue] {
    products[Int(event.product)].parts.map { part in
      .object([
        ("download", .string(part.name.text)),
        ("contentVersion", .string(versions[Int(event.version)].text)),
        ("contentLength", .number(String(part.length))),
      ])
    }
  }

  private func writeOffers(_ offers: [Int16], to data: inout EventData.Builder) {
    let offered: [JSONValue] = scenario.products.indices.map { index in
      var members: [(name: String, value: JSONValue)] = [
        ("product", .string(scenario.products[index].name.text)),
        ("downloadable", .boolean(!products[index].parts.isEmpty)),
      ]
      if !products[index].parts.isEmpty {
        members.append(("contentVersion", .string(versions[Int(offers[index])].text)))
        members.append(
          (
            "contentLengths",
            .array(products[index].parts.map { .number(String($0.length)) })
          ))
      }
      return .object(members)
    }
    data.set("products", .array(offered))
    data.set("invalid", .array(scenario.invalidProducts.map { .string($0.text) }))
  }

  /// Thousandths as a decimal: 0.5, 0.317, 1.
  private static func decimal(_ thousandths: Int16) -> String {
    if thousandths >= 1_000 { return "1" }
    var digits = String(1_000 + Int(thousandths)).dropFirst()
    while digits.last == "0" && digits.count > 1 { digits = digits.dropLast() }
    return digits == "0" ? "0" : "0.\(digits)"
  }
}

extension ScenarioProduct {
  /// The product's entry in a `catalog.set`.
  fileprivate var catalogEntry: JSONValue {
    .object(description + (downloads.isEmpty ? [] : [("delivery", .string("store"))]))
  }
}

extension SimulatedEvent.Note {
  /// The error that the event carries, by the domains and codes that StoreKit and Foundation use.
  fileprivate var error: JSONValue? {
    switch self {
    case .none, .allowed, .notAllowed, .crashed, .quit: nil
    case .cancelledByCustomer: Self.error("SKErrorDomain", 2, "The customer cancelled.")
    case .paymentRefused: Self.error("SKErrorDomain", 0, "Cannot connect to iTunes Store")
    case .networkLost: Self.error("NSURLErrorDomain", -1005, "The network connection was lost.")
    case .diskFull:
      Self.error("NSCocoaErrorDomain", 640, "There is not enough room to save the file.")
    case .fileMissing: Self.error("NSCocoaErrorDomain", 4, "The file doesn’t exist.")
    case .backendDown: Self.error("BackendErrorDomain", 503, "Service unavailable")
    case .simulatorHostsNothing:
      Self.error("SKErrorDomain", 0, "Hosted content does not reach the simulator.")
    }
  }

  private static func error(_ domain: String, _ code: Int, _ message: String) -> JSONValue {
    .object([
      ("domain", .string(domain)), ("code", .number(String(code))), ("message", .string(message)),
    ])
  }
}
