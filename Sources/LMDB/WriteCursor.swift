internal import CLMDB

/// A place in a table of a write transaction, at which entries are written and removed.
///
/// While it exists the transaction is its own: nothing else reads or writes in it. The spans that
/// it lends must be gone before it moves or writes.
@safe
public struct WriteCursor: ~Copyable, ~Escapable {
  private var cursor: Cursor

  @_lifetime(copy cursor)
  init(_ cursor: consuming Cursor) { self.cursor = cursor }

  /// Whether the cursor is at an entry, so that you may read ``key`` and ``value``.
  public var isAtEntry: Bool { cursor.isAtEntry }

  /// The key at the cursor.
  public var key: Span<UInt8> {
    @_lifetime(borrow self)
    get { cursor.key }
  }

  /// The value at the cursor.
  public var value: Span<UInt8> {
    @_lifetime(borrow self)
    get { cursor.value }
  }

  /// Moves to the first entry; false if the table is empty.
  ///
  /// - Complexity: O(log *n*).
  public mutating func first() throws(LMDBError) -> Bool { try cursor.first() }

  /// Moves to the last entry; false if the table is empty.
  ///
  /// - Complexity: O(log *n*).
  public mutating func last() throws(LMDBError) -> Bool { try cursor.last() }

  /// Moves to the next entry, or to the first if the cursor is new; false after the last.
  ///
  /// - Complexity: O(1) amortized.
  public mutating func next() throws(LMDBError) -> Bool { try cursor.next() }

  /// Moves to the previous entry; false before the first.
  ///
  /// - Complexity: O(1) amortized.
  public mutating func previous() throws(LMDBError) -> Bool { try cursor.previous() }

  /// Moves to the first entry whose key is not less than `key`; false if there is none.
  ///
  /// - Complexity: O(log *n*).
  public mutating func seek(_ key: Span<UInt8>) throws(LMDBError) -> Bool {
    try cursor.seek(key)
  }

  /// Moves to the first entry whose 8-byte big-endian key is not less than `key`.
  ///
  /// - Complexity: O(log *n*).
  public mutating func seek(_ key: UInt64) throws(LMDBError) -> Bool { try cursor.seek(key) }

  /// Moves to the entry of `key`; false if there is none.
  ///
  /// - Complexity: O(log *n*).
  public mutating func find(_ key: Span<UInt8>) throws(LMDBError) -> Bool {
    try cursor.find(key)
  }

  /// Sets the value of `key` and moves there. This is fast if the cursor is near.
  ///
  /// - Complexity: O(log *n*).
  /// - Throws: as ``WriteTransaction/put(_:_:_:)-(_,Span<UInt8>,_)``.
  public mutating func put(
    _ key: Span<UInt8>, _ value: Span<UInt8>
  ) throws(LMDBError) {
    _ = try cursor.write(key, value, flags: 0)
  }

  /// Adds an entry after the last one and moves there.
  ///
  /// - Complexity: O(log *n*); pages are left full.
  /// - Throws: ``LMDBError``: `outOfOrder` when `key` is not greater than the table's last.
  public mutating func append(
    _ key: Span<UInt8>, _ value: Span<UInt8>
  ) throws(LMDBError) {
    let appended = try cursor.write(key, value, flags: UInt32(MDB_APPEND))
    guard appended else { throw LMDBError(.outOfOrder, operation: "append") }
  }

  /// Adds an entry with the 8-byte big-endian key `key` after the last one and moves there.
  ///
  /// - Complexity: O(log *n*); pages are left full.
  /// - Throws: as ``append(_:_:)-(Span<UInt8>,_)``.
  public mutating func append(
    _ key: UInt64, _ value: Span<UInt8>
  ) throws(LMDBError) {
    let bytes = bigEndianKey(key)
    try append(bytes.span, value)
  }

  /// Removes the entry at the cursor. The next move goes to its neighbour.
  ///
  /// - Complexity: O(log *n*).
  public mutating func delete() throws(LMDBError) {
    precondition(isAtEntry, "the cursor stands at no entry")
    try cursor.delete()
  }
}

extension WriteTransaction {
  /// A cursor over `table` that can write, before its first entry.
  ///
  /// - Complexity: O(1), one allocation by LMDB.
  @_lifetime(&self)
  public mutating func writeCursor(_ table: Table) throws(LMDBError) -> WriteCursor {
    view.check(table)
    let cursor = try unsafe Cursor(transaction: open, table)
    // SAFETY: the cursor holds this transaction exclusively as long as it lives.
    return unsafe _overrideLifetime(WriteCursor(cursor), mutating: &self)
  }
}

extension Cursor {
  /// False when the key exists, or is less than another, and the flags forbid that.
  fileprivate mutating func write(
    _ key: Span<UInt8>, _ value: Span<UInt8>, flags: UInt32
  ) throws(LMDBError) -> Bool {
    guard value.count <= valueSizeBytesMax else {
      throw LMDBError(.valueSize, operation: "put")
    }
    let handle = unsafe handle
    // SAFETY: LMDB copies key and value during the call.
    let status = unsafe key.withUnsafeBytes { keyBytes in
      unsafe value.withUnsafeBytes { valueBytes in
        var key = unsafe MDB_val(keyBytes)
        var value = unsafe MDB_val(valueBytes)
        return unsafe mdb_cursor_put(handle, &key, &value, flags)
      }
    }
    if status == MDB_KEYEXIST {
      leave()
      return false
    }
    guard status == 0 else { throw readFailure(status, "put") }
    // The cursor stands at the entry that was written; what it pointed to before may have moved.
    return try refresh()
  }

  fileprivate mutating func delete() throws(LMDBError) {
    // SAFETY: the cursor and its transaction are open, and no span of it is alive.
    let status = unsafe mdb_cursor_del(handle, 0)
    leave()
    guard status == 0 else { throw readFailure(status, "delete") }
  }
}
