public import LedgerEvents
public import LedgerStore

/// What is exported, and as what.
public struct ExportQuestion: Sendable {
  public var format: ExportFormat
  /// In the order in which they are written; one of them alone, unless it is SQLite.
  public var tables: [ExportTable]
  /// Positions of events, postings and findings, both included.
  public var from: UInt64 = 1
  public var to: UInt64 = .max
  /// Store time of events, postings and findings, half open.
  public var since: Instant?
  public var until: Instant?
  public var clocks = Clocks.now
  /// The customer that this account is.
  public var account: Name?
  /// Every environment where none is named.
  public var environment: StoreEnvironment?
  /// The moment that answers without `clocks.at` are judged at.
  public var now: Instant

  public init(_ format: ExportFormat, _ tables: [ExportTable], now: Instant) {
    self.format = format
    self.tables = tables
    self.now = now
  }

  var environments: [StoreEnvironment] {
    environment.map { [$0] } ?? StoreEnvironment.allCases
  }

  /// The events asked for, known up to `end`.
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

/// What an export came to.
public struct ExportSummary: Sendable {
  /// The position that everything in it is true at.
  public var position: UInt64
  /// By table, in the order in which they were written.
  public var totals: [(table: ExportTable, totals: ControlTotals)]
  public var bytes: Int
  /// SHA-256 of the file, in hexadecimal digits.
  public var digest: String
}
