internal import CLMDB

/// A snapshot of an environment: what was committed when it began, whatever is written later.
///
/// It ends when it goes out of scope. It may move between threads, but only one may use it at a
/// time. While it is open, the pages that it sees are not reused. So keep it short, or ``reset()``
/// it between uses and ``renew()`` it for the next one, which takes no lock and no allocation.
@safe
public struct ReadTransaction: ~Copyable {
  private let handle: OpaquePointer
  private let environment: Environment
  private let environmentNumber: UInt32
  private let forkGeneration: Int
  private var isActive = true

  init(handle: OpaquePointer, environment: Environment) {
    unsafe self.handle = handle
    self.environment = environment
    environmentNumber = environment.number
    forkGeneration = environment.forkGeneration
  }

  deinit {
    // In a forked child, the reader's slot belongs to the parent: leave it alone.
    guard forkGeneration == currentForkGeneration else { return }
    // SAFETY: the transaction was begun and is ended once.
    unsafe mdb_txn_abort(handle)
    environment.transactionEnded(active: isActive)
  }

  /// What this transaction sees. The transaction must not be reset.
  public var view: TransactionView {
    @_lifetime(borrow self)
    @inline(__always)
    get {
      precondition(isActive, "a transaction that was reset is renewed before it reads")
      return unsafe TransactionView(
        handle: handle, environment: environmentNumber, borrowing: self)
    }
  }

  /// The number of the newest commit in this snapshot.
  public var id: Int {
    // SAFETY: the transaction was begun; after a reset LMDB answers with the old number.
    unsafe mdb_txn_id(handle)
  }

  /// Releases the snapshot, but keeps the reader's slot for ``renew()``.
  ///
  /// - Complexity: O(1), no lock.
  public mutating func reset() {
    guard isActive else { return }
    precondition(forkGeneration == currentForkGeneration, "used after fork()")
    // SAFETY: the transaction is active, and no span of it is alive: this is a mutation.
    unsafe mdb_txn_reset(handle)
    isActive = false
    environment.gate.leave()
  }

  /// Takes the newest snapshot, and releases the previous one.
  ///
  /// - Complexity: O(1), no lock and no allocation.
  /// - Throws: ``LMDBError``: `closed`, `forked`, or `mapResized` if another process enlarged the
  ///   file beyond this map and a transaction of this process prevents remapping.
  public mutating func renew() throws(LMDBError) {
    try environment.refuseIfForked("renew")
    reset()
    try environment.enter("renew")
    // SAFETY: the transaction is reset.
    var status = unsafe mdb_txn_renew(handle)
    if status == MDB_MAP_RESIZED {
      environment.gate.leave()
      try environment.followResize()
      try environment.enter("renew")
      status = unsafe mdb_txn_renew(handle)
    }
    guard status == 0 else {
      environment.gate.leave()
      throw LMDBError(status: status, operation: "renew")
    }
    isActive = true
  }
}

extension ReadTransaction {
  /// Returns the value of `key` in `table`, or `nil`; see
  /// ``TransactionView/get(_:_:)-(_,Span<UInt8>)``.
  ///
  /// - Complexity: O(log *n*) in the number of keys; no allocation.
  @_lifetime(borrow self)
  public func get(_ table: Table, _ key: Span<UInt8>) throws(LMDBError) -> Span<UInt8>? {
    try view.get(table, key)
  }

  /// Returns the value of the 8-byte big-endian key `key` in `table`, or `nil`.
  ///
  /// - Complexity: O(log *n*) in the number of keys; no allocation.
  @_lifetime(borrow self)
  public func get(_ table: Table, _ key: UInt64) throws(LMDBError) -> Span<UInt8>? {
    try view.get(table, key)
  }

  /// Returns whether `table` has `key`.
  ///
  /// - Complexity: O(log *n*) in the number of keys.
  public func contains(_ table: Table, _ key: Span<UInt8>) throws(LMDBError) -> Bool {
    try view.contains(table, key)
  }

  /// Returns a cursor over `table`, before its first entry.
  ///
  /// - Complexity: O(1), one allocation by LMDB.
  @_lifetime(borrow self)
  public func cursor(_ table: Table) throws(LMDBError) -> Cursor {
    try view.cursor(table)
  }

  /// Returns the numbers of keys and pages of `table`.
  ///
  /// - Complexity: O(1).
  public func statistics(_ table: Table) throws(LMDBError) -> TableStatistics {
    try view.statistics(table)
  }
}
