import Foundation
import GRDB
import LedgerAnswers
import LedgerEvents
import LedgerHistories
import LedgerQueries
import Synchronization
import Testing

@testable import LedgerExport

/// A ledger of a random history, and a folder for exports.
final class ExportedLedger {
  let folder: String
  let ledger: Ledger

  init(seed: UInt64, count: Int = 80) throws {
    folder = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    ledger = try Ledger.create(at: folder + "/ledger")
    try append(Histories.dense(seed: seed, count: count))
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: folder) } catch { print("left \(folder)") }
  }

  func append(_ events: [RecordedEvent]) throws {
    let batch = events.map { recorded in
      EventInput(event: recorded.event, position: 1, recordedAt: recorded.recordedAt)
    }
    try ledger.appendAndWait(batch, options: AppendOptions(trustsRecordedAt: true))
  }

  func path(_ name: String) -> String { folder + "/" + name }

  /// Returns the names in the folder, without the ledger's.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "ledger" }.sorted()
  }

  func question(_ format: ExportFormat, _ tables: [ExportTable]) -> ExportQuestion {
    ExportQuestion(format, tables, now: Instant(microseconds: 1_800_000_000_000_000))
  }

  @discardableResult
  func export(_ question: ExportQuestion, to name: String) throws -> ExportSummary {
    let export = try LedgerExport(ledger, question, to: path(name))
    let summary = try export.write { _ in true }
    try export.publish(replacing: false)
    return summary
  }
}

@Suite("Exports") struct ExportTests {
  @Test("say the same of every table in all formats", arguments: [1, 2, 3] as [UInt64])
  func formats(_ seed: UInt64) throws {
    let exported = try ExportedLedger(seed: seed)
    let whole = try exported.export(
      exported.question(.sqlite, ExportTable.allCases), to: "all.sqlite")
    for (table, totals) in whole.totals {
      for format in [ExportFormat.csv, .jsonl] {
        let one = try exported.export(
          exported.question(format, [table]), to: "\(table.rawValue).\(format.rawValue)")
        #expect(one.totals[0].totals == totals, "\(table.rawValue) as \(format.rawValue)")
      }
      let cells = try rows(CSVReader(path: exported.path("\(table.rawValue).csv")), table)
      #expect(cells.count == totals.rows)
      let stored = try DatabaseQueue(path: exported.path("all.sqlite")).read { database in
        try Row.fetchAll(database, sql: "SELECT * FROM \(table.rawValue)")
      }
      #expect(stored.count == cells.count)
      for (row, expected) in zip(stored, cells) {
        #expect(Array(row.columnNames) == table.columns.map(\.name))
        #expect(row.databaseValues.map(text) == expected.map(text))
      }
    }
  }

  private func rows(_ reader: any RowReader, _ table: ExportTable) throws -> [[ExportCell]] {
    var rows: [[ExportCell]] = []
    try reader.read(table) { row in rows.append(row) }
    return rows
  }

  private func text(_ value: DatabaseValue) -> String? {
    switch value.storage {
    case .null: nil
    case .int64(let number): "\(number)"
    case .double(let number): "a float: \(number)"
    case .string(let text): text
    case .blob(let data): String(decoding: data, as: UTF8.self)
    }
  }

  private func text(_ cell: ExportCell) -> String? {
    switch cell {
    case .absent: nil
    case .integer(let number): "\(number)"
    case .boolean(let value): value ? "1" : "0"
    case .decimal(let number): number.text
    case .text(let text), .json(let text): text
    }
  }

