internal import LedgerEvents
internal import LedgerModel
internal import LedgerQueries
internal import WorkThreads

/// The rows of a ledger's tables, all true at the same position.
struct ExportSource {
  /// How many events are read at once, so that no snapshot is open while they are written.
  private static let pageEventsMax = 2_000
  /// The bytes of their data after which a page ends: one event may have a mebibyte.
  private static let pageBytesMax = 1 << 22

  private let ledger: Ledger
  private let question: ExportQuestion
  /// The position at which everything is true.
  let end: UInt64

  init(_ ledger: Ledger, _ question: ExportQuestion) throws(LedgerError) {
    self.ledger = ledger
    self.question = question
    end = try ledger.read { (view) throws(LedgerError) in
      var end = min(view.position, question.to)
      if let asOf = question.clocks.asOf { end = min(end, try view.position(asOf)) }
      return end
    }
  }

  /// Writes the rows of tables, and returns the totals of each, in the same order.
  ///
  /// What is made of units is about half of the work, and the rest is the other: two threads do
  /// them, where there are two.
  func write(
    _ tables: [ExportTable], to writer: any RowWriter, _ progress: ExportProgress
  ) throws -> [(table: ExportTable, totals: ControlTotals)] {
    let halves = [tables.filter { !$0.isOfUnits }, tables.filter(\.isOfUnits)]
      .filter { !$0.isEmpty }
    progress.begin(halves, upTo: end)
    let results = concurrentMap(halves.count) { half in
      let result = Result { try rows(of: halves[half], to: writer, progress) }
      switch result {
      case .success: progress.end(part: half)
      // What the other thread makes now is of no use.
      case .failure: progress.stop()
      }
      return result
    }
    let failures = results.compactMap { result in
      if case .failure(let error) = result { error } else { nil }
    }
    if let reason = Self.reason(among: failures) { throw reason }
    let totals = try results.flatMap { try $0.get() }
    return tables.flatMap { table in totals.filter { $0.table == table } }
  }

  /// Why the work failed: a thread that was stopped because of another's failure does not say it.
  static func reason(among failures: [any Error]) -> (any Error)? {
    failures.first { ($0 as? ExportError)?.code != .interrupted } ?? failures.first
  }

  private func rows(
    of tables: [ExportTable], to writer: any RowWriter, _ progress: ExportProgress
  ) throws -> [(table: ExportTable, totals: ControlTotals)] {
    let streams = tables.map { RowStream($0, writer, progress) }
    for stream in streams where !stream.table.isOfUnits {
      if stream.table == .events { try events(stream) } else { try findings(stream) }
      try writer.end(stream.table)
    }
    let ofUnits = streams.filter(\.table.isOfUnits)
    if !ofUnits.isEmpty { try contents(ofUnits) }
    for stream in ofUnits { try writer.end(stream.table) }
    return streams.map { ($0.table, $0.totals) }
  }

  /// Describes the export.
  func facts(_ totals: [(table: ExportTable, totals: ControlTotals)]) -> ExportFacts {
    var facts = ExportFacts()
    facts.set("format", "daybook export 1")
    facts.set("position", "\(end)")
    facts.set("from", question.from == 1 ? nil : "\(question.from)")
    facts.set("since", question.since?.rfc3339)
    facts.set("until", question.until?.rfc3339)
    facts.set("at", (question.clocks.at ?? question.now).rfc3339)
    facts.set("account", question.account?.text)
    facts.set("environment", question.environment?.text)
    for (table, totals) in totals {
      facts.set("rows of \(table.rawValue)", "\(totals.rows)")
      for (name, sum) in totals.sums.sorted(by: { $0.key < $1.key }) {
        facts.set("\(table.rawValue): \(name)", sum.text)
      }
    }
    return facts
  }

  /// The clocks for questions about the present. Only a ledger that has more events is cut off.
  private func clocks(_ view: LedgerView) -> Clocks {
    Clocks(at: question.clocks.at, asOf: end < view.position ? .position(end) : nil)
  }

