internal import LMDB
package import LedgerEvents

/// Salted hashes of data that identifies a person. The tree contains them instead of the data. So
/// each name or member can be disclosed separately, with a proof that it was in the log. Once its
/// nonce is destroyed, its hash reveals nothing.
///
/// Each is SHA-256 with a first byte that states what is hashed. The bytes 0 and 1 belong to the
/// tree (RFC 6962).
package enum Commitment {
  /// The length of a nonce in bytes, too many to try them all.
  package static let nonceByteCount = 16

  private static let nameDomain: UInt8 = 2
  private static let memberDomain: UInt8 = 3
  private static let dataDomain: UInt8 = 4
  private static let nonceDomain: UInt8 = 5
  private static let introductionDomain: UInt8 = 6
  private static let erasureDomain: UInt8 = 7

  /// Returns the commitment to a person's name: SHA-256(0x02 ‖ nonce ‖ kind ‖ text).
  package static func name(_ kind: NameKind, _ name: Name, nonce: [UInt8]) -> [UInt8] {
    self.name(row: [kind.rawValue] + name.text.utf8, nonce: nonce)
  }

  /// Returns what a leaf contains of a person's name: SHA-256(0x06 ‖ the commitment to the name ‖
  /// the hash with which it is looked up). So the name cannot be assigned to somebody else after
  /// its key has been destroyed.
  ///
  /// The commitment to the name stays in the ledger. Without it, the leaf reveals nothing about the
  /// hash.
  package static func introduction(_ name: [UInt8], hash lookup: [UInt8]) -> [UInt8] {
    hash([introductionDomain] + name + lookup)
  }

  /// Returns what the leaf of an `account.erased` contains of what it erased: SHA-256(0x07 ‖ the
  /// number of names, 4 bytes ‖ their numbers, 4 bytes each ‖ the positions of events whose
  /// personal data was erased, 8 bytes each). Everything is ascending and big-endian.
  package static func erasure(names: [NameNumber], events: [UInt64]) -> [UInt8] {
    var bytes = [erasureDomain]
    bytes.append(bigEndianHalf: UInt32(names.count))
    for number in names.sorted() { bytes.append(bigEndianHalf: number) }
    for position in events.sorted() { bytes.append(bigEndianWord: position) }
    return hash(bytes)
  }

  /// Returns the commitment to one personal member of `data`:
  /// SHA-256(0x03 ‖ nonce ‖ `"name":value`).
  package static func member(_ member: EventData.Member, nonce: [UInt8]) -> [UInt8] {
    hash([memberDomain] + nonce + member.text)
  }

  /// Returns the commitment in a record: SHA-256(0x04 ‖ the commitments to its members).
  package static func data(_ members: [[UInt8]]) -> [UInt8] {
    hash([dataDomain] + members.joined())
  }

  /// Returns the commitment to the name in a row: a byte for its kind, then its text.
  static func name(row: [UInt8], nonce: [UInt8]) -> [UInt8] { hash([nameDomain] + nonce + row) }

  /// Returns the nonce of the member `index` of an event's personal data: 16 bytes of
  /// SHA-256(0x05 ‖ seed ‖ index). So the nonce of one member reveals nothing about another.
  static func nonce(ofMember index: Int, seed: [UInt8]) -> [UInt8] {
    var bytes = [nonceDomain] + seed
    bytes.append(bigEndianWord: UInt64(index))
    return Array(hash(bytes).prefix(nonceByteCount))
  }

  private static func hash(_ bytes: [UInt8]) -> [UInt8] { TreeHash(hashing: bytes.span).bytes }
}
