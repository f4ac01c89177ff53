import LedgerEvents

/// Reads RevenueCat's scheduled data exports: a table of transactions.
///
/// Source: https://www.revenuecat.com/docs/integrations/scheduled-data-exports
struct RevenueCatExport {
  private let columns: [String: Int]
  private let options: ImportOptions

  /// The columns that are needed. Every version of the format has them.
  private static let needed = [
    "rc_original_app_user_id", "rc_last_seen_app_user_id_alias", "product_identifier",
    "start_time", "end_time", "store", "is_sandbox", "store_transaction_id",
    "original_store_transaction_id",
  ]

  /// The values of `store` for the purchases that this ledger holds.
  private static let stores: Set<String> = ["app_store", "mac_app_store"]

  /// What a file says, and how many rows are about other stores.
  static func statements(
    _ bytes: [UInt8], _ options: ImportOptions
  ) throws(ImportError) -> (statements: [RevenueCatStatement], otherStores: [String: Int]) {
    if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
      throw ImportError(
        .otherFormat, reason: "expected \(ImportFormat.revenueCatExport.described), found JSON",
        remedy: "If it is a webhook, import it as revenuecat")
    }
    var table = try TextTable(bytes, separator: separator(bytes))
    let export = try RevenueCatExport(table.header, options)
    var statements: [RevenueCatStatement] = []
    var others: [String: Int] = [:]
    while let row = try table.next() {
      do throws(ImportError) {
        let store = try export.field("store", row) ?? ""
        if stores.contains(store) {
          statements.append(try export.statement(row))
        } else {
          others[store, default: 0] += 1
        }
      } catch { throw error.at("line \(row.line)") }
    }
    return (statements, others)
  }

  /// Exports had semicolons between fields and have commas.
  private static func separator(_ bytes: [UInt8]) -> UInt8 {
    let header = bytes.prefix { $0 != UInt8(ascii: "\n") }
    let semicolons = header.count { $0 == UInt8(ascii: ";") }
    return semicolons > header.count { $0 == UInt8(ascii: ",") }
      ? UInt8(ascii: ";") : UInt8(ascii: ",")
  }

  private init(_ header: [String], _ options: ImportOptions) throws(ImportError) {
    self.options = options
    var columns: [String: Int] = [:]
    for (index, name) in header.enumerated() { columns[name] = index }
    self.columns = columns
    let missing = Self.needed.filter { columns[$0] == nil }
    guard missing.isEmpty else {
      throw ImportError(
        .otherFormat, path: "line 1",
        reason: "expected the columns of RevenueCat's transactions, and \(missing[0]) is missing",
        remedy: "Unpack the export first (gzip -dc); import another table with csv --map FILE")
    }
  }

  // MARK: - Fields

  /// Returns a field; nil if it is empty, `null`, or the export has no such column.
  private func field(_ name: String, _ row: TextTable.Row) throws(ImportError) -> String? {
    guard let index = columns[name] else { return nil }
    let text = row.fields[index]
    return text.isEmpty || text == "null" ? nil : text
  }

  private func needed(_ name: String, _ row: TextTable.Row) throws(ImportError) -> String {
    if let text = try field(name, row) { return text }
    throw ImportError(
      .missing, path: name, reason: "every transaction needs a \(name)",
      remedy: "Check that the file is RevenueCat's export, unmodified")
  }

  private func flag(_ name: String, _ row: TextTable.Row) throws(ImportError) -> Bool {
    switch try field(name, row) {
    case "true", "True", "TRUE", "1", "t": return true
    case nil, "false", "False", "FALSE", "0", "f": return false
    case .some(let text): throw bad(name, "true or false", text)
    }
  }

  private func bad(_ name: String, _ expected: String, _ found: String) -> ImportError {
    ImportError(
      .badValue, path: name, reason: "expected \(expected), found \"\(found)\"",
      remedy: "Check that the file is RevenueCat's export, unmodified")
  }

  /// Returns a date, which is in UTC: `2023-01-01 08:27:06`.
  private func date(_ name: String, _ row: TextTable.Row) throws(ImportError) -> Instant? {
    guard let text = try field(name, row) else { return nil }
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    let whole = parts.count == 2 ? "\(parts[0])T\(parts[1])" : text
    guard let date = Instant(rfc3339: whole) ?? Instant(rfc3339: whole + "Z"), date.isInRange
    else { throw bad(name, "a date such as 2023-01-01 08:27:06", text) }
    return date
  }

  // MARK: - Rows

  private func statement(_ row: TextTable.Row) throws(ImportError) -> RevenueCatStatement {
    let environment: StoreEnvironment = try flag("is_sandbox", row) ? .sandbox : .production
    if let named = options.environment, named != environment {
      throw ImportError(
        .contradiction, path: "is_sandbox",
        reason: "it is from \(environment.text), not from \(named.text)",
        remedy: "Leave the environment out, because exports state their own")
    }
    let ids = [
      try needed("rc_last_seen_app_user_id_alias", row), try needed("rc_original_app_user_id", row),
    ]
    guard let purchasedAt = try date("start_time", row) else {
      _ = try needed("start_time", row)
      throw bad("start_time", "a date", "")
    }
    var purchase = RevenueCatPurchase(
      transaction: try needed("store_transaction_id", row),
      original: try field("original_store_transaction_id", row),
      product: try needed("product_identifier", row), purchasedAt: purchasedAt,
      account: Name(ids[0]))
    purchase.expiresAt = try date("end_time", row)
    purchase.isFamilyShared = try field("ownership_type", row) == "FAMILY_SHARED"
    purchase.price = try field("purchase_price_in_purchased_currency", row)
    purchase.currency = try field("purchased_currency", row)
    purchase.isTrial = try flag("is_trial_period", row)
    purchase.isIntroductory = try flag("is_in_intro_offer_period", row)
    purchase.offer = try field("offer", row)
    let place = "line \(row.line)"
    let updatedAt = try date("updated_at", row)
    let saidAt = updatedAt ?? purchasedAt
    let link = FactIdentifier(
      app: options.app?.text ?? "", environment: environment.text,
      transaction: purchase.transaction, fact: "revenuecat-linked", moments: [saidAt],
      key: options.digestKey)
    var statement = RevenueCatStatement(
      place: place, saidAt: saidAt, environment: environment, linkID: link.name)
    statement.accounts = ids.map { Name($0) }
    statement.entry = try purchase.entry(path: "", "purchase_price_in_purchased_currency")
    statement.transaction = Name(purchase.transaction)
    statement.statesOriginal = purchase.original != nil
    statement.isPurchase = true
    statement.isRow = true
    statement.events = try events(row, purchase, environment)
    return statement
  }

  /// Returns what a row says of its transaction beside the purchase. The dates are those at which
  /// RevenueCat noticed it.
  private func events(
    _ row: TextTable.Row, _ purchase: RevenueCatPurchase, _ environment: StoreEnvironment
  ) throws(ImportError) -> [Event] {
    var events: [Event] = []
    func add(
      _ kind: EventKind, _ name: String, _ data: EventData.Builder
    ) throws(ImportError) {
      guard let noticedAt = try date(name, row) else { return }
      let isFailure =
        kind == .subscriptionBillingFailed || kind == .subscriptionGracePeriodEntered
      let date = isFailure ? purchase.date(of: kind, saidAt: noticedAt) : noticedAt
      let identifier = FactIdentifier(
        app: options.app?.text ?? "", environment: environment.text,
        transaction: purchase.transaction, fact: "revenuecat-\(Receipt.verb(of: kind))",
        moments: [date], varying: data.contents + [purchase.original ?? "", purchase.product],
        key: options.digestKey)
      events.append(
        Event(
          id: identifier.name, type: EventType(kind), occurredAt: date,
          source: EventSource(.receipt), environment: environment, app: options.app,
          product: Name(purchase.product), transaction: Name(purchase.transaction),
          originalTransaction: purchase.original.map { Name($0) }, data: data.build()))
    }
    // Nobody knows whether RevenueCat noticed the refund before or after the store reversed it.
    // Facts about one transaction are ordered by `signedAt`: dated by the purchase, this one yields
    // to whatever else is known of refunds and reversals, in whichever order files are imported.
    var refund = EventData.Builder()
    refund.set("signedAt", purchase.purchasedAt)
    refund.set(Event.reporter, Event.revenueCat)
    try add(.transactionRefunded, "refunded_at", refund)
    // A refund ends the renewal, too, and RevenueCat notices both.
    guard try flag("is_auto_renewable", row) || purchase.expiresAt != nil else { return events }
    var data = EventData.Builder()
    data.set("autoRenew", false)
    try add(.subscriptionAutoRenewChanged, "unsubscribe_detected_at", data)
    try add(.subscriptionBillingFailed, "billing_issues_detected_at", EventData.Builder())
    if let end = try date("grace_period_end_time", row) {
      var data = EventData.Builder()
      data.set("gracePeriodExpiresAt", end)
      try add(.subscriptionGracePeriodEntered, "billing_issues_detected_at", data)
    }
    return events
  }
}
