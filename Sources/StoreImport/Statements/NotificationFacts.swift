import LedgerEvents

/// How long the store tries to renew after the end of a period, in microseconds: 60 days
/// (https://developer.apple.com/documentation/storekit/reducing-involuntary-subscriber-churn).
let billingRetryMicrosecondsMax: Int64 = 60 * 86_400 * 1_000_000

/// The whole price, in thousandths of a percent.
private let refundedPartMax: Int64 = 100_000

/// The events that a notification states itself, beside those of the transaction and the renewal
/// info in it.
struct NotificationFacts {
  /// The first has the notification's UUID as its id, the others that and the verb of their type.
  private(set) var events: [Event] = []

  private let statement: StoreStatement
  private let notification: StoreObject
  private let receipt: Receipt
  private let type: String
  private let subtype: String?
  private let uuid: String
  private let signedAt: Instant?
  private let known: KnownPurchases

  init(
    statement: StoreStatement, notification: StoreObject, receipt: Receipt, _ known: KnownPurchases
  ) throws(ImportError) {
    self.known = known
    self.statement = statement
    self.notification = notification
    self.receipt = receipt
    type = try Self.needed("notificationType", notification)
    uuid = try Self.needed("notificationUUID", notification)
    subtype = try notification.text("subtype")
    signedAt = statement.signedAt
    if let meaning = NotificationMeaning.of(type: type, subtype: subtype),
      let events = try facts(meaning)
    {
      self.events = events
    } else {
      events = [try received()]
    }
  }

  private static func needed(
    _ name: String, _ notification: StoreObject
  ) throws(ImportError) -> String {
    guard let text = try notification.text(name) else {
      throw ImportError(
        .missing, path: name, reason: "every notification needs a \(name)",
        remedy: "Check that it is what the store signed, unmodified")
    }
    return text
  }

  private var purchase: ReceiptTransaction? { receipt.purchases.first }
  private var renewal: RenewalSubject? { receipt.renewals.subjects.first }

  /// Returns the facts of a known type; nil if the notification lacks what one of them needs.
  private func facts(_ meaning: NotificationMeaning) throws(ImportError) -> [Event]? {
    var events: [Event] = []
    for kind in meaning.kinds {
      guard var event = try fact(kind, meaning) else {
        // Its own event is kept whole; what it says besides may be missing.
        if events.isEmpty { return nil }
        continue
      }
      event.source = EventSource(.notification)
      event.id = Name(events.isEmpty ? uuid : "\(uuid):\(Receipt.verb(of: kind))")
      if kind != .notificationReceived {
        var data = EventData.Builder()
        data.set("notificationType", type)
        data.set("subtype", subtype)
        let app = try notification.object("data")
        data.set("bundleVersion", try app?.text("bundleVersion"))
        data.set("status", try app?.text("status"))
        event.data.members += data.build().members
      }
      events.append(event)
    }
    return events
  }

  private func fact(
    _ kind: EventKind, _ meaning: NotificationMeaning
  ) throws(ImportError) -> Event? {
    switch kind {
    case .notificationReceived: return try received()
    case .transactionPurchased, .subscriptionRenewed:
      return try purchased(kind)
    case .subscriptionOfferRedeemed:
      // Such an offer begins with the next period, and the renewal info states it.
      let isOfNextPeriod = subtype == nil || subtype == "DOWNGRADE"
      if isOfNextPeriod, try nextOffer() != nil { return try chain(kind, meaning) }
      let offer: Event? = if let purchase { try receipt.offerRedeemed(purchase) } else { nil }
      if let offer { return signed(offer) }
      return try chain(kind, meaning)
    case .transactionRefunded, .transactionRevoked:
      guard let purchase else { return nil }
      guard var event = try receipt.revoked(purchase) else { return try aboutTransaction(kind) }
      event.type = EventType(kind)
      return try revoked(event, purchase)
    case .transactionRefundRequested, .transactionRefundDeclined, .transactionRefundReversed:
      return try aboutTransaction(kind)
    default: return try chain(kind, meaning)
    }
  }

  /// Returns a purchase or period.
  ///
  /// It does not say when it was signed. A statement of the same period in a receipt or a later
  /// transaction, which can have a later end, would otherwise be the older one.
  private func purchased(_ kind: EventKind) throws(ImportError) -> Event? {
    guard let purchase else { return nil }
    var event = try receipt.purchased(purchase)
    let isFirst = event.transaction == event.originalTransaction
    let isResubscription = subtype == "RESUBSCRIBE"
    event.type = EventType(isResubscription && isFirst ? .transactionPurchased : kind)
    return event
  }

