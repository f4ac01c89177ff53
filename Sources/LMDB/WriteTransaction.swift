internal import CLMDB

/// The one write transaction of an environment, across all threads and processes.
///
/// It belongs to the thread that began it. ``commit()`` makes its writes durable and visible at
/// once. ``abort()``, or going out of scope, discards them. Reads inside it see its own writes.
/// Code that writes while a span, a view or a cursor of the transaction is in use does not compile.
@safe
public struct WriteTransaction: ~Copyable, ~Escapable {
  private var handle: OpaquePointer?
  private let environment: Environment
  let open: OpaquePointer

  // The lifetime does not depend on a variable, because Swift 6.3 does not compile a dependence on
  // a stored property of a class. Because the type is nonescapable, it cannot be stored in a
  // property or used in a task that writes. Reads, and the end of the transaction, check that they
  // run on its thread.
  @_lifetime(immortal)
  init(handle: OpaquePointer, environment: Environment) {
    unsafe self.handle = handle
    unsafe open = handle
    self.environment = environment
  }

  deinit {
    guard let handle = unsafe handle, !environment.isForked else { return }
    unsafe environment.abortWriting(handle)
  }

  /// What this transaction sees: the last commit and its own writes.
  public var view: TransactionView {
    @_lifetime(borrow self)
    @inline(__always)
    get {
      environment.checkWriter()
      return unsafe TransactionView(
        handle: open, environment: environment.number, borrowing: self)
    }
  }

  /// The number that the commit will have.
  public var id: Int {
    environment.checkWriter()
    // SAFETY: the transaction is open.
    return unsafe mdb_txn_id(open)
  }

  /// Makes everything visible, and durable as ``Environment/SyncPolicy`` says. By default, it has
  /// reached the disk when this returns.
  ///
  /// - Throws: ``LMDBError``. After `mapFull` or `transactionFull` nothing was written. After
  ///   `system(ENOSPC)` the disk is full, and nothing was committed. After another error of the
  ///   operating system the outcome is unknown, and the environment refuses further writes with
  ///   `environmentFailed`.
  public consuming func commit() throws(LMDBError) {
    try environment.refuseIfForked("commit")
    unsafe handle = nil
    try unsafe environment.commitWriting(open)
  }

  /// Ends the transaction and discards what it wrote.
  public consuming func abort() {}
}

extension WriteTransaction {
  /// Sets the value of `key`, whether the key exists or not.
  ///
  /// - Complexity: O(log *n*). The commit rewrites one page for each level of the tree.
  /// - Throws: ``LMDBError``: `keySize`, `valueSize`, `mapFull`, `transactionFull`.
  public mutating func put(
    _ table: Table, _ key: Span<UInt8>, _ value: Span<UInt8>
  ) throws(LMDBError) {
    _ = try write(table, key, value, flags: 0)
  }

  /// Sets the value of the 8-byte big-endian key `key`.
  ///
  /// - Complexity: O(log *n*).
  /// - Throws: as ``put(_:_:_:)-(_,Span<UInt8>,_)``.
  public mutating func put(
    _ table: Table, _ key: UInt64, _ value: Span<UInt8>
  ) throws(LMDBError) {
    let bytes = bigEndianKey(key)
    _ = try write(table, bytes.span, value, flags: 0)
  }

  /// Sets the value of `key` unless it has one. Returns false if it has.
  ///
  /// - Complexity: O(log *n*).
  /// - Throws: as ``put(_:_:_:)-(_,Span<UInt8>,_)``.
  public mutating func insert(
    _ table: Table, _ key: Span<UInt8>, _ value: Span<UInt8>
  ) throws(LMDBError) -> Bool {
    try write(table, key, value, flags: UInt32(MDB_NOOVERWRITE))
  }

  /// Adds an entry after the last one of the table.
  ///
  /// - Complexity: O(log *n*); pages are left full.
  /// - Throws: ``LMDBError``: `outOfOrder` if `key` is not greater than the table's last key;
  ///   otherwise as ``put(_:_:_:)-(_,Span<UInt8>,_)``.
  public mutating func append(
    _ table: Table, _ key: Span<UInt8>, _ value: Span<UInt8>
  ) throws(LMDBError) {
    let appended = try write(table, key, value, flags: UInt32(MDB_APPEND))
    guard appended else { throw LMDBError(.outOfOrder, operation: "append") }
  }

  /// Adds an entry with the 8-byte big-endian key `key` after the last one.
  ///
  /// - Complexity: O(log *n*); pages are left full.
  /// - Throws: as ``append(_:_:_:)-(_,Span<UInt8>,_)``.
  public mutating func append(
    _ table: Table, _ key: UInt64, _ value: Span<UInt8>
  ) throws(LMDBError) {
    let bytes = bigEndianKey(key)
    try append(table, bytes.span, value)
  }

