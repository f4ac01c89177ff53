internal import LMDB
public import LedgerEvents

extension EventLog {
  /// Verifies the whole log as it is now: each record's checksum and format, positions and names
  /// without gaps, each node of the tree, each commitment to personal data, and that no id or
  /// living name occurs twice.
  ///
  /// If the key file is damaged, the log is verified without it, and that is reported as one fault.
  ///
  /// - Parameters:
  ///   - position: Events up to this position are not read. The root that the tree has for them is
  ///     taken to be right (``storedRoot(at:)``). Ids and names are compared only among those that
  ///     follow. 0 verifies the whole log.
  ///   - progress: Called from time to time with the position reached and the last position.
  /// - Returns: What was found.
  /// - Complexity: O(*n* log *n*) in the events after `position`, about a microsecond and eight
  ///   bytes of memory per event. A snapshot is open meanwhile.
  /// - Throws: ``LedgerError`` if verification cannot begin: `notFound` if the log is shorter than
  ///   `position`.
  public func verify(
    since position: UInt64 = 0,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LedgerError) -> LogVerification {
    // The root is read before the snapshot is taken, so that the snapshot is not behind it.
    var beside: [LogFault] = []
    var kept: KeptRoot?
    do throws(LedgerError) { kept = try roots.kept() } catch {
      beside.append(LogFault(.root, "the file of the last root cannot be read: \(error)"))
    }
    beside += try unknownTables()
    return try read { (view) throws(LedgerError) in
      guard position <= view.lastPosition else {
        throw LedgerError(
          .notFound,
          "The log has \(view.lastPosition.counted("event")), and nothing follows \(position).",
          position: position)
      }
      var verifier = LogVerifier(
        identity.keyHash, events: view.lastPosition - position, kept: kept)
      for fault in beside { verifier.report(fault) }
      guard verifier.begin(after: position, view) else { return verifier.nothingRead }
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

  /// Returns the root that was kept beside the log last; `nil` if there is none.
  ///
  /// - Throws: ``LedgerError``: `corrupt` if the file is damaged, `io`.
  package func keptRoot() throws(LedgerError) -> KeptRoot? { try roots.kept() }

  /// Waits until the root that was kept after the last commit of this process is on the disk.
  ///
  /// - Throws: ``LedgerError``: `io`.
  package func syncRoot() throws(LedgerError) { try roots.sync() }

  /// Returns the size of the log.
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

  /// Returns how much memory this process's writer uses for entries that its index does not contain
  /// yet.
  package func tailSize() -> (entries: Int, bytes: Int) { writer.tailSize() }
}

/// The size of a log.
public struct LogStatistics: Sendable {
  /// The size of one table.
  public struct TableSize: Sendable {
    public let name: String
    public let entries: Int
    /// The size of its pages in bytes, including their unused ends.
    public let byteCount: Int
  }

  public let lastPosition: UInt64
  public let lastNameNumber: NameNumber
  public let tables: [TableSize]

  /// The size of all tables in bytes.
  public var byteCount: Int { tables.reduce(0) { $0 + $1.byteCount } }
}