  /// Returns the event with the date of the signature, by which the newer of two statements counts.
  private func signed(_ event: Event?) -> Event? {
    guard var event else { return nil }
    var data = EventData.Builder()
    data.set("signedAt", signedAt)
    event.data.members += data.build().members
    return event
  }

  /// Returns a refund or revocation with its own date as that of the signature: the store signs the
  /// notification again when it sends it again, perhaps after it reversed the refund. A microsecond
  /// for each thousandth of a percent, together at most a tenth of a second, makes a larger part of
  /// the price the newer fact, and any part newer than a refund that does not say how much.
  private func revoked(_ event: Event, _ purchase: ReceiptTransaction) throws(ImportError) -> Event
  {
    let part = try purchase.refundedPart()?.thousandths ?? 0
    var event = event
    var data = EventData.Builder()
    data.set(
      "signedAt",
      Instant(microseconds: event.occurredAt.microseconds + min(part, refundedPartMax)))
    event.data.members += data.build().members
    return event
  }

  /// When the store gave up to renew: when it said so, at most 60 days after the end.
  private func retryEnd(after end: Instant?) -> Instant? {
    guard let end, let signedAt else { return nil }
    let last = end.microseconds.addingReportingOverflow(billingRetryMicrosecondsMax)
    return last.overflow ? nil : min(signedAt, Instant(microseconds: last.partialValue))
  }

  /// Returns the end of the last period; when the store said it, if it is known to have tried to
  /// renew the subscription after that. The failure would otherwise be the newer fact.
  private func end() throws(ImportError) -> Instant? {
    guard let purchase, let end = try purchase.expiresAt() else { return nil }
    guard try states().isInterrupted(after: end, of: Name(purchase.transaction)) else { return end }
    return retryEnd(after: end).map { max(end, $0) } ?? end
  }

  /// What the ledger knows of the chain.
  private func states() throws(ImportError) -> KnownRenewals {
    guard let original = try purchase?.original() else { return KnownRenewals(states: []) }
    return KnownRenewals(states: known.renewals[Name(original)] ?? [])
  }

  /// Returns where a failed renewal stands: right after the end of the period, if the ledger knows
  /// that end already, whichever of the two the store said first. The subscription is then over at
  /// no moment between them.
  private func failed(at date: Instant) throws(ImportError) -> (date: Instant, sequence: Int64?) {
    guard let end = try purchase?.expiresAt(), date <= end else { return (date, nil) }
    let recorded = known.recorded[Name(uuid)]
    // Daybook dated it a microsecond later before it had a sequence, and the event stays.
    let later = Instant(microseconds: end.microseconds + 1)
    if recorded?.occurredAt == later { return (later, nil) }
    let after = (date: end, sequence: Int64?.some(KnownRenewals.Failure.afterEnd))
    if date == end { return after }
    // The same notification again gives the same event.
    if let recorded { return recorded.sequence == after.sequence ? after : (date, nil) }
    return try states().isDatedByItself(end) ? after : (date, nil)
  }

  private func dated(_ occurrence: NotificationMeaning.Occurrence) throws(ImportError) -> Instant {
    var date: Instant?
    switch occurrence {
    case .purchase: date = try purchase?.purchasedAt()
    case .revocation: date = try purchase?.date(.revocationDate)
    case .end: date = try end()
    case .retryEnd: date = retryEnd(after: try purchase?.expiresAt())
    case .signature: break
    }
    guard let date = date ?? signedAt, date.isInRange else {
      throw receipt.undated("the notification does not say when it was signed")
    }
    return date
  }

  /// Returns an event about the notification's transaction, without anything else.
  private func aboutTransaction(_ kind: EventKind) throws(ImportError) -> Event? {
    guard let purchase else { return nil }
    return signed(
      event(
        kind, at: try dated(.signature), product: purchase.product,
        transaction: purchase.transaction, original: try purchase.original(), EventData()))
  }

  /// Returns an event about the chain: what the renewal info says of it, with what the
  /// notification's type says.
  private func chain(
    _ kind: EventKind, _ meaning: NotificationMeaning
  ) throws(ImportError) -> Event? {
    let stated = try purchase?.original()
    guard let original = stated ?? renewal?.original else { return nil }
    let data = try chainData(kind)
    // A renewal that was recovered begins before it was; the failure is then the older fact.
    let isRecovery = kind == .subscriptionBillingRecovered
    var date = try dated(isRecovery ? .signature : meaning.occurrence)
    let isFailure = kind == .subscriptionBillingFailed || kind == .subscriptionGracePeriodEntered
    var sequence: Int64?
    if isFailure { (date, sequence) = try failed(at: date) }
    var event = event(
      kind, at: date, product: purchase?.product ?? renewal?.product,
      transaction: purchase?.transaction, original: original, data)
    event.sequence = sequence
    return signed(event)
  }

