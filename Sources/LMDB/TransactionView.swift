internal import CLMDB

/// What a transaction sees: the reading operations that read and write transactions share.
///
/// A view is one pointer. Use it as a parameter of code that reads in either kind of transaction.
/// It cannot outlive its transaction, and a write transaction cannot write while a view, a cursor
/// or a span of it is in use.
@safe
public struct TransactionView: ~Escapable {
  let handle: OpaquePointer
  let environment: UInt32

  // SAFETY: a view is created by an open transaction, on whose borrow it depends.
  @_lifetime(borrow transaction)
  init<Transaction: ~Copyable & ~Escapable>(
    handle: OpaquePointer, environment: UInt32, borrowing transaction: borrowing Transaction
  ) {
    unsafe self.handle = handle
    self.environment = environment
  }

  /// Returns the value of `key` in `table`, or `nil`. It is borrowed from the page, not copied.
  ///
  /// - Complexity: O(log *n*) in the number of keys; no allocation.
  /// - Throws: ``LMDBError`` if the key is empty or has more than 511 bytes, or the file is
  ///   damaged.
  @_lifetime(copy self)
  public func get(_ table: Table, _ key: Span<UInt8>) throws(LMDBError) -> Span<UInt8>? {
    let value = try unsafe find(table, key)
    guard let value = unsafe value else { return nil }
    // SAFETY: the value is in a page that does not change while the transaction is borrowed, and
    // the span depends on that borrow.
    return unsafe _overrideLifetime(Span(_unsafeElements: value), copying: self)
  }

  /// Returns the value of the 8-byte big-endian key `key` in `table`, or `nil`.
  ///
  /// - Complexity: O(log *n*) in the number of keys; no allocation.
  /// - Throws: ``LMDBError`` if the file is damaged.
  @_lifetime(copy self)
  public func get(_ table: Table, _ key: UInt64) throws(LMDBError) -> Span<UInt8>? {
    let bytes = bigEndianKey(key)
    let value = try unsafe find(table, bytes.span)
    guard let value = unsafe value else { return nil }
    // SAFETY: as above: the value is in a page, not in the key.
    return unsafe _overrideLifetime(Span(_unsafeElements: value), copying: self)
  }

  /// Returns whether `table` has `key`.
  public func contains(_ table: Table, _ key: Span<UInt8>) throws(LMDBError) -> Bool {
    let value = try unsafe find(table, key)
    return unsafe value != nil
  }

  /// Returns a cursor over `table`, before its first entry.
  ///
  /// - Complexity: O(1), one allocation by LMDB.
  @_lifetime(copy self)
  public func cursor(_ table: Table) throws(LMDBError) -> Cursor {
    check(table)
    // SAFETY: the cursor depends on what this view depends on: the transaction's borrow.
    return unsafe _overrideLifetime(try Cursor(transaction: handle, table), copying: self)
  }

  /// Returns the numbers of keys and pages of `table`.
  ///
  /// - Complexity: O(1).
  public func statistics(_ table: Table) throws(LMDBError) -> TableStatistics {
    check(table)
    var stat = MDB_stat()
    // SAFETY: the transaction is open; LMDB fills the structure it is given.
    let status = unsafe mdb_stat(handle, table.number, &stat)
    guard status == 0 else { throw readFailure(status, "stat") }
    return TableStatistics(stat)
  }

  @inline(__always)
  func check(_ table: Table) {
    precondition(table.environment == environment, "the table is of another environment")
  }

  @inline(__always)
  private func find(
    _ table: Table, _ key: Span<UInt8>
  ) throws(LMDBError) -> UnsafeBufferPointer<UInt8>? {
    check(table)
    var value = unsafe MDB_val()
    // SAFETY: LMDB reads the key only during the call, and returns where the value is.
    let status = unsafe key.withUnsafeBytes { bytes in
      var key = unsafe MDB_val(bytes)
      return unsafe mdb_get(handle, table.number, &key, &value)
    }
    if status == MDB_SUCCESS { return unsafe value.bytes }
    if status == MDB_NOTFOUND { return nil }
    throw readFailure(status, "get")
  }
}

/// Explains a failed read.
@inline(never)
func readFailure(_ status: Int32, _ operation: String) -> LMDBError {
  if status == MDB_BAD_VALSIZE { return LMDBError(.keySize, operation: operation) }
  if status == invalidArgument {
    return LMDBError(
      .badArgument, operation: operation,
      message: "The table was opened after the transaction began: begin another.",
      cause: status)
  }
  return LMDBError(status: status, operation: operation)
}
