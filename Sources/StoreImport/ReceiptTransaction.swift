import LedgerEvents

/// One transaction of a receipt, as all the places of one answer that list it tell it together.
///
/// `latest_receipt_info` is newer than the `in_app` of the receipt that was sent, and goes first; a
/// field that it lacks is taken from the other.
struct ReceiptTransaction {
  /// The entries that list it, newest first.
  private(set) var entries: [StoreObject]
  let transaction: String
  let product: String

  init(_ entry: StoreObject) throws(ImportError) {
    entries = [entry]
    transaction = try Self.needed("transaction_id", of: entry)
    product = try Self.needed("product_id", of: entry)
  }

  /// Adds an older entry of the same transaction.
  mutating func add(_ entry: StoreObject) throws(ImportError) {
    let other = try Self.needed("product_id", of: entry)
    guard Name(other) == Name(product) else {
      throw ImportError(
        .contradiction, path: entry.path(of: "product_id"),
        reason: "transaction \(transaction) is a purchase of \"\(other)\" here and of "
          + "\"\(product)\" in \(newest.path)",
        remedy: "One transaction buys one product: correct the file, or import the store's own")
    }
    entries.append(entry)
  }

  private var newest: StoreObject { entries[0] }

  /// Where errors about the transaction as a whole point.
  var path: String { newest.path }

  private static func needed(
    _ name: String, of entry: StoreObject
  ) throws(ImportError) -> String {
    guard let text = try entry.text(name) else {
      throw ImportError(
        .missing, path: entry.path(of: name), reason: "every purchase of a receipt has a \(name)",
        remedy: "Check that the file is what the store gave")
    }
    return text
  }
}

// MARK: - Fields

extension ReceiptTransaction {
  func text(_ name: String) throws(ImportError) -> String? {
    for entry in entries {
      if let text = try entry.text(name) { return text }
    }
    return nil
  }

  func flag(_ name: String) throws(ImportError) -> Bool {
    for entry in entries {
      if let flag = try entry.flag(name) { return flag }
    }
    return false
  }

  /// A date that an event may carry; the store's way to say *not known* is the year 1.
  func date(_ name: String) throws(ImportError) -> Instant? {
    for entry in entries {
      if let date = try entry.date(name), date.isInRange { return date }
    }
    return nil
  }

  /// The first purchase of the chain; itself where nothing else is stated.
  func original() throws(ImportError) -> String {
    let stated = try text("original_transaction_id")
    return stated ?? transaction
  }

  /// The account that the app gave to the store with the purchase.
  func accountToken() throws(ImportError) -> Name? {
    try text("app_account_token").map { Name($0) }
  }

  /// Whether it ended by an upgrade, and nothing says when.
  func isUndatedUpgrade() throws(ImportError) -> Bool {
    guard try flag("is_upgraded") else { return false }
    return try date("cancellation_date") == nil
  }

  func isFamilyShared() throws(ImportError) -> Bool {
    guard let ownership = try text("in_app_ownership_type") else { return false }
    return ownership == "FAMILY_SHARED"
  }

  /// How many were bought.
  func quantity() throws(ImportError) -> Int64 {
    guard let text = try text("quantity") else { return 1 }
    guard let quantity = Int64(text), quantity > 0 else {
      throw ImportError(
        .badValue, path: newest.path(of: "quantity"),
        reason: "expected a number of at least 1, found \"\(text)\"",
        remedy: "Check that the file is what the store gave")
    }
    return quantity
  }

  /// The end of the paid period; what has one is an auto-renewable subscription.
  func expiresAt() throws(ImportError) -> Instant? { try date("expires_date") }

  /// When it was bought, by the store's own date.
  ///
  /// A restore moves `purchase_date` to the time of the restore while `transaction_id` and
  /// `original_purchase_date` stay. So a product that does not renew was bought at its
  /// `original_purchase_date` where it is its own original, and a period that seems to be bought
  /// when it was over already was bought then too. Elsewhere `purchase_date` is right, and the
  /// original's date is that of another transaction or a second late.
  func purchasedAt() throws(ImportError) -> Instant {
    let stated = try date("purchase_date")
    let first = try date("original_purchase_date")
    guard let stated = stated ?? first else {
      throw ImportError(
        .missing, path: newest.path(of: "purchase_date_ms"),
        reason: "every purchase of a receipt has a date of purchase",
        remedy: "Check that the file is what the store gave")
    }
    guard let first, first < stated else { return stated }
    if let expiresAt = try expiresAt() {
      return stated >= expiresAt && first < expiresAt ? first : stated
    }
    return try Name(original()) == Name(transaction) ? first : stated
  }
}
