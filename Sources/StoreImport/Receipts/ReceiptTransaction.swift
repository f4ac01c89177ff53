import LedgerEvents

/// One transaction of a receipt, merged from all lists in the answer that contain it.
///
/// `latest_receipt_info` is newer than the `in_app` of the submitted receipt and takes precedence.
/// A field that it lacks is taken from the other.
struct ReceiptTransaction {
  /// The entries of the transaction, newest first.
  private(set) var entries: [StoreObject]
  let transaction: String
  let product: String

  init(_ entry: StoreObject) throws(ImportError) {
    entries = [entry]
    transaction = try Self.needed(.transaction, of: entry)
    product = try Self.needed(.product, of: entry)
  }

  /// Adds an older entry of the same transaction.
  mutating func add(_ entry: StoreObject) throws(ImportError) {
    let other = try Self.needed(.product, of: entry)
    guard Name(other) == Name(product) else {
      throw ImportError(
        .contradiction, path: entry.path(of: .product),
        reason: "transaction \(transaction) is a purchase of \"\(other)\" here and of "
          + "\"\(product)\" in \(newest.path)",
        remedy: "A transaction has one product: correct the file, or import the original one")
    }
    entries.append(entry)
  }

  var newest: StoreObject { entries[0] }

  /// The path for errors about the transaction as a whole.
  var path: String { newest.path }

  private static func needed(
    _ member: StoreMember, of entry: StoreObject
  ) throws(ImportError) -> String {
    guard let text = try entry.text(member) else {
      throw ImportError(
        .missing, path: entry.path(of: member),
        reason: "every purchase needs a \(entry.name(member))",
        remedy: "Check that the file is the store's unmodified answer")
    }
    return text
  }
}

// MARK: - Fields

extension ReceiptTransaction {
  func text(_ member: StoreMember) throws(ImportError) -> String? {
    for entry in entries {
      if let text = try entry.text(member) { return text }
    }
    return nil
  }

  func flag(_ member: StoreMember) throws(ImportError) -> Bool {
    for entry in entries {
      if let flag = try entry.flag(member) { return flag }
    }
    return false
  }

  /// Returns a date that an event can have. The store writes the year 1 for an unknown date.
  ///
  /// - Throws: `ImportError`, also for a date after 9999: without it, a period would never end.
  func date(_ member: StoreMember) throws(ImportError) -> Instant? {
    for entry in entries {
      guard let date = try entry.date(member) else { continue }
      if date.isInRange { return date }
      if date.microseconds > 0 { throw entry.outOfRange(date, entry.name(member)) }
    }
    return nil
  }

  /// Returns the first purchase of the chain, or the transaction itself if nothing else is stated.
  func original() throws(ImportError) -> String {
    let stated = try text(.original)
    return stated ?? transaction
  }

  /// Returns the account that the app passed to the store with the purchase.
  func accountToken() throws(ImportError) -> Name? {
    try text(.accountToken).map { Name($0) }
  }

  /// Returns the accounts that statements about the transaction name, those of the oldest first.
  func accountTokens() throws(ImportError) -> [Name] {
    var tokens: [Name] = []
    for entry in entries.reversed() {
      guard let text = try entry.text(.accountToken), !tokens.contains(Name(text)) else { continue }
      tokens.append(Name(text))
    }
    return tokens
  }

  /// Returns whether the transaction ended by an upgrade without a date.
  func isUndatedUpgrade() throws(ImportError) -> Bool {
    guard try flag(.isUpgraded) else { return false }
    return try date(.revocationDate) == nil
  }

  func isFamilyShared() throws(ImportError) -> Bool {
    guard let ownership = try text(.ownership) else { return false }
    return ownership == "FAMILY_SHARED"
  }

  /// Returns how many were bought.
  func quantity() throws(ImportError) -> Int64 {
    guard let text = try text(.quantity) else { return 1 }
    guard let quantity = Int64(text), quantity > 0 else {
      throw ImportError(
        .badValue, path: newest.path(of: .quantity),
        reason: "expected a number of at least 1, found \"\(text)\"",
        remedy: "Check that the file is the store's unmodified answer")
    }
    return quantity
  }

  /// Returns the end of the paid period. Only auto-renewable subscriptions have one.
  func expiresAt() throws(ImportError) -> Instant? { try date(.expiresDate) }

  /// Returns when the transaction was bought, by the store's date.
  ///
  /// A restore changes `purchase_date` to the time of the restore, while `transaction_id` and
  /// `original_purchase_date` stay the same. A non-renewing product that is its own original was
  /// therefore bought at its `original_purchase_date`, and so was a period that seems to have been
  /// bought after its end. Otherwise `purchase_date` is right, and the original's date belongs to
  /// another transaction or is a second late.
  func purchasedAt() throws(ImportError) -> Instant {
    let stated = try date(.purchaseDate)
    let first = try date(.originalPurchaseDate)
    guard let stated = stated ?? first else {
      throw ImportError(
        .missing,
        path: newest.vocabulary == .receipt
          ? newest.path(of: "purchase_date_ms") : newest.path(of: .purchaseDate),
        reason: "every purchase needs a date of purchase",
        remedy: "Check that the file is the store's unmodified answer")
    }
    guard let first, first < stated else { return stated }
    if let expiresAt = try expiresAt() {
      return stated >= expiresAt && first < expiresAt ? first : stated
    }
    return try Name(original()) == Name(transaction) ? first : stated
  }
}