  private func events(_ rows: RowStream) throws {
    var query = try ledger.read { (view) throws(LedgerError) in
      try view.located(question.events(upTo: end))
    }
    while query.from <= query.to {
      var page: [RecordedEvent] = []
      var bytes = 0
      var isFull = false
      try ledger.read { (view) throws(LedgerError) in
        try view.events(query) { recorded in
          page.append(recorded)
          bytes += recorded.event.data.members.reduce(0) { $0 + $1.json.count }
          isFull = page.count == Self.pageEventsMax || bytes >= Self.pageBytesMax
          return !isFull
        }
      }
      for recorded in page {
        try rows.add(ExportRow.event(recorded), event: recorded, done: recorded.position)
      }
      guard isFull, let last = page.last else { return }
      query.from = last.position + 1
    }
  }

  private func findings(_ rows: RowStream) throws {
    try ledger.read { (view) throws(LedgerError) in
      var query = FindingsQuery()
      query.account = question.account
      query.environments = question.environments
      query.since = question.since
      query.until = question.until
      query.clocks = clocks(view)
      for finding in try view.findings(query)
      where finding.position >= question.from && finding.position <= end {
        guard rows.offer(ExportRow.finding(finding), done: finding.position) else { return }
      }
    }
    try rows.check()
  }

  /// Writes the rows of all tables that are made of units, in one pass over the units.
  private func contents(_ streams: [RowStream]) throws {
    let tables = streams.map(\.table)
    try ledger.read { (view) throws(LedgerError) in
      var seen: UInt64 = 0
      try view.contents(
        environments: question.environments, clocks: clocks(view), account: question.account,
        now: question.now, includesSales: tables.contains(.transactions),
        postings: tables.contains(.postings) ? question.events(upTo: end) : nil
      ) { (contents) throws(LedgerError) in
        seen += UInt64(contents.eventCount)
        for stream in streams {
          for row in self.rows(of: stream.table, in: contents) {
            guard stream.offer(row, done: seen) else { return false }
          }
        }
        return true
      }
    }
    for stream in streams { try stream.check() }
  }

  private func rows(
    of table: ExportTable, in contents: UnitContents
  ) -> [[ExportCell]] {
    switch table {
    case .accounts:
      return contents.customers.flatMap { customer in
        customer.accounts.map { account in
          [
            .text(customer.environment.text), ExportCell(account),
            ExportCell(customer.accounts.first),
          ]
        }
      }
    case .entitlements:
      return contents.customers.flatMap { customer in
        customer.entries.map { ExportRow.entitlement($0, of: customer) }
      }
    case .balances:
      return contents.customers.flatMap { customer in
        customer.balances.map { balance in
          [
            .text(customer.environment.text), ExportCell(customer.accounts.first),
            ExportCell(balance.unit), .integer(balance.amount),
          ]
        }
      }
    case .installed:
      return contents.customers.flatMap { customer in
        customer.installed.map { ExportRow.installed($0, of: customer) }
      }
    case .transactions:
      return zip(contents.transactions, contents.sales).map { ExportRow.transaction($0, sale: $1) }
    case .postings: return contents.postings.map { ExportRow.posting($0) }
    case .events, .findings:
      preconditionFailure("\(table.rawValue) is not made of units")
    }
  }
}

/// Passes rows on to a writer and adds up their totals.
///
/// The ledger's closure cannot throw the writer's errors, so a failure is kept.
private final class RowStream {
  let table: ExportTable
  private let writer: any RowWriter
  private let progress: ExportProgress
  private(set) var totals: ControlTotals
  private var failure: ExportError?

  init(_ table: ExportTable, _ writer: any RowWriter, _ progress: ExportProgress) {
    self.table = table
    self.writer = writer
    self.progress = progress
    totals = ControlTotals(of: table)
  }

  /// - Parameter done: How many events have been looked at for the rows up to this one.
  func add(
    _ row: [ExportCell], event: RecordedEvent? = nil, done: UInt64
  ) throws(ExportError) {
    try totals.add(row)
    try writer.add(row, to: table, event: event)
    try progress.report(rows: totals.rows, of: table, done)
  }

  /// Adds a row, and returns false once one has failed.
  func offer(_ row: [ExportCell], done: UInt64) -> Bool {
    do throws(ExportError) {
      try add(row, done: done)
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Throws the failure, if there was one.
  func check() throws(ExportError) {
    if let failure { throw failure }
  }
}
