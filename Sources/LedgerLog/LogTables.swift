package import LMDB

/// The tables of the log's environment. Rows are appended to the tables of events and names in the
/// order of their keys.
package struct LogTables: Sendable {
  /// The ledger's identity: see `LogIdentity`.
  package let meta: Table
  /// From a position (8 bytes, big-endian) to the record.
  let records: Table
  /// From the number of a name (4 bytes, big-endian) to its kind (1 byte) and text.
  let names: Table
  /// From a number to the encrypted name (`SealedName`) of an account, a device or a session, which
  /// identify a person.
  let people: Table
  /// From a position to the event's personal members as encrypted JSON (`SealedData`).
  let personal: Table
  /// From a destroyed key slot to its erasure (`ErasedSlot`). Except for `meta`, this is the only
  /// table whose rows are not added in the order of their keys.
  let erased: Table
  /// From an index in the order of storing (8 bytes, big-endian) to a node of the tree (32 bytes).
  let tree: Table

  /// The number of tables in the environment.
  static let count = 7

  /// Reads and writes the rows about people.
  package var texts: PersonalTexts

  private init(
    _ table: (String) throws(LedgerError) -> Table
  ) throws(LedgerError) {
    texts = PersonalTexts()
    meta = try table("meta")
    records = try table("records")
    names = try table("names")
    people = try table("people")
    personal = try table("personal")
    erased = try table("erased")
    tree = try table("tree")
  }

  /// Opens the tables of `environment`.
  ///
  /// - Parameters:
  ///   - environment: The log's environment.
  ///   - unfinished: The error to throw if a table is missing.
  init(of environment: Environment, else unfinished: LedgerError) throws(LedgerError) {
    try self.init { (name) throws(LedgerError) in
      let table: Table?
      do throws(LMDBError) { table = try environment.table(name) } catch {
        throw LedgerError(error)
      }
      guard let table else { throw unfinished }
      return table
    }
  }

  /// Opens the tables of `environment`, and creates those that are missing.
  init(creatingIn environment: Environment) throws(LedgerError) {
    try self.init { (name) throws(LedgerError) in
      do throws(LMDBError) { return try environment.createTable(name) } catch {
        throw LedgerError(error)
      }
    }
  }

  /// All tables with their names, for statistics.
  var all: [(name: String, table: Table)] {
    [
      ("meta", meta), ("records", records), ("names", names), ("people", people),
      ("personal", personal), ("erased", erased), ("tree", tree),
    ]
  }
}
