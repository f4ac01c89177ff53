public import LedgerEvents
public import LedgerQueries

/// What to export, and in which format.
public struct ExportQuestion: Sendable {
  public var format: ExportFormat
  /// The tables, in the order in which they are written; only one, unless the format is SQLite.
  public var tables: [ExportTable]
  /// The positions of events, postings and findings, inclusive on both sides.
  public var from: UInt64 = 1
  public var to: UInt64 = .max
  /// The store time of events, postings and findings, as a half-open range.
  public var since: Instant?
  public var until: Instant?
  public var clocks = Clocks.now
  /// An account of the customer to export.
  public var account: Name?
  /// The environments; all if none is named.
  public var environment: StoreEnvironment?
  /// The moment at which answers without `clocks.at` are judged.
  public var now: Instant

  public init(_ format: ExportFormat, _ tables: [ExportTable], now: Instant) {
    self.format = format
    self.tables = tables
    self.now = now
  }

  var environments: [StoreEnvironment] {
    environment.map { [$0] } ?? StoreEnvironment.allCases
  }

  /// The query for events, known up to `end`.
  func events(upTo end: UInt64) -> EventsQuery {
    var query = EventsQuery()
    query.account = account
    query.environment = environment
    query.since = since
    query.until = until
    query.from = from
    query.to = min(to, end)
    query.clocks = Clocks(at: clocks.at, asOf: .position(end))
    return query
  }
}

/// The result of an export.
public struct ExportSummary: Sendable {
  /// The position at which everything in it is true.
  public var position: UInt64
  /// The totals by table, in the order in which the tables were written.
  public var totals: [(table: ExportTable, totals: ControlTotals)]
  public var bytes: Int
  /// The SHA-256 of the file, in hexadecimal digits.
  public var digest: String
}
