/// The tables of an export. `docs/export.md` describes their columns.
public enum ExportTable: String, CaseIterable, Sendable {
  /// Every event, as it was appended.
  case events
  /// Which account ids belong to which customer.
  case accounts
  /// What each customer has.
  case entitlements
  /// What each customer can still spend.
  case balances
  /// What each customer has installed, by device.
  case installed
  /// Each transaction as its events have left it.
  case transactions
  /// What each transaction contributes to the books: sales, refunds, reversals, revocations.
  case postings
  /// The rules that were broken, and those that are broken now.
  case findings

  /// The columns, in the order of the cells.
  public var columns: [ExportColumn] {
    switch self {
    case .events: Self.eventsColumns
    case .accounts: [.init("environment"), .init("account"), .init("customer")]
    case .entitlements: Self.entitlementsColumns
    case .balances:
      [.init("environment"), .init("customer"), .init("unit"), .init("amount", .integer)]
    case .installed: Self.installedColumns
    case .transactions: Self.transactionsColumns
    case .postings: Self.postingsColumns
    case .findings: Self.findingsColumns
    }
  }

  /// What must be equal in the ledger and in what was written: the sum of a column, grouped by the
  /// values of others.
  struct Control {
    let column: String
    let by: [String]
  }

  var controls: [Control] {
    switch self {
    case .events, .findings: [Control(column: "position", by: [])]
    case .accounts, .entitlements, .installed: []
    case .balances: [Control(column: "amount", by: ["environment", "unit"])]
    case .transactions: [Control(column: "price", by: ["environment", "currency"])]
    case .postings:
      [
        Control(column: "amount", by: ["environment", "posting", "currency"]),
        Control(column: "quantity", by: ["environment", "posting"]),
      ]
    }
  }

  private static let eventsColumns: [ExportColumn] = [
    .init("position", .integer), .init("recorded_at", .time), .init("occurred_at", .time),
    .init("id"), .init("type"), .init("source"), .init("environment"), .init("app"),
    .init("account"), .init("device"), .init("session"), .init("sequence", .integer),
    .init("payment"), .init("product"), .init("transaction_id"), .init("original_transaction_id"),
    .init("download"), .init("price", .decimal), .init("currency"), .init("quantity", .integer),
    .init("storefront"), .init("data", .json),
  ]

  private static let entitlementsColumns: [ExportColumn] = [
    .init("environment"), .init("customer"), .init("product"), .init("entitlement"),
    .init("state"), .init("active", .boolean), .init("since", .time), .init("expires_at", .time),
    .init("source"), .init("ownership"), .init("original_transaction_id"),
    .init("entitlements", .json), .init("transactions", .json),
  ]

  private static let installedColumns: [ExportColumn] = [
    .init("environment"), .init("customer"), .init("device"), .init("product"),
    .init("content_version"), .init("available"), .init("update_available", .boolean),
    .init("installed_at", .time), .init("path"),
  ]

  private static let transactionsColumns: [ExportColumn] = [
    .init("environment"), .init("transaction_id"), .init("payment"),
    .init("original_transaction_id"), .init("product"), .init("account"), .init("state"),
    .init("state_since", .time), .init("queue"), .init("opened_at", .time),
    .init("finishes", .integer), .init("removed_unfinished", .boolean),
    .init("purchased_at", .time), .init("ownership"), .init("reversal"),
    .init("quantity", .integer), .init("price", .decimal), .init("price_millionths", .integer),
    .init("currency"), .init("storefront"),
  ]

  private static let postingsColumns: [ExportColumn] = [
    .init("position", .integer), .init("occurred_at", .time), .init("recorded_at", .time),
    .init("posting"), .init("environment"), .init("transaction_id"),
    .init("original_transaction_id"), .init("product"), .init("account"),
    .init("quantity", .integer), .init("price", .decimal), .init("amount", .decimal),
    .init("amount_millionths", .integer), .init("currency"), .init("storefront"), .init("type"),
    .init("source"), .init("event_id"),
  ]

  private static let findingsColumns: [ExportColumn] = [
    .init("position", .integer), .init("occurred_at", .time), .init("rule"), .init("severity"),
    .init("environment"), .init("account"), .init("device"), .init("transaction_id"),
    .init("product"), .init("download"), .init("detail"),
  ]
}
