internal import Crypto
internal import LMDB
package import LedgerEvents

/// Salted hashes that the tree holds of what identifies a person, so that it can be shown to have
/// been in the book, one thing alone, and says nothing once its nonce is destroyed.
///
/// SHA-256 with a byte before it that tells what is hashed; 0 and 1 are the tree's own (RFC 6962).
package enum Commitment {
  /// The length of a nonce in bytes: too many to try.
  package static let nonceByteCount = 16

  private static let nameDomain: UInt8 = 2
  private static let memberDomain: UInt8 = 3
  private static let dataDomain: UInt8 = 4
  private static let nonceDomain: UInt8 = 5
  private static let introductionDomain: UInt8 = 6
  private static let erasureDomain: UInt8 = 7

  /// The commitment to a person's name: SHA-256(0x02 ‖ nonce ‖ kind ‖ text).
  package static func name(_ kind: NameKind, _ name: Name, nonce: [UInt8]) -> [UInt8] {
    self.name(row: [kind.rawValue] + name.text.utf8, nonce: nonce)
  }

  /// What a leaf holds of a person's name: SHA-256(0x06 ‖ the commitment to the name ‖ the hash
  /// that it is looked up by), so that the name cannot be given to somebody else after its key is
  /// gone.
  ///
  /// The commitment to the name stays in the ledger, and the leaf says nothing of the hash to who
  /// does not have it.
  package static func introduction(_ name: [UInt8], hash lookup: [UInt8]) -> [UInt8] {
    hash([introductionDomain] + name + lookup)
  }

  /// What the leaf of an `account.erased` holds of what it erased: SHA-256(0x07 ‖ how many names,
  /// 4 bytes ‖ their numbers, 4 bytes each ‖ the positions of events whose personal data was
  /// erased, 8 bytes each), everything ascending and big-endian.
  package static func erasure(names: [NameNumber], events: [UInt64]) -> [UInt8] {
    var bytes = [erasureDomain]
    bytes.append(bigEndianHalf: UInt32(names.count))
    for number in names.sorted() { bytes.append(bigEndianHalf: number) }
    for position in events.sorted() { bytes.append(bigEndianWord: position) }
    return hash(bytes)
  }

  /// The commitment to one personal member of `data`: SHA-256(0x03 ‖ nonce ‖ `"name":value`).
  package static func member(_ member: EventData.Member, nonce: [UInt8]) -> [UInt8] {
    hash([memberDomain] + nonce + member.text)
  }

  /// The commitment that a record carries: SHA-256(0x04 ‖ the commitments to its members).
  package static func data(_ members: [[UInt8]]) -> [UInt8] {
    hash([dataDomain] + members.joined())
  }

  /// The commitment to a name by its row: a byte for its kind, then its text.
  static func name(row: [UInt8], nonce: [UInt8]) -> [UInt8] { hash([nameDomain] + nonce + row) }

  /// The nonce of the member `index` of an event's personal data: 16 bytes of
  /// SHA-256(0x05 ‖ seed ‖ index), so that the nonce of one says nothing of another's.
  static func nonce(ofMember index: Int, seed: [UInt8]) -> [UInt8] {
    var bytes = [nonceDomain] + seed
    bytes.append(bigEndianWord: UInt64(index))
    return Array(hash(bytes).prefix(nonceByteCount))
  }

  private static func hash(_ bytes: [UInt8]) -> [UInt8] { TreeHash(SHA256.hash(data: bytes)).bytes }
}
