internal import LMDB
internal import LedgerEvents

/// The head of the key file: the ledger's secrets that stay the same as long as the ledger exists.
///
/// They are not in the log, so a log without its key file reveals nothing about names, and nobody
/// can find a name in it by guessing.
///
/// ```
/// 0   16  "daybook keys 2\n\0"
/// 16  16  the id of the ledger
/// 32  32  two keys of the hashes with which names of people are found
/// 64  16  the key of hashes of personal texts inside records
/// 80  16  the key of digests in the ids of imported events
/// 96  32  SHA-256 over the bytes before it, which is also in the log's `meta`
/// ```
package struct KeyFileHead: Sendable {
  /// The whole head, as in the file.
  let bytes: [UInt8]

  /// The length in bytes, which is that of four slots.
  package static let byteCount = 128

  private static let mark = Array("daybook keys 2\n\0".utf8)
  private static let ledgerAt = 16
  private static let peopleAt = 32
  private static let textsAt = 64
  private static let importsAt = 80
  private static let digestAt = 96

  /// Creates a head with new secrets.
  init(ledger: [UInt8], using random: inout some RandomNumberGenerator) {
    precondition(ledger.count == LogIdentity.ledgerByteCount, "an id of another length")
    let secrets = KeyFileHead.digestAt - KeyFileHead.peopleAt
    let start = KeyFileHead.mark + ledger + [UInt8](random: secrets, using: &random)
    bytes = start + KeyFileHead.digest(start)
  }

  /// Reads a head; `nil` if the bytes are not a head.
  ///
  /// - Throws: ``LedgerError``: `corrupt` if it is damaged.
  init?(_ bytes: [UInt8], at path: String) throws(LedgerError) {
    guard bytes.starts(with: KeyFileHead.mark) else { return nil }
    guard bytes.count == KeyFileHead.byteCount,
      KeyFileHead.digest(Array(bytes[..<KeyFileHead.digestAt]))
        == Array(bytes[KeyFileHead.digestAt...])
    else {
      throw LedgerError(
        .corrupt,
        "The head of the key file \(path) is damaged: put the file back from where the keys are "
          + "backed up.")
    }
    self.bytes = bytes
  }

  private static func digest(_ bytes: [UInt8]) -> [UInt8] {
    TreeHash(hashing: bytes.span).bytes
  }

  /// The id of the ledger that the file belongs to.
  var ledger: [UInt8] { Array(bytes[KeyFileHead.ledgerAt..<KeyFileHead.peopleAt]) }

  /// The digest, by which the log knows the file without knowing its secrets.
  package var digest: [UInt8] { Array(bytes[KeyFileHead.digestAt...]) }

  /// Hashes and encrypts the names of people.
  package var people: NameSeal {
    NameSeal(low: key(at: KeyFileHead.peopleAt), high: key(at: KeyFileHead.peopleAt + 16))
  }

  /// The key of hashes of personal texts inside records.
  var texts: HashKey { key(at: KeyFileHead.textsAt) }

  /// The key of digests in the ids of imported events, 16 bytes.
  package var imports: [UInt8] { Array(bytes[KeyFileHead.importsAt..<KeyFileHead.digestAt]) }

  private func key(at offset: Int) -> HashKey {
    HashKey(
      low: bytes.span.bigEndianWord(at: offset), high: bytes.span.bigEndianWord(at: offset + 8))
  }
}
