internal import LedgerEvents
internal import LedgerModel

extension Cast {
  /// The facts of a run for the reducer, made without encoding events: the same as `Fact(event)`
  /// for each of the run's events. An event that is sent again under its id is not a second fact.
  ///
  /// - Complexity: O(*n*) in the number of events.
  func facts(of events: [SimulatedEvent], into facts: inout [Fact]) {
    facts.removeAll(keepingCapacity: true)
    var offers = products.map(\.version)
    var position: UInt64 = 0
    if scenario.setsCatalog && !products.isEmpty {
      position = 1
      facts.append(catalogFact)
    }
    for event in events where event.repeats == 0 {
      position += 1
      if event.kind == .contentVersionPublished { offers[Int(event.product)] = event.version }
      facts.append(
        Fact(
          position: position, kind: event.kind, source: event.source,
          environment: scenario.environment, statedOccurredAt: event.time,
          recordedAt: event.time, sequence: Int64(event.sequence), idPrefix: idPrefix))
      describe(event, offers, in: &facts[facts.count - 1])
    }
  }

  /// Fills in the fields of an event.
  private func describe(_ event: SimulatedEvent, _ offers: [Int16], in fact: inout Fact) {
    fact.app = 1
    fact.account = number(account: event.account)
    fact.device = number(device: event.device)
    fact.session = number(session: event.session, of: event.device)
    fact.payment = number(payment: event.payment)
    fact.product = number(product: event.product)
    fact.transaction = number(transaction: event.transaction)
    fact.original = number(transaction: event.original)
    fact.download = number(product: event.product, part: event.part)
    if !event.progress.isAbsent { fact.progress = Double(event.progress) / 1_000 }
    fact.detail = detail(of: event, offers)
  }

  private var catalogFact: Fact {
    var fact = Fact(
      position: 1, kind: .catalogSet, source: .operator, environment: scenario.environment,
      statedOccurredAt: scenario.start.microseconds, recordedAt: scenario.start.microseconds,
      sequence: Fact.absentSequence, idPrefix: idPrefix)
    fact.app = 1
    fact.detail = shared.catalog
    return fact
  }

  /// The details of an event that the reducer reads.
  private func detail(of event: SimulatedEvent, _ offers: [Int16]) -> FactDetail? {
    switch event.kind {
    case .transactionPurchased, .transactionRestored: return delivery(event)
    case .downloadFinished, .contentInstallStarted, .contentVersionPublished:
      return event.version.isAbsent ? nil : shared.versions[Int(event.version)]
    case .contentInstalled: return shared.installs[Int(event.version)]
    case .paymentAdded:
      guard event.quantity != 1 else { return nil }
      var fields = FactDetail.Fields()
      fields.quantity = Int64(event.quantity)
      return FactDetail(fields)
    case .paymentsChecked: return event.note == .allowed ? shared.allowed : shared.notAllowed
    case .catalogReceived: return received(offers)
    case .transactionFailed, .purchaseFulfillmentFailed, .downloadFailed, .contentInstallFailed:
      return shared.error
    default: return nil
    }
  }

  private func delivery(_ event: SimulatedEvent) -> FactDetail {
    var fields = FactDetail.Fields()
    fields.quantity = Int64(event.quantity)
    fields.purchasedAt = event.purchasedAt
    if !event.version.isAbsent {
      fields.downloads = shared.downloads[Int(event.product)][Int(event.version)]
    }
    return FactDetail(fields)
  }

  private func received(_ offers: [Int16]) -> FactDetail {
    var fields = FactDetail.Fields()
    for index in products.indices {
      fields.offered.append(
        .init(
          product: number(product: Int16(index)),
          contentVersion: products[index].parts.isEmpty ? nil : versions[Int(offers[index])]))
    }
    fields.invalid = scenario.invalidProducts.indices.map {
      number(product: Int16(products.count + $0))
    }
    return FactDetail(fields)
  }
}
