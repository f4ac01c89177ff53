internal import CLMDB

extension Environment {
  /// The table `name`, created if it is missing.
  ///
  /// Takes a write transaction the first time: call it before yours. A transaction that is open
  /// already does not know a table opened after it began.
  ///
  /// - Complexity: O(1) once opened.
  /// - Throws: ``LMDBError``: `tablesFull`, `missing` when read-only, and what writing throws.
  public func createTable(_ name: String) throws(LMDBError) -> Table {
    // A table that exists is opened without waiting for other writers.
    if let table = try table(name) { return table }
    if options.readOnly {
      throw LMDBError(
        .missing, operation: "open table", message: "There is no table \(name) in \(path).")
    }
    try refuseWrites("create table")
    // The transaction comes before the lock: a writer that opens a table holds them in this
    // order, too.
    let transaction = try unsafe begin(flags: 0, "create table")
    defer { transactionEnded(active: true) }
    let table = try unsafe openTable(name, in: transaction, flags: UInt32(MDB_CREATE))
    guard let table else { throw LMDBError(.missing, operation: "create table") }
    return table
  }

  /// The table `name`, or nil when there is none.
  ///
  /// - Complexity: O(1) once opened.
  /// - Throws: ``LMDBError``: `tablesFull`, and what reading throws.
  public func table(_ name: String) throws(LMDBError) -> Table? {
    let known = try withTables { (tables) throws(LMDBError) in tables[name] }
    if let known { return known }
    let transaction = try unsafe begin(flags: UInt32(MDB_RDONLY), "open table")
    defer { transactionEnded(active: true) }
    return try unsafe openTable(name, in: transaction, flags: 0)
  }

  /// Opens a handle in `transaction`, which it ends: it must commit for the handle to last.
  private func openTable(
    _ name: String, in transaction: OpaquePointer, flags: UInt32
  ) throws(LMDBError) -> Table? {
    try withTables { (tables) throws(LMDBError) in
      var dbi: MDB_dbi = 0
      // SAFETY: the transaction is open and ended once below; the name is copied. Only one thread
      // opens tables at a time, as LMDB asks: this one holds the lock.
      var status = name.utf8.contains(0) ? invalidArgument : 0
      if status == 0 { status = unsafe mdb_dbi_open(transaction, name, flags, &dbi) }
      guard status == 0 else {
        unsafe mdb_txn_abort(transaction)
        if status == MDB_NOTFOUND { return nil }
        throw tableFailure(status, name)
      }
      status = unsafe mdb_txn_commit(transaction)
      guard status == 0 else { throw commitFailure(status) }
      let table = Table(number: dbi, environment: number)
      tables[name] = table
      return table
    }
  }

  private func tableFailure(_ status: Int32, _ name: String) -> LMDBError {
    switch status {
    case invalidArgument, MDB_BAD_VALSIZE:
      LMDBError(
        .badArgument, operation: "open table",
        message: "A table's name has 1 to \(keySizeBytesMax) bytes and no NUL.", cause: status)
    default: LMDBError(status: status, operation: "open table")
    }
  }
}