  @Test("of events can be appended to another ledger, field for field") func roundTrip() throws {
    let exported = try ExportedLedger(seed: 11)
    try exported.export(exported.question(.jsonl, [.events]), to: "events.jsonl")
    let lines = try String(contentsOfFile: exported.path("events.jsonl"), encoding: .utf8)
      .split(separator: "\n")
    let other = try ExportedLedger(seed: 11, count: 0)
    let inputs = try lines.map { try EventDecoder().decode(line: Array($0.utf8)) }
    try other.ledger.appendAndWait(inputs, options: AppendOptions(trustsRecordedAt: true))
    try other.export(other.question(.jsonl, [.events]), to: "again.jsonl")
    #expect(
      FileManager.default.contentsEqual(
        atPath: exported.path("events.jsonl"), andPath: other.path("again.jsonl")))
  }

  @Test("of events with much data have every one of them", arguments: ExportFormat.allCases)
  func muchData(_ format: ExportFormat) throws {
    let exported = try ExportedLedger(seed: 1, count: 0)
    let events = (1...20).map { number -> RecordedEvent in
      let moment = Instant(microseconds: 1_750_000_000_000_000 + Int64(number))
      let text = String(repeating: "\(number % 10)", count: 600_000)
      let data = EventData(members: [.init(name: "note", json: Array("\"\(text)\"".utf8))])
      let event = Event(
        id: Name("e\(number)"), type: EventType(.transactionPurchased), occurredAt: moment,
        product: "book", transaction: Name("t\(number)"), data: data)
      return RecordedEvent(position: UInt64(number), recordedAt: moment, event: event)
    }
    for event in events { try exported.append([event]) }
    let summary = try exported.export(exported.question(format, [.events]), to: "large")
    #expect(summary.totals[0].totals.rows == 20)
    #expect(summary.totals[0].totals.sums == ["position": ExactDecimal(integer: 210)])
    #expect(summary.bytes > 20 * 600_000)
  }

  @Test("as of a position are those of the ledger that was stopped there") func asOf() throws {
    let events = Histories.dense(seed: 21, count: 60)
    let whole = try ExportedLedger(seed: 21, count: 60)
    let stopped = try ExportedLedger(seed: 21, count: 0)
    try stopped.append(Array(events[..<35]))
    for table in ExportTable.allCases {
      var question = whole.question(.csv, [table])
      question.clocks = Clocks(asOf: .position(35))
      let cut = try whole.export(question, to: "\(table.rawValue).csv")
      #expect(cut.position == 35)
      try stopped.export(stopped.question(.csv, [table]), to: "\(table.rawValue).csv")
      let lines = [whole, stopped].map { ledger in
        (try? String(contentsOfFile: ledger.path("\(table.rawValue).csv"), encoding: .utf8))?
          .split(separator: "\r\n").sorted()
      }
      #expect(lines[0] == lines[1], "\(table.rawValue)")
    }
  }

  @Test("that are stopped, or fail, leave nothing") func stopped() throws {
    let exported = try ExportedLedger(seed: 3, count: 1_200)
    let export = try LedgerExport(
      exported.ledger, exported.question(.csv, [.events]), to: exported.path("events.csv"))
    #expect(throws: ExportError.self) { try export.write { _ in false } }
    #expect(try exported.names() == [])
  }

  @Test("to SQLite that are stopped leave nothing, whatever SQLite still had to write")
  func stoppedSQLite() throws {
    let exported = try ExportedLedger(seed: 3, count: 1_200)
    let export = try LedgerExport(
      exported.ledger, exported.question(.sqlite, ExportTable.allCases),
      to: exported.path("all.sqlite"))
    #expect(throws: ExportError.self) { try export.write { _ in false } }
    #expect(try exported.names() == [])
  }

  @Test("report what SQLite could not write, though it writes on a thread of its own")
  func refusedBySQLite() throws {
    let exported = try ExportedLedger(seed: 6, count: 10)
    let writer = try SQLiteWriter(exported.path("refused.sqlite"))
    try writer.begin(.balances)
    try writer.add(
      [.text("production"), .text("ada"), .text("coins"), .text("no number")], to: .balances,
      event: nil)
    let error = #expect(throws: ExportError.self) {
      try writer.end(.balances)
      try writer.end(ExportFacts())
    }
    #expect(error?.code == .file)
  }

  @Test("say why they failed, on whichever thread, and not that the others were stopped")
  func failedBeside() throws {
    let exported = try ExportedLedger(seed: 7, count: 2_500)
    let question = exported.question(.sqlite, ExportTable.allCases)
    for table in [ExportTable.events, .findings, .accounts, .transactions] {
      let progress = ExportProgress { _ in true }
      let error = #expect(throws: ExportError.self) {
        _ = try ExportSource(exported.ledger, question).write(
          question.tables, to: RefusingWriter(table), progress)
      }
      #expect(error?.message == "no \(table.rawValue)")
      // And the other thread was told to stop.
      #expect(throws: ExportError.self) { try progress.report(rows: 1_000, of: table, 1) }
    }
    // Which thread fails first is luck.
    let stopped = ExportError(.interrupted, "stopped")
    let full = ExportError(.file, "full")
    for failures in [[stopped, full], [full, stopped], [full]] {
      #expect((ExportSource.reason(among: failures) as? ExportError)?.code == .file)
    }
    #expect((ExportSource.reason(among: [stopped, stopped]) as? ExportError)?.code == .interrupted)
    #expect(ExportSource.reason(among: []) == nil)
  }

  /// Takes every row but those of one table.
  private final class RefusingWriter: RowWriter {
    private let refused: ExportTable

    init(_ refused: ExportTable) { self.refused = refused }

    func begin(_ table: ExportTable) throws(ExportError) {}

    func add(
      _ row: [ExportCell], to table: ExportTable, event: RecordedEvent?
    ) throws(ExportError) {
      if table == refused { throw ExportError(.file, "no \(table.rawValue)") }
    }

    func end(_ facts: ExportFacts) throws(ExportError) {}
  }

  @Test("say how far all threads have come, and never less than before") func progress() throws {
    let said = Mutex<[UInt64]>([])
    let progress = ExportProgress { progress in
      said.withLock { $0.append(progress.done) }
      return progress.done < 900
    }
    progress.begin([[.events, .findings], [.accounts]], upTo: 1_000)
    try progress.report(rows: 1_000, of: .events, 500)
    try progress.report(rows: 1_000, of: .accounts, 300)
    try progress.report(rows: 1_500, of: .accounts, 400)
    try progress.report(rows: 2_000, of: .events, 800)
    try progress.report(rows: 1_000, of: .findings, 10)
    progress.end(part: 1)
    try progress.report(rows: 3_000, of: .events, 850)
    #expect(said.withLock { $0 } == [0, 300, 300, 300, 850])
    for done in [950, 960] as [UInt64] {
      let error = #expect(throws: ExportError.self) {
        try progress.report(rows: 4_000, of: .events, done)
      }
      #expect(error?.code == .interrupted)
    }
    // It is not asked again once it said no.
    #expect(said.withLock { $0.count } == 6)
  }

  @Test("never take the place of a file that came meanwhile, unless they are to")
  func existing() throws {
    let exported = try ExportedLedger(seed: 4, count: 20)
    let question = exported.question(.csv, [.events])
    let export = try LedgerExport(exported.ledger, question, to: exported.path("events.csv"))
    _ = try export.write { _ in true }
    try Data("mine".utf8).write(to: URL(fileURLWithPath: exported.path("events.csv")))
    #expect(throws: ExportError.self) { try export.publish(replacing: false) }
    #expect(try String(contentsOfFile: exported.path("events.csv"), encoding: .utf8) == "mine")
    #expect(try exported.names() == ["events.csv"])
    let forced = try LedgerExport(exported.ledger, question, to: exported.path("events.csv"))
    _ = try forced.write { _ in true }
    try forced.publish(replacing: true)
    #expect(try exported.names() == ["events.csv"])
    #expect(try String(contentsOfFile: exported.path("events.csv"), encoding: .utf8) != "mine")
  }

  @Test("that differ from the ledger in a row, a sum or a byte of form are found out")
  func damage() throws {
    let exported = try ExportedLedger(seed: 5, count: 60)
    for (format, table) in [(ExportFormat.csv, ExportTable.postings), (.jsonl, .events)] {
      let name = "table.\(format.rawValue)"
      let summary = try exported.export(exported.question(format, [table]), to: name)
      let whole = try Data(contentsOf: URL(fileURLWithPath: exported.path(name)))
      let lines = whole.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let short = Data(lines.dropLast(2).joined(separator: [UInt8(ascii: "\n")]))
      let damaged = [short, whole.dropLast(1), short + Data("x\r\n".utf8)]
      for data in damaged {
        try data.write(to: URL(fileURLWithPath: exported.path(name)))
        let reader: any RowReader =
          format == .csv
          ? CSVReader(path: exported.path(name)) : JSONLinesReader(path: exported.path(name))
        var found = ControlTotals(of: table)
        do throws(ExportError) {
          try reader.read(table) { (row) throws(ExportError) in try found.add(row) }
          #expect(summary.totals[0].totals.difference(from: found) != nil)
        } catch { #expect(error.code == .mismatch) }
      }
    }
  }
}

