internal import LMDB
public import LedgerEvents

extension EventLog {
  /// Looks through the whole log as it is now: every record's checksum and format, positions and
  /// names without gaps, every node of the tree, every commitment to personal data, and that each
  /// id and each living name is there once.
  ///
  /// If the key file is damaged, the log is looked through without it, which is one fault of the
  /// keys.
  ///
  /// - Parameters:
  ///   - position: What stands up to here is not read: its root, as the tree has it, is taken for
  ///     right (``storedRoot(at:)``). Ids and names are compared among what follows. 0 for the
  ///     whole log.
  ///   - progress: Called now and then with the events looked at and their number.
  /// - Complexity: O(*n* log *n*) in the events behind `position`, about a microsecond and eight
  ///   bytes of memory an event; a snapshot is held meanwhile.
  /// - Throws: ``LedgerError`` where it cannot begin: `notFound` if the log is shorter than
  ///   `position`. What it finds is in the result.
  public func verify(
    since position: UInt64 = 0,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LedgerError) -> LogVerification {
    // Read before the snapshot is taken, so that the log is not behind it by an append meanwhile.
    var beside: [LogFault] = []
    var kept: KeptRoot?
    do throws(LedgerError) { kept = try roots.kept() } catch {
      beside.append(LogFault(.root, "the file of the last root cannot be read: \(error)"))
    }
    beside += try unknownTables()
    return try read { (view) throws(LedgerError) in
      guard position <= view.lastPosition else {
        throw LedgerError(
          .notFound, "The log has \(view.lastPosition) events, and nothing follows \(position).",
          position: position)
      }
      var verifier = LogVerifier(
        identity.keyHash, events: view.lastPosition - position, kept: kept)
      for fault in beside { verifier.report(fault) }
      guard verifier.begin(behind: position, view) else { return verifier.nothingRead }
      return verifier.verify(
        view,
        erasedSince: { () throws(LedgerError) in
          try read { (view) throws(LedgerError) in Set(try view.erasedSlots().map(\.slot)) }
        }, progress: progress)
    }
  }

  /// Tables that a log does not have, each as a fault.
  func unknownTables() throws(LedgerError) -> [LogFault] {
    let known = Set(tables.all.map { Array($0.name.utf8) })
    do throws(LMDBError) {
      return try environment.tableNames().filter { !known.contains($0) }.map { name in
        LogFault(
          .table, "the log has a table \(String(decoding: name, as: UTF8.self)), which is not known"
        )
      }
    } catch { throw LedgerError(error) }
  }

  /// Waits until the root that was kept after the last commit of this process is on the disk.
  ///
  /// - Throws: ``LedgerError``: `io`.
  package func syncRoot() throws(LedgerError) { try roots.sync() }

  /// How large the log is.
  ///
  /// - Complexity: O(1).
  public func statistics() throws(LedgerError) -> LogStatistics {
    try read { (view) throws(LedgerError) in
      var tables: [LogStatistics.TableSize] = []
      do throws(LMDBError) {
        for (name, table) in self.tables.all {
          let size = try view.view.statistics(table)
          tables.append(
            LogStatistics.TableSize(
              name: name, entries: size.entries, byteCount: size.byteCount))
        }
      } catch {
        throw LedgerError(error)
      }
      return LogStatistics(
        lastPosition: view.lastPosition, lastNameNumber: try view.lastNameNumber(),
        tables: tables)
    }
  }

  /// How much the writer of this process keeps in memory of what its index does not hold yet.
  package func tailSize() -> (entries: Int, bytes: Int) { writer.tailSize() }
}

/// The size of a log.
public struct LogStatistics: Sendable {
  /// The size of one table.
  public struct TableSize: Sendable {
    public let name: String
    public let entries: Int
    /// Bytes of its pages, the unused ends of pages included.
    public let byteCount: Int
  }

  public let lastPosition: UInt64
  public let lastNameNumber: NameNumber
  public let tables: [TableSize]

  /// Bytes of all tables.
  public var byteCount: Int { tables.reduce(0) { $0 + $1.byteCount } }
}