  /// The offer under which the next period will be paid.
  private func nextOffer() throws(ImportError) -> RedeemedOffer? {
    guard let entry = renewal?.entry else { return nil }
    return try RedeemedOffer { (name) throws(ImportError) in try entry.text(name) }
  }

  private func chainData(_ kind: EventKind) throws(ImportError) -> EventData {
    var data = EventData.Builder()
    let entry = renewal?.entry
    switch kind {
    case .subscriptionExpired:
      data.set("expiresAt", try purchase?.expiresAt())
      data.set("reason", try endReason())
    case .subscriptionGracePeriodEntered:
      data.set("gracePeriodExpiresAt", try entry?.eventDate(.gracePeriodExpiresDate))
    case .subscriptionRenewalExtended:
      data.set("expiresAt", try purchase?.expiresAt())
    case .subscriptionPlanChanged:
      let next = try entry?.text(.nextProduct)
      data.set("toProduct", subtype == "UPGRADE" ? purchase?.product ?? next : next)
    case .subscriptionAutoRenewChanged:
      data.set("autoRenew", subtype == "AUTO_RENEW_ENABLED")
      data.set("toProduct", try entry?.text(.nextProduct))
      data.set("offer", try entry?.text(.promotionalOffer))
    case .subscriptionPriceIncreased:
      data.set("consented", subtype == "ACCEPTED")
      let price = try entry?.text("renewalPrice")
      if let price = price.flatMap({ Int64($0) }) {
        data.set("renewalPrice", decimalText(thousandths: price, fractionDigitsMin: 2))
        data.set("currency", try entry?.text("currency"))
      }
    case .subscriptionOfferRedeemed:
      let offer = try nextOffer()
      data.set("offer", offer?.name)
      data.set("offerType", offer?.type)
    default: break
    }
    return data.build()
  }

  /// The reasons of `subscription.expired`, in the words for `expiration_intent`.
  private static let endReasons = [
    "VOLUNTARY": "cancelled", "BILLING_RETRY": "billingError",
    "PRICE_INCREASE": "priceIncreaseDeclined", "PRODUCT_NOT_FOR_SALE": "productUnavailable",
  ]

  private func endReason() throws(ImportError) -> String? {
    if let subtype { return Self.endReasons[subtype] ?? subtype }
    let intent = try renewal?.entry.text(.expirationIntent)
    return intent.map { Receipt.expirationIntents[$0] ?? $0 }
  }

  /// Returns the notification with all of its members.
  ///
  /// In place of the signed texts is what they say: their certificates are known, and a text of ten
  /// kilobytes cannot be searched.
  private func received() throws(ImportError) -> Event {
    let isForgotten = purchase.map { known.forgotten.contains(Name($0.transaction)) } ?? false
    guard case .object(let members) = try notification.value() else { return try bare() }
    var event = try bare()
    for member in members {
      var value = member.value
      for (path, content) in [
        ("data.signedTransactionInfo", statement.transaction),
        ("data.signedRenewalInfo", statement.renewal),
        ("appData.signedAppTransactionInfo", statement.appTransaction),
      ] {
        let parts = path.split(separator: ".")
        guard let content, parts[0] == member.name, case .object(var inner) = value,
          let index = inner.firstIndex(where: { $0.name == parts[1] })
        else { continue }
        let whole = try content.value()
        inner[index].value = isForgotten ? whole.withoutCustomer : whole
        value = .object(inner)
      }
      event.data.members.append(EventData.Member(name: member.name, json: value.json))
    }
    return event
  }

  private func bare() throws(ImportError) -> Event {
    var event = event(
      .notificationReceived, at: try dated(.signature), product: purchase?.product,
      transaction: purchase?.transaction, original: nil, EventData())
    let stated = try purchase?.original()
    event.originalTransaction = (stated ?? renewal?.original).map { Name($0) }
    event.id = Name(uuid)
    event.source = EventSource(.notification)
    return event
  }

  private func event(
    _ kind: EventKind, at date: Instant, product: String?, transaction: String?, original: String?,
    _ data: EventData
  ) -> Event {
    var data = data
    if !statement.isVerified {
      var more = EventData.Builder()
      more.set(Event.verified, false)
      data.members += more.build().members
    }
    return Event(
      id: Name(uuid), type: EventType(kind), occurredAt: date, source: EventSource(.notification),
      environment: receipt.environment, app: receipt.app, product: product.map { Name($0) },
      transaction: transaction.map { Name($0) }, originalTransaction: original.map { Name($0) },
      data: data)
  }
}

extension JSONValue {
  /// A transaction without the account of its customer, who was erased.
  fileprivate var withoutCustomer: JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.name != StoreMember.accountToken.name(in: .signed) })
  }
}