@Suite("Comma-separated values") struct CSVTests {
  private func line(_ text: String) -> String {
    String(decoding: CSVText.line([.text(text)]).dropLast(2), as: UTF8.self)
  }

  @Test(
    "guard a spreadsheet against formulas",
    arguments: [
      "=1+1", "+1", "-1", "@SUM(A1)", "\tx", "'quoted", "\rx", "\n=1", "\u{FF1D}1", "\u{FF0B}1",
      "\u{FF0D}1", "\u{FF20}SUM(A1)",
    ])
  func formulas(_ text: String) {
    // A text with the end of a line is in quotes, too.
    #expect(["'\(text)", "\"'\(text)\""].contains(line(text)))
  }

  @Test("leave numbers numbers") func numbers() throws {
    let amount = try #require(ExactDecimal("-4.50"))
    let cells: [ExportCell] = [.integer(-3), .decimal(amount), .boolean(true), .absent, .text("")]
    let line = CSVText.line(cells.map { CSVText.Cell($0) })
    #expect(String(decoding: line, as: UTF8.self) == "-3,-4.50,true,,\"\"\r\n")
  }

  @Test("give back what was written, to the byte") func roundTrip() throws {
    let texts = [
      "", "plain", "a,b", "say \"hello\"", "two\r\nlines", "\n", "=1", "'=1", "''", "\u{0}",
      "ä€😀", "-", "\r=1", " padded ",
    ]
    var parser = CSVParser()
    var fields: [CSVField] = []
    for byte in CSVText.line(texts.map { .text($0) } + [.absent]) {
      if let found = try parser.take(byte) { fields = found }
    }
    let column = ExportColumn("text")
    #expect(fields.map { CSVText.cell($0, of: column) } == texts.map { .text($0) } + [.absent])
    #expect(parser.isBetweenLines)
  }

  @Test(
    "refuse what RFC 4180 does not know", arguments: ["a\"b\r\n", "\"a\"b\r\n", "a\n", "a\rb\r\n"])
  func refused(_ text: String) {
    var parser = CSVParser()
    #expect(throws: ExportError.self) {
      for byte in text.utf8 { _ = try parser.take(byte) }
    }
  }
}
