internal import LMDB
package import LedgerEvents

/// Encrypts the names of people, and hashes them under the ledger's keys, so that they can be
/// found.
package struct NameSeal: Sendable {
  /// Two keys give hashes of 128 bits, so that no two names have the same hash in practice.
  private let low: HashKey
  private let high: HashKey

  init(low: HashKey, high: HashKey) {
    self.low = low
    self.high = high
  }

  /// Returns the hash of a name, which stays when the name is erased.
  package func hash(_ text: Span<UInt8>, _ kind: NameKind) -> (UInt64, UInt64) {
    low.of(kind).hash(text, and: high.of(kind))
  }

  /// Returns the first half of a name's hash, with which the indexes find it.
  func firstHash(_ text: Span<UInt8>, _ kind: NameKind) -> UInt64 {
    low.of(kind).hash(text)
  }

  /// Returns the key of an account's answer in the projections: its hash, 16 bytes.
  package func answerKey(of account: Name) -> InlineArray<16, UInt8> {
    NameSeal.answerKey(hash(account.text.utf8.span, .account))
  }

  package static func answerKey(_ hash: (UInt64, UInt64)) -> InlineArray<16, UInt8> {
    InlineArray { index in
      UInt8(truncatingIfNeeded: (index < 8 ? hash.0 : hash.1) >> UInt64(56 - 8 * (index & 7)))
    }
  }

  /// Returns the row of a name, with its text encrypted.
  ///
  /// - Parameters:
  ///   - row: A byte for the name's kind, then its text.
  ///   - kind: The kind.
  ///   - slot: The key slot, or a forgotten one.
  ///   - secret: The secret in the slot. For a forgotten slot, it is one that nobody keeps.
  func seal(
    _ row: Span<UInt8>, _ kind: NameKind, _ slot: Slot, _ secret: Secret
  ) throws(LedgerError) -> [UInt8] {
    let plain = [UInt8](copying: row)
    let commitment = Commitment.name(row: plain, nonce: secret.nonce)
    let (first, second) = hash(row.extracting(1..<row.count), kind)
    var sealed = [row[0]]
    sealed.reserveCapacity(SealedName.headByteCount + row.count + Secret.overhead)
    slot.append(to: &sealed)
    sealed.append(bigEndianWord: first)
    sealed.append(bigEndianWord: second)
    sealed.append(contentsOf: commitment)
    if !slot.isForgotten {
      sealed.append(contentsOf: try secret.seal(Array(plain.dropFirst()), commitment: commitment))
    }
    return sealed
  }
}

extension HashKey {
  /// The key for names of a kind. Each kind has a separate key, so that equal texts of two kinds
  /// have nothing in common.
  fileprivate func of(_ kind: NameKind) -> HashKey {
    HashKey(low: low ^ UInt64(kind.rawValue), high: high)
  }
}

/// A row of the table `people`.
///
/// ```
/// 0   1  kind
/// 1   4  slot, big-endian; the highest bit: never had a key
/// 5  16  hash under the ledger's keys
/// 21 32  commitment
/// 53     the encrypted text; nothing if it never had a key
/// ```
package struct SealedName: ~Escapable {
  static let headByteCount = 53
  static let slotAt = 1
  private static let hashAt = 5
  private static let commitmentAt = 21

  private let row: Span<UInt8>

  /// Reads a row; `nil` if the bytes are not such a row.
  @_lifetime(copy row)
  init?(_ row: Span<UInt8>) {
    guard row.count >= SealedName.headByteCount, let kind = NameKind(rawValue: row[0]),
      kind.isPersonal
    else { return nil }
    self.row = row
    self.kind = kind
    guard slot.isForgotten == (row.count == SealedName.headByteCount) else { return nil }
  }

  let kind: NameKind

  package var slot: Slot { Slot(row.bigEndianHalf(at: SealedName.slotAt)) }

  /// Returns whether the name has this hash.
  func hasHash(_ hash: (UInt64, UInt64)) -> Bool {
    row.bigEndianWord(at: SealedName.hashAt) == hash.0
      && row.bigEndianWord(at: SealedName.hashAt + 8) == hash.1
  }

  package var hash: (UInt64, UInt64) {
    (row.bigEndianWord(at: SealedName.hashAt), row.bigEndianWord(at: SealedName.hashAt + 8))
  }

  /// What the tree contains of it.
  var introduction: [UInt8] {
    Commitment.introduction([UInt8](copying: commitment), hash: lookupHash)
  }

  /// The hash with which it is found, 16 bytes.
  var lookupHash: [UInt8] {
    [UInt8](copying: row.extracting(SealedName.hashAt..<SealedName.commitmentAt))
  }

  /// The commitment to its text.
  var commitment: Span<UInt8> {
    @_lifetime(copy self)
    get { row.extracting(SealedName.commitmentAt..<SealedName.headByteCount) }
  }

  /// Returns the text, or `nil` if `secret` does not decrypt it.
  func text(_ secret: Secret) -> Name? {
    let sealed = [UInt8](copying: row.extracting(SealedName.headByteCount..<row.count))
    guard let text = secret.open(sealed, commitment: [UInt8](copying: commitment)) else {
      return nil
    }
    return String(validating: text, as: UTF8.self).map { Name($0) }
  }
}

/// The number of a key slot, as it is stored in rows.
///
/// Some texts never get a key, because the person was erased before the event arrived. Such a row
/// has the last slot that was taken before it, with the highest bit set. So the slots of a table
/// never decrease, and its last row shows how many are taken.
package struct Slot: Hashable, Sendable {
  let raw: UInt32

  private static let forgottenBit: UInt32 = 0x8000_0000

  package init(_ raw: UInt32) { self.raw = raw }

  /// Returns the slot of a text without a key, after `last` slots have been taken.
  static func forgotten(after last: UInt32) -> Slot { Slot(last | forgottenBit) }

  package var isForgotten: Bool { raw & Slot.forgottenBit != 0 }

  /// The number of slots that are taken once the row is written.
  package var taken: UInt32 { raw & ~Slot.forgottenBit }

  package func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndianHalf: raw)
  }
}
