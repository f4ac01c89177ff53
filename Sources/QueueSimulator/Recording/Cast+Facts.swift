internal import LedgerEvents
internal import LedgerModel

extension Cast {
  /// The facts of a run, for the reducer, without the detour of text: what `Fact(event)` gives for
  /// each of the run's events. One that is sent again under its id is no second fact.
  ///
  /// - Complexity: O(*n*) in the number of events.
  func facts(of events: [SimulatedEvent], into facts: inout [Fact]) {
    facts.removeAll(keepingCapacity: true)
    let prefix = idPrefix
    var offers = products.map(\.version)
    var position: UInt64 = 0
    if scenario.setsCatalog && !products.isEmpty {
      position = 1
      facts.append(catalogFact(prefix))
    }
    for event in events where event.repeats == 0 {
      position += 1
      var fact = Fact(
        position: position, kind: event.kind, source: event.source,
        environment: scenario.environment, statedOccurredAt: event.time, recordedAt: event.time,
        sequence: Int64(event.sequence), idPrefix: prefix)
      fact.app = 1
      fact.account = number(account: event.account)
      fact.device = number(device: event.device)
      fact.session = number(session: event.session, of: event.device)
      fact.payment = number(payment: event.payment)
      fact.product = number(product: event.product)
      fact.transaction = number(transaction: event.transaction)
      fact.original = number(transaction: event.original)
      fact.download = number(product: event.product, part: event.part)
      if event.progress >= 0 { fact.progress = Double(event.progress) / 1_000 }
      if event.kind == .contentVersionPublished { offers[Int(event.product)] = event.version }
      fact.detail = detail(of: event, offers)
      facts.append(fact)
    }
  }

  private func catalogFact(_ prefix: UInt64) -> Fact {
    var fact = Fact(
      position: 1, kind: .catalogSet, source: .operator, environment: scenario.environment,
      statedOccurredAt: scenario.start.microseconds, recordedAt: scenario.start.microseconds,
      sequence: -1, idPrefix: prefix)
    fact.app = 1
    var fields = FactDetail.Fields()
    for (place, product) in scenario.products.enumerated() {
      fields.entries.append(
        CatalogEntry(
          product: number(product: Int16(place)),
          kind: product.kind == .consumable ? .consumable : .nonConsumable,
          entitlements: product.entitlements,
          grants: product.grants.map { .init(unit: $0.unit, amount: $0.amount) }, duration: nil))
    }
    fact.detail = FactDetail(fields)
    return fact
  }

  /// What the reducer reads of an event beside its places.
  private func detail(of event: SimulatedEvent, _ offers: [Int16]) -> FactDetail? {
    if event.kind == .downloadProgressed { return nil }
    var fields = FactDetail.Fields()
    switch event.kind {
    case .transactionPurchased, .transactionRestored:
      fields.quantity = Int64(event.quantity)
      fields.purchasedAt = event.purchasedAt
      fields.downloads = announced(event)
    case .downloadFinished, .contentInstallStarted, .contentVersionPublished:
      guard event.version >= 0 else { return nil }
      fields.contentVersion = versions[Int(event.version)]
    case .contentInstalled:
      fields.contentVersion = versions[Int(event.version)]
      fields.excludedFromBackup = true
    case .paymentAdded:
      guard event.quantity != 1 else { return nil }
      fields.quantity = Int64(event.quantity)
    case .paymentsChecked: fields.allowed = event.note == .allowed
    case .catalogReceived:
      for place in products.indices {
        fields.offered.append(
          .init(
            product: number(product: Int16(place)),
            contentVersion: products[place].parts.isEmpty
              ? nil : versions[Int(offers[place])]))
      }
      fields.invalid = scenario.invalidProducts.indices.map {
        number(product: Int16(products.count + $0))
      }
    case .transactionFailed, .purchaseFulfillmentFailed, .downloadFailed, .contentInstallFailed:
      fields.hasError = true
    default: return nil
    }
    return FactDetail(fields)
  }

  private func announced(_ event: SimulatedEvent) -> [FactDetail.Announced] {
    if event.version < 0 { return [] }
    let product = products[Int(event.product)]
    return product.parts.indices.map { part in
      .init(
        download: number(product: event.product, part: Int16(part)),
        contentVersion: versions[Int(event.version)], host: nil)
    }
  }
}
