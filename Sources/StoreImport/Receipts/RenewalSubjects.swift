import LedgerEvents

/// A renewal state in an answer, with its chain.
struct RenewalSubject: Sendable {
  let entry: StoreObject
  let original: String
  let product: String?
  /// The last paid period, if the answer lists one.
  let period: ReceiptTransaction?
  let periodEnd: Instant?
}

/// The renewal states in an answer, each with its chain.
struct RenewalSubjects: Sendable {
  private(set) var subjects: [RenewalSubject] = []
  /// One sentence for each entry whose chain cannot be determined.
  private(set) var warnings: [String] = []

  /// Reads signed renewal infos, each of which states its chain.
  init(signed entries: [StoreObject], _ purchases: [ReceiptTransaction]) throws(ImportError) {
    for entry in entries {
      guard let original = try entry.text(.original) else {
        throw ImportError(
          .missing, path: entry.path(of: .original),
          reason: "every renewal info needs an \(entry.name(.original))",
          remedy: "Check that it is what the store signed, unmodified")
      }
      subjects.append(try Self.subject(entry, original, purchases))
    }
  }

  private static let states = [
    "auto_renew_status", "auto_renew_product_id", "expiration_intent",
    "is_in_billing_retry_period",
  ]

  /// Reads `pending_renewal_info`. If that is absent, reads the state at the top level, where
  /// answers to iOS 6 style receipts have it.
  init(_ answer: StoreObject, _ purchases: [ReceiptTransaction]) throws(ImportError) {
    var entries = try answer.objects("pending_renewal_info")
    let isAtTop = entries.isEmpty && Self.states.contains { answer.members[$0] != nil }
    if isAtTop { entries = [answer] }
    for entry in entries {
      guard let original = try Self.original(of: entry, isAtTop: isAtTop, purchases) else {
        let location = isAtTop ? "the renewal state at the top level" : entry.path
        warnings.append(
          "\(location) is left out: it has no original_transaction_id, and its product is not that "
            + "of exactly one subscription in the answer")
        continue
      }
      subjects.append(try Self.subject(entry, original, purchases))
    }
  }

  private static func subject(
    _ entry: StoreObject, _ original: String, _ purchases: [ReceiptTransaction]
  ) throws(ImportError) -> RenewalSubject {
    let period = try lastPeriod(of: original, purchases)
    let product = try entry.text(.product)
    return RenewalSubject(
      entry: entry, original: original, product: product ?? period?.product, period: period,
      periodEnd: try period?.expiresAt())
  }

  /// Answers of 2017 leave the original out of the entry. If only one chain has the product, it is
  /// that chain. A state at the top level belongs to the only subscription.
  private static func original(
    of entry: StoreObject, isAtTop: Bool, _ purchases: [ReceiptTransaction]
  ) throws(ImportError) -> String? {
    if let stated = try entry.text(.original) { return stated }
    let product = try entry.text(.product)
    let next = try entry.text(.nextProduct)
    var ofProduct: Set<String> = []
    var ofNext: Set<String> = []
    var all: Set<String> = []
    for purchase in purchases where try purchase.expiresAt() != nil {
      let original = try purchase.original()
      all.insert(original)
      if purchase.product == product { ofProduct.insert(original) }
      if purchase.product == next { ofNext.insert(original) }
    }
    if product != nil { return ofProduct.count == 1 ? ofProduct.first : nil }
    if isAtTop && all.count == 1 { return all.first }
    return ofNext.count == 1 ? ofNext.first : nil
  }

  /// Returns the period that ends last. A refunded or upgraded period counts only if there is no
  /// other.
  private static func lastPeriod(
    of original: String, _ purchases: [ReceiptTransaction]
  ) throws(ImportError) -> ReceiptTransaction? {
    var last: (isWhole: Bool, end: Instant, purchase: ReceiptTransaction)?
    for purchase in purchases where try Name(purchase.original()) == Name(original) {
      guard let end = try purchase.expiresAt() else { continue }
      let isCancelled = try purchase.date(.revocationDate) != nil
      let isUpgraded = try purchase.flag(.isUpgraded)
      let candidate = (isWhole: !isCancelled && !isUpgraded, end: end, purchase: purchase)
      guard let known = last else {
        last = candidate
        continue
      }
      let isLater =
        (candidate.isWhole ? 1 : 0, end.microseconds) > (
          known.isWhole ? 1 : 0, known.end.microseconds
        )
        || candidate.isWhole == known.isWhole && end == known.end
          && Name(purchase.transaction) > Name(known.purchase.transaction)
      if isLater { last = candidate }
    }
    return last?.purchase
  }
}
