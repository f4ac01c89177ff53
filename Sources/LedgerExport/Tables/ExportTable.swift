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

  /// Whether its rows are made from the ledger's units, which are read once for all such tables.
  var isOfUnits: Bool {
    switch self {
    case .accounts, .entitlements, .balances, .installed, .transactions, .postings: true
    case .events, .findings: false
    }
  }

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
    .init("position", .integer), .init("recordedAt", .time), .init("occurredAt", .time),
    .init("id"), .init("type"), .init("source"), .init("environment"), .init("app"),
    .init("account"), .init("device"), .init("session"), .init("sequence", .integer),
    .init("payment"), .init("product"), .init("transaction"), .init("originalTransaction"),
    .init("download"), .init("price", .decimal), .init("currency"), .init("quantity", .integer),
    .init("storefront"), .init("data", .json),
  ]

  private static let entitlementsColumns: [ExportColumn] = [
    .init("environment"), .init("customer"), .init("product"), .init("entitlement"),
    .init("state"), .init("active", .boolean), .init("since", .time), .init("expiresAt", .time),
    .init("source"), .init("ownership"), .init("originalTransaction"),
    .init("entitlements", .json), .init("transactions", .json),
  ]

  private static let installedColumns: [ExportColumn] = [
    .init("environment"), .init("customer"), .init("device"), .init("product"),
    .init("contentVersion"), .init("available"), .init("updateAvailable", .boolean),
    .init("installedAt", .time), .init("path"),
  ]

  private static let transactionsColumns: [ExportColumn] = [
    .init("environment"), .init("transaction"), .init("payment"),
    .init("originalTransaction"), .init("product"), .init("account"), .init("state"),
    .init("since", .time), .init("queue"), .init("openedAt", .time),
    .init("finishes", .integer), .init("removedUnfinished", .boolean),
    .init("purchasedAt", .time), .init("ownership"), .init("reversal"),
    .init("quantity", .integer), .init("price", .decimal), .init("priceMillionths", .integer),
    .init("currency"), .init("storefront"),
  ]

  private static let postingsColumns: [ExportColumn] = [
    .init("position", .integer), .init("occurredAt", .time), .init("recordedAt", .time),
    .init("posting"), .init("environment"), .init("transaction"),
    .init("originalTransaction"), .init("product"), .init("account"),
    .init("quantity", .integer), .init("price", .decimal), .init("amount", .decimal),
    .init("amountMillionths", .integer), .init("currency"), .init("storefront"), .init("type"),
    .init("source"), .init("eventID"),
  ]

  private static let findingsColumns: [ExportColumn] = [
    .init("position", .integer), .init("occurredAt", .time), .init("rule"), .init("severity"),
    .init("environment"), .init("account"), .init("device"), .init("transaction"),
    .init("product"), .init("download"), .init("detail"),
  ]
}
