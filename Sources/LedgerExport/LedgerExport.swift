internal import LedgerEvents
internal import LedgerModel
public import LedgerStore
internal import WorkThreads

/// An export of a ledger. It is written to a hidden file, read back and compared with the ledger,
/// and only then gets its name.
///
/// ```swift
/// let export = LedgerExport(ledger, question, to: "march.csv")
/// let summary = try export.write { _ in }
/// try export.publish(replacing: false)
/// ```
///
/// Between the two steps, you can record the export in the ledger, so that no file exists without a
/// record of it. To give up, call ``discard()``.
public struct LedgerExport {
  /// The progress, for people.
  public struct Progress: Sendable {
    /// The current step.
    public enum Phase: Sendable {
      /// Rows of this table are made, and perhaps rows of other tables together with them. What is
      /// done are the events of which every table has its rows.
      case reading(ExportTable)
      case checking
    }

    public var phase: Phase
    public var done: UInt64
    public var total: UInt64
  }

  private let ledger: Ledger
  private let question: ExportQuestion
  private let file: ExportFile

  /// - Throws: ``ExportError``, `file` if nothing can be written beside `path`.
  public init(
    _ ledger: Ledger, _ question: ExportQuestion, to path: String
  ) throws(ExportError) {
    precondition(
      question.format == .sqlite || question.tables.count == 1, "a text file has one table")
    self.ledger = ledger
    self.question = question
    file = try ExportFile(path)
  }

  /// Writes the hidden file, reads it back, and compares counts and totals.
  ///
  /// - Parameter progress: Called now and then, on one thread at a time, though not always on the
  ///   same. Return false to stop.
  /// - Complexity: O(*n*) in the events; memory for a page of them, and for one unit.
  /// - Throws: ``ExportError`` or `LedgerError`. Nothing is left behind then.
  public func write(
    _ progress: @escaping @Sendable (Progress) -> Bool
  ) throws -> ExportSummary {
    let progress = ExportProgress(progress)
    do {
      let writer = try writer()
      let source = try ExportSource(ledger, question)
      for table in question.tables { try writer.begin(table) }
      let totals = try source.write(question.tables, to: writer, progress)
      try writer.end(source.facts(totals))
      try file.synchronize()
      let (bytes, digest) = try examined { () throws(ExportError) in
        try check(totals, progress)
      }
      return ExportSummary(position: source.end, totals: totals, bytes: bytes, digest: digest)
    } catch {
      discard()
      throw error
    }
  }

  /// Gives the complete file its name.
  ///
  /// - Throws: ``ExportError``: `exists` if there is a file that may not be replaced.
  public func publish(replacing: Bool) throws(ExportError) {
    do { try file.publish(replacing: replacing) } catch {
      discard()
      throw error
    }
  }

  /// Removes what was written, if it has no name yet.
  public func discard() { file.discard() }

  private func writer() throws(ExportError) -> any RowWriter {
    switch question.format {
    case .jsonl: try JSONLinesWriter(file.partial)
    case .csv: try CSVWriter(file.partial)
    case .sqlite: try SQLiteWriter(file.partial)
    }
  }

  private func reader() throws(ExportError) -> any RowReader {
    switch question.format {
    case .jsonl: JSONLinesReader(path: file.partial)
    case .csv: CSVReader(path: file.partial)
    case .sqlite: try SQLiteReader(path: file.partial)
    }
  }

  /// The size and the digest of the file. They are found, and SQLite checks its file, while `body`
  /// runs.
  private func examined(
    while body: () throws(ExportError) -> Void
  ) throws(ExportError) -> (bytes: Int, digest: String) {
    let (file, format) = (file, question.format)
    let work = ConcurrentWork.begin(1) { _ in
      Result { () throws(ExportError) in
        if format == .sqlite { try SQLiteReader(path: file.partial).checkIntegrity() }
        return try file.measure()
      }
    }
    do throws(ExportError) { try body() } catch {
      work.abandon()
      throw error
    }
    return try work.results()[0].get()
  }

  private func check(
    _ totals: [(table: ExportTable, totals: ControlTotals)], _ progress: ExportProgress
  ) throws(ExportError) {
    let reader = try reader()
    let rows = totals.reduce(0) { $0 + $1.totals.rows }
    var done = 0
    for (table, expected) in totals {
      var found = ControlTotals(of: table)
      try reader.read(table) { (row) throws(ExportError) in
        try found.add(row)
        done += 1
        try progress.reportChecked(rows: done, of: rows)
      }
      if let difference = expected.difference(from: found) {
        throw ExportError(
          .mismatch, "The table \(table.rawValue) was not written right: \(difference).")
      }
    }
  }
}
