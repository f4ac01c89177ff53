internal import LMDB

/// The log as it was at one commit, whatever is appended meanwhile.
///
/// May move between threads but is used by one at a time. Pages that it sees are not reused while
/// it is held: keep it short, or ``reset()`` it between questions and ``renew()`` it for the next,
/// which takes no lock and no allocation.
public struct LogSnapshot: ~Copyable {
  private var transaction: ReadTransaction
  private let tables: LogTables

  init(_ transaction: consuming ReadTransaction, _ tables: LogTables) {
    self.transaction = transaction
    self.tables = tables
  }

  /// What the snapshot holds.
  ///
  /// - Complexity: O(1).
  public var view: LogView {
    @_lifetime(borrow self)
    get throws(LedgerError) { try LogView(transaction.view, tables) }
  }

  /// The number of the commit that it shows; the same number means the same content.
  public var commit: Int { transaction.id }

  /// Lets the snapshot go and keeps its place among the readers.
  public mutating func reset() { transaction.reset() }

  /// Takes the newest snapshot.
  ///
  /// - Complexity: O(1), no lock and no allocation.
  public mutating func renew() throws(LedgerError) {
    do throws(LMDBError) { try transaction.renew() } catch { throw LedgerError(error) }
  }
}

extension EventLog {
  /// Takes a snapshot of the log.
  ///
  /// - Complexity: O(1); hold on to one that is used often and renew it.
  public func snapshot() throws(LedgerError) -> LogSnapshot {
    do throws(LMDBError) { return LogSnapshot(try environment.beginRead(), tables) } catch {
      throw LedgerError(error)
    }
  }

  /// Reads in one snapshot.
  public func read<Value: ~Copyable>(
    _ body: (LogView) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    let snapshot = try snapshot()
    return try body(try snapshot.view)
  }

  /// The position of the newest event.
  public func lastPosition() throws(LedgerError) -> UInt64 {
    try read { (view) throws(LedgerError) in view.lastPosition }
  }

  /// Makes another key file the ledger's own, from the next opening on.
  ///
  /// - Complexity: one durable commit.
  package func setKeys(_ head: KeyFileHead) throws(LedgerError) {
    do throws(LMDBError) {
      var transaction = try environment.beginWrite()
      try LogIdentity.put(.keys, head.digest, tables, &transaction)
      try transaction.commit()
    } catch {
      throw LedgerError(error)
    }
  }

  /// Makes `generation` the live one of the projections.
  ///
  /// - Complexity: one durable commit.
  @available(*, noasync, message: "waits for the log's lock")
  public func setGeneration(_ generation: UInt64) throws(LedgerError) {
    do throws(LMDBError) {
      var transaction = try environment.beginWrite()
      try LogIdentity.put(
        .generation, [UInt8](bigEndianWord: generation), tables, &transaction)
      try transaction.commit()
    } catch {
      throw LedgerError(error)
    }
  }
}
