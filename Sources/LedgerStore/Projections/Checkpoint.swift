internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// How far the projections are folded, and from which log.
///
/// Projections that the log does not confirm (because they belong to another ledger, or the log was
/// restored from a backup and then continued differently) are discarded.
struct Checkpoint: Hashable {
  /// Every event up to this position is folded.
  var position: UInt64 = 0
  /// Every name up to this number is in the index.
  var name: NameNumber = 0
  /// The ledger's 16 bytes.
  var ledger: [UInt8]
  /// The root of the log's tree at `position`, 32 bytes.
  var root: [UInt8]
  /// The version of the reducer that folded everything up to `position`.
  var reducer: UInt32 = Reducer.version

  /// The version of the layout of the projections' rows. Rows of another version cannot be read.
  static let formatVersion: UInt32 = 7

  private static let key: [UInt8] = Array("checkpoint".utf8)
  private static let ledgerBytes = 16
  private static let contentByteCount = 4 + 8 + 4 + 16 + 32 + 4
  /// The content and its checksum (XXH64).
  private static let byteCount = contentByteCount + 8

  init(ledger: [UInt8], root: [UInt8]) {
    self.ledger = ledger
    self.root = root
  }

  /// Reads the checkpoint, whichever reducer wrote it; `nil` if nothing has been folded yet.
  ///
  /// - Throws: `rebuildNeeded` if the projections have another format or are damaged.
  init?(_ view: TransactionView, _ tables: ProjectionTables) throws(LedgerError) {
    let found: Span<UInt8>?
    do throws(LMDBError) { found = try view.get(tables.meta, Self.key.span) } catch {
      throw LedgerError(ofProjections: error)
    }
    guard let bytes = found else { return nil }
    guard bytes.count == Self.byteCount, bytes.bigEndianHalf(at: 0) == Self.formatVersion else {
      throw LedgerError(
        .rebuildNeeded,
        "The projections are in the format of another program: run `daybook rebuild`."
      )
    }
    let sum = XXH64.hash(bytes.extracting(0..<Self.contentByteCount))
    guard bytes.bigEndianWord(at: Self.contentByteCount) == sum else {
      throw .damagedProjections("The checkpoint of the projections is damaged")
    }
    position = bytes.bigEndianWord(at: 4)
    name = bytes.bigEndianHalf(at: 12)
    ledger = [UInt8](copying: bytes.extracting(16..<16 + Self.ledgerBytes))
    root = [UInt8](copying: bytes.extracting(32..<64))
    reducer = bytes.bigEndianHalf(at: 64)
  }

  func write(
    _ transaction: inout WriteTransaction, _ tables: ProjectionTables
  ) throws(LMDBError) {
    var bytes: [UInt8] = []
    bytes.append(bigEndianHalf: Self.formatVersion)
    bytes.append(bigEndianWord: position)
    bytes.append(bigEndianHalf: name)
    bytes += ledger
    bytes += root
    bytes.append(bigEndianHalf: reducer)
    bytes.append(bigEndianWord: XXH64.hash(bytes.span))
    try transaction.put(tables.meta, Self.key.span, bytes.span)
  }

  /// Whether the log has this state: the same ledger, and the same root at the checkpoint's
  /// position.
  ///
  /// - Complexity: O(log *n*).
  func isConfirmed(by log: LogView, _ identity: LogIdentity) throws(LedgerError) -> Bool {
    guard ledger == identity.ledger, position <= log.lastPosition else { return false }
    return try log.root(at: position).bytes == root
  }

  /// Rejects a checkpoint of another reducer, whose state must not be folded further.
  func requireThisReducer() throws(LedgerError) {
    guard reducer != Reducer.version else { return }
    throw LedgerError(
      .rebuildNeeded,
      """
      The projections were folded by version \(reducer) of the rules, and this program has version \
      \(Reducer.version): `daybook rebuild --check --report` says which answers would change, \
      and `daybook rebuild` folds them anew.
      """)
  }

  /// The message about projections that another version of the rules has folded.
  static func foldedByOtherRules(_ version: UInt32) -> String {
    """
    everything was folded by version \(version) of the rules, and this program has version \
    \(Reducer.version): `daybook rebuild --check --report` says for whom the answers differ
    """
  }

  static var unconfirmed: LedgerError {
    LedgerError(
      .rebuildNeeded,
      """
      The projections were folded from another log, or the log was put back from a backup: run \
      `daybook rebuild`.
      """)
  }
}
