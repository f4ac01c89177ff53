internal import LMDB

/// The log as it was at one commit, whatever is appended meanwhile.
///
/// It may move between threads, but only one may use it at a time. While it is open, the pages that
/// it sees are not reused. So keep it short, or ``reset()`` it between uses and ``renew()`` it for
/// the next one, which takes no lock and no allocation.
public struct LogSnapshot: ~Copyable {
  private var transaction: ReadTransaction
  private let tables: LogTables

  init(_ transaction: consuming ReadTransaction, _ tables: LogTables) {
    self.transaction = transaction
    self.tables = tables
  }

  /// What the snapshot sees.
  ///
  /// - Complexity: O(1).
  public var view: LogView {
    @_lifetime(borrow self)
    get throws(LedgerError) { try LogView(transaction.view, tables) }
  }

  /// The number of the commit that it shows. Equal numbers mean equal content.
  public var commit: Int { transaction.id }

  /// Releases the snapshot, but keeps its slot among the readers.
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
  /// - Complexity: O(1). If you need one often, keep it and renew it.
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

  /// The number of the newest commit, as ``LogSnapshot/commit`` has it.
  ///
  /// - Complexity: O(1), without a snapshot.
  package func lastCommit() throws(LedgerError) -> Int {
    do throws(LMDBError) { return try environment.lastCommit() } catch { throw LedgerError(error) }
  }

  /// Returns the position of the newest event.
  public func lastPosition() throws(LedgerError) -> UInt64 {
    try read { (view) throws(LedgerError) in view.lastPosition }
  }

  /// Makes another key file that of the ledger, from the next time it is opened.
  ///
  /// - Complexity: One durable commit.
  package func setKeys(_ head: KeyFileHead) throws(LedgerError) {
    do throws(LMDBError) {
      var transaction = try environment.beginWrite()
      try LogIdentity.put(.keys, head.digest, tables, &transaction)
      try transaction.commit()
    } catch {
      throw LedgerError(error)
    }
  }

  /// Makes `generation` the live generation of the projections.
  ///
  /// - Complexity: One durable commit.
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