  /// Reserves space for a value of `byteCount` bytes and lets `body` write it in the page.
  ///
  /// The bytes are initially zero. If `body` throws, the entry keeps what was written so far, so
  /// let the error end the transaction.
  ///
  /// - Complexity: O(log *n* + `byteCount`).
  /// - Throws: as ``put(_:_:_:)-(_,Span<UInt8>,_)``, or what `body` throws.
  public mutating func reserve<Failure: LMDBFailure>(
    _ table: Table, _ key: Span<UInt8>, byteCount: Int, appending: Bool = false,
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let bytes: UnsafeMutableBufferPointer<UInt8>
    do throws(LMDBError) {
      unsafe bytes = try room(table, key, byteCount, appending: appending)
    } catch {
      throw Failure(error)
    }
    // SAFETY: the room is in a dirty page of this transaction and is initialized. Nothing else can
    // touch the transaction before `body` returns.
    var span = unsafe MutableSpan(_unsafeElements: bytes)
    try body(&span)
  }

  /// Removes `key` and its value. Returns false if there is none.
  ///
  /// - Complexity: O(log *n*).
  public mutating func delete(_ table: Table, _ key: Span<UInt8>) throws(LMDBError) -> Bool {
    view.check(table)
    // SAFETY: LMDB reads the key only during the call.
    let status = unsafe key.withUnsafeBytes { bytes in
      var key = unsafe MDB_val(bytes)
      return unsafe mdb_del(open, table.number, &key, nil)
    }
    if status == MDB_NOTFOUND { return false }
    guard status == 0 else { throw writeFailure(status, "delete") }
    return true
  }

  /// Removes the 8-byte big-endian key `key` and its value. Returns false if there is none.
  ///
  /// - Complexity: O(log *n*).
  public mutating func delete(_ table: Table, _ key: UInt64) throws(LMDBError) -> Bool {
    let bytes = bigEndianKey(key)
    return try delete(table, bytes.span)
  }

  /// Removes every entry of `table`.
  ///
  /// - Complexity: O(*p*) in the number of its pages.
  public mutating func clear(_ table: Table) throws(LMDBError) {
    view.check(table)
    // SAFETY: the transaction is open; the table's handle stays open.
    let status = unsafe mdb_drop(open, table.number, 0)
    guard status == 0 else { throw writeFailure(status, "clear") }
  }

  /// Returns false if the key exists and the flags forbid that.
  private mutating func write(
    _ table: Table, _ key: Span<UInt8>, _ value: Span<UInt8>, flags: UInt32
  ) throws(LMDBError) -> Bool {
    view.check(table)
    guard value.count <= valueSizeBytesMax else {
      throw LMDBError(.valueSize, operation: "put")
    }
    // SAFETY: LMDB copies key and value during the call.
    let status = unsafe key.withUnsafeBytes { keyBytes in
      unsafe value.withUnsafeBytes { valueBytes in
        var key = unsafe MDB_val(keyBytes)
        var value = unsafe MDB_val(valueBytes)
        return unsafe mdb_put(open, table.number, &key, &value, flags)
      }
    }
    if status == MDB_SUCCESS { return true }
    if status == MDB_KEYEXIST { return false }
    throw writeFailure(status, "put")
  }

  private mutating func room(
    _ table: Table, _ key: Span<UInt8>, _ byteCount: Int, appending: Bool
  ) throws(LMDBError) -> UnsafeMutableBufferPointer<UInt8> {
    view.check(table)
    guard 0...valueSizeBytesMax ~= byteCount else {
      throw LMDBError(.valueSize, operation: "reserve")
    }
    let flags = UInt32(MDB_RESERVE) | (appending ? UInt32(MDB_APPEND) : 0)
    var value = unsafe MDB_val(mv_size: byteCount, mv_data: nil)
    // SAFETY: LMDB copies the key during the call and returns where the room is.
    let status = unsafe key.withUnsafeBytes { bytes in
      var key = unsafe MDB_val(bytes)
      return unsafe mdb_put(open, table.number, &key, &value, flags)
    }
    if status == MDB_KEYEXIST { throw LMDBError(.outOfOrder, operation: "reserve") }
    guard status == 0, let start = unsafe value.mv_data else {
      throw writeFailure(status, "reserve")
    }
    let bytes = unsafe UnsafeMutableBufferPointer(
      start: start.bindMemory(to: UInt8.self, capacity: byteCount), count: byteCount)
    // Former content of the page must not reach the disk again under this key.
    unsafe bytes.update(repeating: 0)
    return unsafe bytes
  }
}

extension WriteTransaction {
  /// Returns the value of `key` in `table` as this transaction sees it, or `nil`.
  ///
  /// - Complexity: O(log *n*) in the number of keys; no allocation.
  @_lifetime(borrow self)
  public func get(_ table: Table, _ key: Span<UInt8>) throws(LMDBError) -> Span<UInt8>? {
    try view.get(table, key)
  }

  /// Returns the value of the 8-byte big-endian key `key` as this transaction sees it, or `nil`.
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

  /// Returns a cursor over `table`, before its first entry. You cannot write while the cursor
  /// exists.
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

/// Explains a failed write.
@inline(never)
func writeFailure(_ status: Int32, _ operation: String) -> LMDBError {
  if status == Int32(13) {
    return LMDBError(.readOnly, operation: operation, cause: status)
  }
  return readFailure(status, operation)
}
