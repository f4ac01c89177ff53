internal import CLMDB

/// A position in a table, which moves in the order of the keys.
///
/// A new cursor is before the first entry. The spans that it returns point into the pages. They
/// stay valid as long as the transaction is borrowed, even after the cursor has moved on.
@safe
public struct Cursor: ~Copyable, ~Escapable {
  let handle: OpaquePointer
  private var currentKey = unsafe MDB_val()
  private var currentValue = unsafe MDB_val()

  /// Whether the cursor is at an entry, so that you may read ``key`` and ``value``.
  public private(set) var isAtEntry = false

  /// Opens a cursor. The caller must tie its lifetime to the transaction.
  @_lifetime(immortal)
  @unsafe
  init(transaction: OpaquePointer, _ table: Table) throws(LMDBError) {
    var opened: OpaquePointer?
    // SAFETY: the transaction is open, and the caller guarantees that it outlives the cursor.
    let status = unsafe mdb_cursor_open(transaction, table.number, &opened)
    guard status == 0, let handle = unsafe opened else {
      throw readFailure(status, "open cursor")
    }
    unsafe self.handle = handle
  }

  deinit {
    // SAFETY: the cursor was opened and is closed once, before its transaction ends.
    unsafe mdb_cursor_close(handle)
  }

  /// The key at the cursor.
  public var key: Span<UInt8> {
    @_lifetime(copy self)
    get {
      precondition(isAtEntry, "the cursor stands at no entry")
      // SAFETY: LMDB set the key at the last move; its page lasts as long as the transaction's
      // borrow.
      return unsafe _overrideLifetime(Span(_unsafeElements: currentKey.bytes), copying: self)
    }
  }

  /// The value at the cursor.
  public var value: Span<UInt8> {
    @_lifetime(copy self)
    get {
      precondition(isAtEntry, "the cursor stands at no entry")
      // SAFETY: as for the key.
      return unsafe _overrideLifetime(Span(_unsafeElements: currentValue.bytes), copying: self)
    }
  }

  /// Moves to the first entry; false if the table is empty.
  ///
  /// - Complexity: O(log *n*).
  public mutating func first() throws(LMDBError) -> Bool { try move(MDB_FIRST) }

  /// Moves to the last entry; false if the table is empty.
  ///
  /// - Complexity: O(log *n*).
  public mutating func last() throws(LMDBError) -> Bool { try move(MDB_LAST) }

  /// Moves to the next entry, or to the first if the cursor is new; false after the last.
  ///
  /// - Complexity: O(1) amortized.
  public mutating func next() throws(LMDBError) -> Bool { try move(MDB_NEXT) }

  /// Moves to the previous entry; false before the first.
  ///
  /// - Complexity: O(1) amortized.
  public mutating func previous() throws(LMDBError) -> Bool { try move(MDB_PREV) }

  /// Moves to the first entry whose key is not less than `key`; false if there is none.
  ///
  /// - Complexity: O(log *n*).
  public mutating func seek(_ key: Span<UInt8>) throws(LMDBError) -> Bool {
    try move(MDB_SET_RANGE, to: key)
  }

  /// Moves to the first entry whose 8-byte big-endian key is not less than `key`.
  ///
  /// - Complexity: O(log *n*).
  public mutating func seek(_ key: UInt64) throws(LMDBError) -> Bool {
    let bytes = bigEndianKey(key)
    return try move(MDB_SET_RANGE, to: bytes.span)
  }

  /// Moves to the entry of `key`; false if there is none.
  ///
  /// - Complexity: O(log *n*).
  public mutating func find(_ key: Span<UInt8>) throws(LMDBError) -> Bool {
    try move(MDB_SET_KEY, to: key)
  }

  /// Moves to the entry of the 8-byte big-endian key `key`; false if there is none.
  ///
  /// - Complexity: O(log *n*).
  public mutating func find(_ key: UInt64) throws(LMDBError) -> Bool {
    let bytes = bigEndianKey(key)
    return try move(MDB_SET_KEY, to: bytes.span)
  }

  private mutating func move(
    _ operation: MDB_cursor_op, to key: Span<UInt8>
  ) throws(LMDBError) -> Bool {
    let handle = unsafe handle
    var found = unsafe MDB_val()
    var value = unsafe MDB_val()
    // SAFETY: LMDB reads the key during the call, and then points both into the page.
    let status = unsafe key.withUnsafeBytes { bytes in
      unsafe found = MDB_val(bytes)
      return unsafe mdb_cursor_get(handle, &found, &value, operation)
    }
    return try unsafe arrive(status, found, value)
  }

  private mutating func move(_ operation: MDB_cursor_op) throws(LMDBError) -> Bool {
    var key = unsafe MDB_val()
    var value = unsafe MDB_val()
    // SAFETY: the cursor and its transaction are open.
    let status = unsafe mdb_cursor_get(handle, &key, &value, operation)
    return try unsafe arrive(status, key, value)
  }

  @inline(__always)
  private mutating func arrive(
    _ status: Int32, _ key: MDB_val, _ value: MDB_val
  ) throws(LMDBError) -> Bool {
    unsafe currentKey = key
    unsafe currentValue = value
    isAtEntry = status == MDB_SUCCESS
    if isAtEntry || status == MDB_NOTFOUND { return isAtEntry }
    throw readFailure(status, "move cursor")
  }
}
