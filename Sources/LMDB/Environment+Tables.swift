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
    try withTables { (tables) throws(LMDBError) in
      if let table = tables[name] { return table }
      // A table that exists is opened without waiting for other writers.
      if let table = try openTable(name, create: false) {
        tables[name] = table
        return table
      }
      if options.readOnly {
        throw LMDBError(
          .missing, operation: "open table", message: "There is no table \(name) in \(path).")
      }
      guard let table = try openTable(name, create: true) else {
        throw LMDBError(.missing, operation: "create table")
      }
      tables[name] = table
      return table
    }
  }

  /// The table `name`, or nil when there is none.
  ///
  /// - Complexity: O(1) once opened.
  /// - Throws: ``LMDBError``: `tablesFull`, and what reading throws.
  public func table(_ name: String) throws(LMDBError) -> Table? {
    try withTables { (tables) throws(LMDBError) in
      if let table = tables[name] { return table }
      let table = try openTable(name, create: false)
      if let table { tables[name] = table }
      return table
    }
  }

  /// Opens a handle in a transaction of its own, which must commit for the handle to last.
  private func openTable(_ name: String, create: Bool) throws(LMDBError) -> Table? {
    if create { try refuseWrites("create table") }
    let transaction = try unsafe begin(
      flags: create ? 0 : UInt32(MDB_RDONLY), create ? "create table" : "open table")
    defer { transactionEnded(active: true) }
    var table: MDB_dbi = 0
    // SAFETY: the transaction is open and ended once below; the name is copied. Only one thread
    // opens tables at a time, as LMDB asks: the caller holds the lock.
    var status = unsafe mdb_dbi_open(transaction, name, create ? UInt32(MDB_CREATE) : 0, &table)
    guard status == 0 else {
      unsafe mdb_txn_abort(transaction)
      if status == MDB_NOTFOUND { return nil }
      throw LMDBError(status: status, operation: "open table")
    }
    status = unsafe mdb_txn_commit(transaction)
    guard status == 0 else { throw commitFailure(status) }
    return Table(number: table, environment: number)
  }
}
