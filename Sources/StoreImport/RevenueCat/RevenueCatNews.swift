import LedgerEvents

extension Event {
  /// The member of `data` that says who reported a fact where it was not the store.
  static var reporter: String { "reportedBy" }
  static var revenueCat: String { "revenuecat" }

  /// Whether RevenueCat stated a purchase, a refund or a reversal.
  var isByRevenueCat: Bool { data.string(Event.reporter) == Event.revenueCat }
}

extension RevenueCatGroup {
  /// Returns the purchase that a statement is, and its offer, as facts of RevenueCat's own: with
  /// other ids than the store's facts, because they say other things.
  func purchases(
    in statement: RevenueCatStatement, _ known: KnownPurchases
  ) throws(ImportError) -> [Event] {
    guard statement.isPurchase, let entry = statement.entry else { return [] }
    let receipt = try Receipt(
      signed: [entry], [], signedAt: statement.saidAt, app: options.app,
      environment: environment, options: options)
    return try receipt.facts(KnownPurchases(renewals: known.renewals)).map { fact in
      own(fact, statesOriginal: statement.statesOriginal)
    }
  }

  /// A purchase of several units is credited by its first purchase fact, and RevenueCat does not
  /// say how many there are. Its fact of a purchase that does not end is therefore dated by the end
  /// of the second, or millisecond, that it states, so that the store's fact goes first. A period
  /// is dated right before the second of its start, so that what the store says of its end is
  /// newer, and of two statements of RevenueCat the one with the later end.
  private func own(_ fact: Event, statesOriginal: Bool) -> Event {
    var event = fact
    // The transaction can be one of a chain that another file states.
    if !statesOriginal { event.originalTransaction = nil }
    var data = EventData.Builder()
    for member in fact.data.members { data.set(member.name, json: member.json) }
    data.set(Event.reporter, Event.revenueCat)
    // Nothing of RevenueCat's is signed.
    data.set(Event.verified, false)
    event.data = data.build()
    if KnownPurchases.purchaseKinds.contains(fact.type.kind) {
      event.occurredAt =
        fact.data.instant("expiresAt") == nil
        ? Self.end(of: fact.occurredAt)
        : Instant(microseconds: max(0, fact.occurredAt.second.microseconds - 1))
    }
    let identifier = FactIdentifier(
      app: fact.app?.text ?? "", environment: environment.text,
      transaction: fact.transaction?.text ?? "",
      fact: "byRevenueCat-\(Receipt.verb(of: fact.type.kind))",
      moments: [fact.occurredAt.second] + (fact.data.instant("expiresAt").map { [$0] } ?? []),
      varying: event.data.contents
        + [fact.product?.text ?? "", event.originalTransaction?.text ?? ""],
      key: options.digestKey)
    event.id = identifier.name
    return event
  }

  /// The last microsecond of the unit in which a date is written: exports leave out milliseconds.
  private static func end(of date: Instant) -> Instant {
    for unit: Int64 in [1_000_000, 1_000] where date.microseconds % unit == 0 {
      return Instant(microseconds: date.microseconds + unit - 1)
    }
    return date
  }

  /// Whether an event that is no purchase adds something.
  func isNews(
    _ event: Event, _ statement: RevenueCatStatement, _ known: KnownPurchases
  ) -> Bool {
    if known.recorded[event.id] != nil { return true }
    // What a webhook says is one fact by its id, and dates decide what counts.
    guard statement.isRow else { return true }
    if event.type.kind == .transactionRefunded { return isFirstEnd(event, known) }
    guard event.type.text.hasPrefix("subscription."),
      let original = event.originalTransaction ?? event.transaction
    else { return true }
    // An export repeats a state, and webhooks say it with their own date.
    let newest = KnownRenewals(states: known.renewals[original] ?? [])
      .newest(of: [event.type.kind], upTo: Instant(microseconds: Instant.microsecondsMax))
    return newest.map { !KnownRenewals.saysTheSame($0, event) } ?? true
  }

  /// Whether no refund or reversal is known up to a row's refund. RevenueCat says when it noticed a
  /// refund, not when the store did it, and a row is a snapshot that yields to a reversal anyway.
  private func isFirstEnd(_ event: Event, _ known: KnownPurchases) -> Bool {
    guard let transaction = event.transaction else { return true }
    let time = Self.end(of: event.occurredAt)
    return !(known.facts[transaction] ?? []).contains {
      KnownPurchases.endKinds.contains($0.type.kind) && $0.occurredAt <= time
    }
  }
}

extension KnownPurchases {
  /// Returns an event of a webhook as the ledger has it, if it has it.
  ///
  /// - Throws: `ImportError` with the code `contradiction` if the ledger has another event under
  ///   the webhook's id.
  func asReported(_ event: Event) throws(ImportError) -> Event {
    guard let known = recorded[event.id] else { return event }
    // The end of a subscription is dated by what is known of it (`dated(_:_:_:)`).
    let isEnd = event.type.kind == .subscriptionExpired
    guard known.type == event.type, isEnd || known.occurredAt == event.occurredAt,
      known.transaction == event.transaction, known.environment == event.environment
    else {
      throw ImportError(
        .contradiction,
        reason: "the ledger has a webhook with the id \(event.id), which says something else",
        remedy: "A webhook's id belongs to one webhook: check where this one is from")
    }
    return known
  }

  /// Returns whether a purchase of RevenueCat, or its offer, is known: from the store, which says
  /// more of it, or from RevenueCat with the same dates, to the second.
  ///
  /// - Complexity: O(*n*) in the known facts about the transaction.
  func knows(purchase fact: Event) -> Bool {
    guard let transaction = fact.transaction else { return false }
    let isPurchase = Self.purchaseKinds.contains(fact.type.kind)
    // An app that has recorded the purchase knows how many units it was.
    if isPurchase, fact.data.instant("expiresAt") == nil, bought.contains(transaction) {
      return true
    }
    return (facts[transaction] ?? []).contains { other in
      let isSameKind =
        isPurchase
        ? Self.purchaseKinds.contains(other.type.kind) : other.type.kind == fact.type.kind
      guard isSameKind else { return false }
      return !other.isByRevenueCat
        || other.product == fact.product
          && ["purchasedAt", "expiresAt"].allSatisfy {
            Self.second(other.data.instant($0)) == Self.second(fact.data.instant($0))
          }
    }
  }

  private static func second(_ instant: Instant?) -> Int64? {
    instant.map { $0.microseconds / 1_000_000 }
  }

  fileprivate static let endKinds: Set<EventKind> = [
    .transactionRefunded, .transactionRevoked, .transactionRefundReversed,
  ]

  /// Returns whether what an account held at a time went to a customer by transfers since then.
  ///
  /// - Complexity: O(*n* log *n*) in the number of known transfers.
  func passed(from account: Name, to ids: [Name], since time: Instant) -> Bool {
    var holders = [account]
    for transfer in transfers.sorted(by: { $0.at < $1.at }) where transfer.at >= time {
      guard holders.contains(where: { areOneCustomer($0, transfer.from) }) else { continue }
      holders.append(transfer.to)
    }
    return holders.dropFirst().contains { holder in
      ids.contains { areOneCustomer($0, holder) }
    }
  }
}
