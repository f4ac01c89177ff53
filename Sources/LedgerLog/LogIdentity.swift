package import LMDB
public import LedgerEvents

/// The identity of a ledger, which is fixed when the ledger is created.
public struct LogIdentity: Sendable {
  /// The version of the log's format. Only `formatVersion` is accepted.
  public let format: UInt32
  /// 16 random bytes that no other ledger has.
  public let ledger: [UInt8]
  /// The ledger's keyed hash of ids, and of names that do not identify a person.
  package let keyHash: KeyHash
  /// The digest of the head of the ledger's key file (`KeyFileHead`), which identifies that file.
  package let keysDigest: [UInt8]
  /// When the ledger was created, by its own clock.
  public let createdAt: Instant
  private let key: [UInt8]

  /// The format that this version writes and reads.
  public static let formatVersion: UInt32 = 3

  /// The first generation of the projections of a new ledger.
  static let firstGeneration: UInt64 = 1

  /// The length of a ledger's id in bytes.
  static let ledgerByteCount = 16

  /// Creates the identity of a new ledger.
  ///
  /// - Parameter keys: The head of its key file.
  init(
    createdAt: Instant, keys: KeyFileHead, using random: inout some RandomNumberGenerator
  ) throws(LedgerError) {
    let key = [UInt8](random: KeyHash.keyByteCount, using: &random)
    try self.init(
      format: LogIdentity.formatVersion, ledger: keys.ledger, key: key, keysDigest: keys.digest,
      createdAt: createdAt)
  }

  /// Creates an identity from its parts.
  ///
  /// - Throws: ``LedgerError``: `corrupt` if the id or the key has the wrong length.
  init(
    format: UInt32, ledger: [UInt8], key: [UInt8], keysDigest: [UInt8], createdAt: Instant
  ) throws(LedgerError) {
    guard ledger.count == LogIdentity.ledgerByteCount, let keyHash = KeyHash(key: key.span)
    else { throw .corrupt("The ledger's id or key has the wrong length") }
    self.format = format
    self.ledger = ledger
    self.keyHash = keyHash
    self.keysDigest = keysDigest
    self.createdAt = createdAt
    self.key = key
  }
}

extension LogIdentity {
  /// The rows of `meta`, by their key.
  package enum Row: String, CaseIterable {
    case format, ledger, key, created
    /// The digest of the head of the key file.
    case keys
    /// The live generation of the projections; not part of the identity.
    case generation
    /// The mark of an erasure whose keys may still be there (`ErasureMark`); usually absent.
    case erasing
    /// The number of key slots that are taken. Only a salvaged ledger has this row, because its
    /// last rows need not have the highest slots.
    case slots

    package var bytes: [UInt8] { Array(rawValue.utf8) }
  }

  /// Reads the identity from `view`; `nil` if the creation of the ledger was interrupted.
  init?(_ view: TransactionView, _ tables: LogTables) throws(LedgerError) {
    guard let format = try LogIdentity.format(view, tables) else { return nil }
    guard format == UInt64(LogIdentity.formatVersion) else {
      throw LedgerError(
        .unknownFormat,
        """
        The ledger has format \(format) and this version knows \(LogIdentity.formatVersion): \
        use the daybook that wrote it, or a newer one.
        """)
    }
    guard let ledger = try LogIdentity.row(.ledger, view, tables),
      let key = try LogIdentity.row(.key, view, tables),
      let keysDigest = try LogIdentity.row(.keys, view, tables),
      let created = try LogIdentity.number(.created, view, tables)
    else { throw .corrupt("The ledger's identity is incomplete") }
    try self.init(
      format: UInt32(truncatingIfNeeded: format), ledger: ledger, key: key,
      keysDigest: keysDigest, createdAt: Instant(microseconds: Int64(bitPattern: created)))
  }

  /// Writes the identity of a new ledger.
  package func write(
    to transaction: inout WriteTransaction, _ tables: LogTables
  ) throws(LMDBError) {
    let rows: [(Row, [UInt8])] = [
      (.format, [UInt8](bigEndianWord: UInt64(format))), (.ledger, ledger), (.key, key),
      (.keys, keysDigest),
      (.created, [UInt8](bigEndianWord: UInt64(bitPattern: createdAt.microseconds))),
      // The next writer folds it, even if the process that creates the ledger ends here.
      (.generation, [UInt8](bigEndianWord: LogIdentity.firstGeneration)),
    ]
    for (row, value) in rows { try LogIdentity.put(row, value, tables, &transaction) }
  }

  /// Writes a row of `meta`: the value, and XXH64 over the row's name and the value.
  package static func put(
    _ row: Row, _ value: [UInt8], _ tables: LogTables, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    let stored = value + [UInt8](bigEndianWord: checksum(row, value))
    try transaction.put(tables.meta, row.bytes.span, stored.span)
  }

  private static func checksum(_ row: Row, _ value: [UInt8]) -> UInt64 {
    XXH64.hash((row.bytes + value).span)
  }

  private static let checksumByteCount = 8

  /// Returns the format's version, also from ledgers of earlier formats, whose rows have no
  /// checksum.
  private static func format(
    _ view: TransactionView, _ tables: LogTables
  ) throws(LedgerError) -> UInt64? {
    guard let stored = try stored(.format, view, tables) else { return nil }
    if stored.count == 8 { return stored.span.bigEndianWord(at: 0) }
    return try number(.format, view, tables)
  }

  /// Returns the number in a row of `meta`.
  package static func number(
    _ row: Row, _ view: TransactionView, _ tables: LogTables
  ) throws(LedgerError) -> UInt64? {
    guard let bytes = try LogIdentity.row(row, view, tables) else { return nil }
    guard bytes.count == 8 else { throw .corrupt("The ledger's \(row) has the wrong length") }
    return bytes.span.bigEndianWord(at: 0)
  }

  /// Returns the value in a row of `meta`, or `nil` if there is none.
  ///
  /// - Throws: ``LedgerError``: `corrupt` if its checksum does not match.
  package static func row(
    _ row: Row, _ view: TransactionView, _ tables: LogTables
  ) throws(LedgerError) -> [UInt8]? {
    guard let stored = try stored(row, view, tables) else { return nil }
    guard let value = value(of: row, stored: stored) else {
      throw .corrupt("The ledger's \(row) does not have its checksum")
    }
    return value
  }

  /// Returns the value in the bytes of a row, or `nil` if its checksum does not match.
  static func value(of row: Row, stored: [UInt8]) -> [UInt8]? {
    let value = Array(stored.dropLast(checksumByteCount))
    guard stored.count >= checksumByteCount,
      stored.span.bigEndianWord(at: value.count) == checksum(row, value)
    else { return nil }
    return value
  }

  private static func stored(
    _ row: Row, _ view: TransactionView, _ tables: LogTables
  ) throws(LedgerError) -> [UInt8]? {
    do throws(LMDBError) {
      guard let value = try view.get(tables.meta, row.bytes.span) else { return nil }
      return [UInt8](copying: value)
    } catch {
      throw LedgerError(error)
    }
  }
}

extension [UInt8] {
  /// Creates an array of eight bytes, the most significant first.
  package init(bigEndianWord word: UInt64) {
    self.init()
    append(bigEndianWord: word)
  }

  /// Creates `count` random bytes. `count` must be a multiple of eight.
  package init(random count: Int, using random: inout some RandomNumberGenerator) {
    self.init()
    for _ in 0..<count / 8 { append(bigEndianWord: random.next()) }
  }
}
