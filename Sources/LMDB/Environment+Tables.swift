internal import CLMDB

extension Environment {
  /// Returns the table `name`, and creates it if it is missing.
  ///
  /// Creating a table uses a write transaction, so call this method before you begin yours. A
  /// transaction does not know tables that were opened after it began.
  ///
  /// - Complexity: O(1) once opened.
  /// - Throws: ``LMDBError``: `tablesFull`, `missing` if read-only, and what writing throws.
  public func createTable(_ name: String) throws(LMDBError) -> Table {
    // A table that exists is opened without waiting for other writers.
    if let table = try table(name) { return table }
    if options.readOnly {
      throw LMDBError(
        .missing, operation: "open table", message: "There is no table \(name) in \(path).")
    }
    while true {
      // The transaction begins before the lock is taken, because a writer that opens a table takes
      // them in this order, too. But LMDB assigns a number twice if a transaction opens a table and
      // began before the last table was opened. In that case, another transaction must begin.
      let known = try withTables { (tables) throws(LMDBError) in tables.count }
      let transaction = try unsafe beginWriting("create table")
      let created = try withTables { (tables) throws(LMDBError) -> Table? in
        guard tables.count == known else {
          unsafe abortWriting(transaction)
          return tables[name]
        }
        return try unsafe create(name, in: transaction, &tables)
      }
      if let created { return created }
    }
  }

  private func create(
    _ name: String, in transaction: OpaquePointer, _ tables: inout [String: Table]
  ) throws(LMDBError) -> Table {
    let opened: Table
    do throws(LMDBError) {
      opened = try unsafe open(name, in: transaction, flags: UInt32(MDB_CREATE))
    } catch {
      unsafe abortWriting(transaction)
      throw error
    }
    try unsafe commitWriting(transaction)
    tables[name] = opened
    return opened
  }

  /// Returns the table `name`, or `nil` if there is none.
  ///
  /// - Complexity: O(1) once opened.
  /// - Throws: ``LMDBError``: `tablesFull`, and what reading throws.
  public func table(_ name: String) throws(LMDBError) -> Table? {
    try withTables { (tables) throws(LMDBError) in
      if let table = tables[name] { return table }
      // Begun under the lock, so that it knows all tables opened so far.
      let transaction = try unsafe begin(flags: UInt32(MDB_RDONLY), "open table")
      defer { transactionEnded(active: true) }
      let opened: Table
      do throws(LMDBError) {
        opened = try unsafe open(name, in: transaction, flags: 0)
      } catch {
        // SAFETY: the transaction is open, and is ended once on either path.
        unsafe mdb_txn_abort(transaction)
        if error.code == .missing { return nil }
        throw error
      }
      // SAFETY: as above; the handle of a table remains valid only if its transaction commits.
      let status = unsafe mdb_txn_commit(transaction)
      guard status == 0 else { throw LMDBError(status: status, operation: "open table") }
      tables[name] = opened
      return opened
    }
  }

  /// Returns the names of all tables, in their order.
  ///
  /// - Complexity: O(*t*) in the number of tables.
  /// - Throws: ``LMDBError``: what reading throws.
  public func tableNames() throws(LMDBError) -> [[UInt8]] {
    try withTables { (_) throws(LMDBError) in
      let transaction = try unsafe begin(flags: UInt32(MDB_RDONLY), "list tables")
      defer {
        // SAFETY: the transaction is open, and is ended once. The table without a name needs no
        // commit.
        unsafe mdb_txn_abort(transaction)
        transactionEnded(active: true)
      }
      var dbi: MDB_dbi = 0
      // SAFETY: the transaction is open; no name means the table of tables.
      let status = unsafe mdb_dbi_open(transaction, nil, 0, &dbi)
      guard status == 0 else { throw LMDBError(status: status, operation: "list tables") }
      var names: [[UInt8]] = []
      var cursor = try unsafe Cursor(
        transaction: transaction, Table(number: dbi, environment: number))
      while try cursor.next() {
        let key = cursor.key
        names.append(key.indices.map { key[$0] })
      }
      return names
    }
  }

  /// Opens a table's handle. LMDB allows only one thread at a time, so the caller holds the lock of
  /// the tables until the transaction has ended.
  private func open(
    _ name: String, in transaction: OpaquePointer, flags: UInt32
  ) throws(LMDBError) -> Table {
    guard 1...keySizeBytesMax ~= name.utf8.count, !name.utf8.contains(0) else {
      throw LMDBError(
        .badArgument, operation: "open table",
        message: "A table's name has 1 to \(keySizeBytesMax) bytes and no NUL.")
    }
    var dbi: MDB_dbi = 0
    // SAFETY: the transaction is open; the name is copied.
    let status = unsafe mdb_dbi_open(transaction, name, flags, &dbi)
    guard status == 0 else { throw LMDBError(status: status, operation: "open table") }
    return Table(number: dbi, environment: number)
  }
}
