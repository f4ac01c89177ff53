import LedgerEvents

extension Receipt {
  /// Returns the facts about one transaction: its purchase or paid period, the offer that it used,
  /// and how it ended early.
  func facts(
    of purchase: ReceiptTransaction, isKnownUpgrade: Bool, withPurchase: Bool
  ) throws(ImportError) -> [Event] {
    var facts = withPurchase ? [try purchased(purchase)] : []
    if let offer = try offerRedeemed(purchase) { facts.append(offer) }
    // An app receipt has the date of an upgrade and does not say that it is none of a refund.
    if isKnownUpgrade, purchase.newest.vocabulary == .receipt, try !purchase.flag(.isUpgraded) {
      return facts
    }
    // Without its own date, the upgrade would be recorded again with every answer.
    let isReportedAlready = isKnownUpgrade ? try purchase.isUndatedUpgrade() : false
    if try purchase.flag(.isUpgraded) {
      if !isReportedAlready { facts.append(try upgraded(purchase)) }
      // In a receipt, the date of an upgrade looks like that of a refund. Signed data states both.
      guard purchase.newest.vocabulary == .signed else { return facts }
    }
    if let end = try revoked(purchase) { facts.append(end) }
    return facts
  }

  /// Returns a `transaction.purchased`, or for a later period of a subscription a
  /// `subscription.renewed`.
  func purchased(_ purchase: ReceiptTransaction) throws(ImportError) -> Event {
    let purchasedAt = try purchase.purchasedAt()
    let expiresAt = try purchase.expiresAt()
    var data = EventData.Builder()
    let quantity = try purchase.quantity()
    // An absent quantity means one, and some lists leave it out. The first fact of a purchase says
    // how many units are credited, so the one that states several has an id that sorts first.
    if quantity > 1 { data.set("quantity", quantity) }
    data.set("purchasedAt", purchasedAt)
    if let expiresAt { data.set("expiresAt", expiresAt) }
    var varying: [String] = []
    if try purchase.isFamilyShared() {
      data.set("ownership", "familyShared")
      varying.append("familyShared")
    }
    let more = try purchase.signedDetails()
    for member in more.members { data.set(member.name, json: member.json) }
    varying += more.contents
    return try fact(
      try kind(of: purchase), purchase, named: quantity > 1 ? "boughtSeveral-\(quantity)" : nil,
      at: purchasedAt, data, moments: expiresAt.map { [purchasedAt, $0] } ?? [], varying: varying)
  }

  private func kind(of purchase: ReceiptTransaction) throws(ImportError) -> EventKind {
    let isFirst = try Name(purchase.original()) == Name(purchase.transaction)
    let isPeriod = try purchase.expiresAt() != nil
    return isPeriod && !isFirst ? .subscriptionRenewed : .transactionPurchased
  }

  /// Returns a refund or a revocation of family sharing, at the date that the store states.
  ///
  /// Receipts write `cancellation_date` for both, and for an upgrade. A refund of a part sorts
  /// after one that does not say how much was refunded, and a larger part after a smaller one.
  func revoked(_ purchase: ReceiptTransaction) throws(ImportError) -> Event? {
    guard let revokedAt = try purchase.date(.revocationDate) else { return nil }
    var data = EventData.Builder()
    data.set("revokedAt", revokedAt)
    var varying: [String] = []
    if let reason = try purchase.text(.revocationReason) {
      data.set("reason", Self.revocationReasons[reason] ?? reason)
      varying.append(reason)
    }
    var named: String?
    let type = try purchase.revocationType()
    if let type {
      data.set("revocationType", type)
      varying.append(type)
    }
    if let part = try purchase.refundedPart() {
      data.set("percent", number: part.decimal)
      varying.append(part.decimal)
      named = part.isWhole ? nil : "refundedInPart-\(part.sortable)"
    }
    return try fact(
      try purchase.revocationKind(), purchase, named: named, at: revokedAt, data,
      moments: [revokedAt], varying: varying)
  }

  /// Returns the end of a period by an upgrade: a purchase fact with `isUpgraded`, which is later
  /// than the purchase itself and therefore newer.
  private func upgraded(_ purchase: ReceiptTransaction) throws(ImportError) -> Event {
    guard let upgradedAt = try purchase.date(.revocationDate) ?? askedAt else {
      throw undated("\(purchase.path) was upgraded, but it has no date of the upgrade")
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
  func offerRedeemed(_ purchase: ReceiptTransaction) throws(ImportError) -> Event? {
    guard let offer = try purchase.redeemedOffer() else { return nil }
    var data = EventData.Builder()
    data.set("offer", offer.name)
    data.set("offerType", offer.type)
    let purchasedAt = try purchase.purchasedAt()
    return try fact(
      .subscriptionOfferRedeemed, purchase, at: purchasedAt, data, moments: [purchasedAt],
      varying: data.contents)
  }

  /// The values of `cancellation_reason` and `revocationReason`
  /// (https://developer.apple.com/documentation/appstorereceipts/cancellation_reason).
  private static let revocationReasons = ["0": "other", "1": "appIssue"]

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
    var data = data
    let isUnverified = evidence == .unverified
    if isUnverified { data.set(Event.verified, false) }
    let identifier = FactIdentifier(
      app: app?.text ?? "", environment: environment.text, transaction: subject, fact: fact,
      moments: moments, varying: varying + (isUnverified ? [Event.verified] : []),
      key: options.digestKey)
    return Event(
      id: identifier.name, type: type, occurredAt: occurredAt, source: EventSource(.receipt),
      environment: environment, app: app, product: product.map { Name($0) },
      transaction: transaction.map { Name($0) }, originalTransaction: Name(original),
      data: data.build())
  }
}
