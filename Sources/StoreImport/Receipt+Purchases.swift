import LedgerEvents

extension Receipt {
  /// Returns the facts about one transaction: its purchase or paid period, the offer that it used,
  /// and how it ended early.
  func facts(
    of purchase: ReceiptTransaction, isKnownUpgrade: Bool
  ) throws(ImportError) -> [Event] {
    var facts = [try purchased(purchase)]
    if let offer = try offerRedeemed(purchase) { facts.append(offer) }
    // An app receipt has the date of an upgrade and does not say that it is none of a refund.
    if isKnownUpgrade, try !purchase.flag("is_upgraded") { return facts }
    // Without its own date, the upgrade would be recorded again with every answer.
    let isReportedAlready = isKnownUpgrade ? try purchase.isUndatedUpgrade() : false
    if !isReportedAlready, let end = try cancelled(purchase) { facts.append(end) }
    return facts
  }

  /// Returns a `transaction.purchased`, or for a later period of a subscription a
  /// `subscription.renewed`.
  private func purchased(_ purchase: ReceiptTransaction) throws(ImportError) -> Event {
    let purchasedAt = try purchase.purchasedAt()
    let expiresAt = try purchase.expiresAt()
    var data = EventData.Builder()
    let quantity = try purchase.quantity()
    // An absent quantity means one, and some lists leave it out.
    if quantity > 1 { data.set("quantity", quantity) }
    data.set("purchasedAt", purchasedAt)
    if let expiresAt { data.set("expiresAt", expiresAt) }
    var varying: [String] = []
    if try purchase.isFamilyShared() {
      data.set("ownership", "familyShared")
      varying.append("familyShared")
    }
    return try fact(
      try kind(of: purchase), purchase, at: purchasedAt, data,
      moments: expiresAt.map { [purchasedAt, $0] } ?? [], varying: varying)
  }

  private func kind(of purchase: ReceiptTransaction) throws(ImportError) -> EventKind {
    let isFirst = try Name(purchase.original()) == Name(purchase.transaction)
    let isPeriod = try purchase.expiresAt() != nil
    return isPeriod && !isFirst ? .subscriptionRenewed : .transactionPurchased
  }

  /// Returns a refund, a revocation of family sharing or the end by an upgrade, at the date that
  /// the store states.
  ///
  /// The store writes `cancellation_date` for all three. An upgrade becomes a purchase fact with
  /// `isUpgraded`, which is later than the purchase itself and therefore newer.
  private func cancelled(_ purchase: ReceiptTransaction) throws(ImportError) -> Event? {
    let cancelledAt = try purchase.date("cancellation_date")
    if try purchase.flag("is_upgraded") { return try upgraded(purchase, cancelledAt) }
    guard let cancelledAt else { return nil }
    var data = EventData.Builder()
    data.set("revokedAt", cancelledAt)
    var varying: [String] = []
    if let reason = try purchase.text("cancellation_reason") {
      data.set("reason", Self.cancellationReasons[reason] ?? reason)
      varying.append(reason)
    }
    return try fact(
      try purchase.isFamilyShared() ? .transactionRevoked : .transactionRefunded, purchase,
      at: cancelledAt, data, moments: [cancelledAt], varying: varying)
  }

  private func upgraded(
    _ purchase: ReceiptTransaction, _ cancelledAt: Instant?
  ) throws(ImportError) -> Event {
    guard let upgradedAt = cancelledAt ?? askedAt else {
      throw Self.undated("\(purchase.path) was upgraded, but it has no date of the upgrade")
    }
    let purchasedAt = try purchase.purchasedAt()
    var data = EventData.Builder()
    data.set("purchasedAt", purchasedAt)
    if let expiresAt = try purchase.expiresAt() { data.set("expiresAt", expiresAt) }
    data.set("isUpgraded", true)
    return try fact(
      try kind(of: purchase), purchase, named: "upgraded", at: upgradedAt, data,
      moments: [upgradedAt], varying: data.contents)
  }

  /// Returns the offer under which a period was paid.
  private func offerRedeemed(_ purchase: ReceiptTransaction) throws(ImportError) -> Event? {
    var data = EventData.Builder()
    if let promotion = try purchase.text("promotional_offer_id") {
      data.set("offer", promotion)
      data.set("offerType", "promotional")
    } else if let code = try purchase.text("offer_code_ref_name") {
      data.set("offer", code)
      data.set("offerType", "code")
    } else if try purchase.flag("is_trial_period") {
      data.set("offer", "freeTrial")
      data.set("offerType", "introductory")
    } else if try purchase.flag("is_in_intro_offer_period") {
      data.set("offer", "introductory")
      data.set("offerType", "introductory")
    } else {
      return nil
    }
    let purchasedAt = try purchase.purchasedAt()
    return try fact(
      .subscriptionOfferRedeemed, purchase, at: purchasedAt, data, moments: [purchasedAt],
      varying: data.contents)
  }

  /// The values of `cancellation_reason`
  /// (https://developer.apple.com/documentation/appstorereceipts/cancellation_reason).
  private static let cancellationReasons = ["0": "other", "1": "appIssue"]

  private func fact(
    _ kind: EventKind, _ purchase: ReceiptTransaction, named fact: String? = nil,
    at occurredAt: Instant, _ data: EventData.Builder, moments: [Instant], varying: [String]
  ) throws(ImportError) -> Event {
    // If no original is stated, it is the transaction itself. So lists that leave it out of the
    // first transaction of a chain give the same event.
    let original = try purchase.original()
    return event(
      EventType(kind), named: fact ?? Self.verb(of: kind), about: purchase.transaction,
      at: occurredAt, product: purchase.product, transaction: purchase.transaction,
      original: original, data, moments: moments, varying: varying)
  }
}

// MARK: - Events

extension Receipt {
  /// Returns the part of a type after the point, such as `purchased`.
  static func verb(of kind: EventKind) -> String {
    kind.text.split(separator: ".").last.map { String($0) } ?? kind.text
  }

  /// Creates an event of this receipt, with an id derived from its content.
  func event(
    _ type: EventType, named fact: String, about subject: String, at occurredAt: Instant,
    product: String?, transaction: String?, original: String, _ data: EventData.Builder,
    moments: [Instant], varying: [String]
  ) -> Event {
    let identifier = FactIdentifier(
      app: app?.text ?? "", environment: environment.text, transaction: subject, fact: fact,
      moments: moments, varying: varying, key: options.digestKey)
    return Event(
      id: identifier.name, type: type, occurredAt: occurredAt, source: EventSource(.receipt),
      environment: environment, app: app, product: product.map { Name($0) },
      transaction: transaction.map { Name($0) }, originalTransaction: Name(original),
      data: data.build())
  }
}
