package import LMDB

/// The tables of the log's environment; those of events and names are appended to in the order of
/// their keys.
package struct LogTables: Sendable {
  /// What the ledger is: see `LogIdentity`.
  package let meta: Table
  /// Position (8 bytes, big-endian) to record.
  let records: Table
  /// Number of a name (4 bytes, big-endian) to its kind (1 byte) and text.
  let names: Table
  /// Number to the sealed name (`SealedName`) of what identifies a person: an account, a device or
  /// a session.
  let people: Table
  /// Position to the event's personal members as JSON, sealed (`SealedData`).
  let personal: Table
  /// A slot of the key file that was destroyed to the erasure that did it (`ErasedSlot`); the one
  /// table besides `meta` whose rows do not come in the order of their keys.
  let erased: Table
  /// Place in the order of storing (8 bytes, big-endian) to a node of the tree (32 bytes).
  let tree: Table

  /// How many tables the environment has to have room for.
  static let count = 7

  /// What the rows about people are read and written with.
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

  /// The tables of `environment`.
  ///
  /// - Parameters:
  ///   - environment: The log's environment.
  ///   - unfinished: What to throw where it lacks one of them.
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

  /// The tables of `environment`, made where they are missing.
  init(creatingIn environment: Environment) throws(LedgerError) {
    try self.init { (name) throws(LedgerError) in
      do throws(LMDBError) { return try environment.createTable(name) } catch {
        throw LedgerError(error)
      }
    }
  }

  /// The name and table of each, for statistics.
  var all: [(name: String, table: Table)] {
    [
      ("meta", meta), ("records", records), ("names", names), ("people", people),
      ("personal", personal), ("erased", erased), ("tree", tree),
    ]
  }
}
