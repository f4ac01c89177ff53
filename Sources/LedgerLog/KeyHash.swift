internal import LMDB
package import LedgerEvents

/// A fast keyed hash of ids and names, 64 bits, with which the indexes find keys.
///
/// It multiplies and folds, like wyhash, under the ledger's own key, so that nobody outside can
/// construct ids that collide. It is not a cryptographic hash: whatever it finds is compared with
/// the log.
package struct KeyHash: Sendable {
  private let seed: UInt64
  private let factor: UInt64

  /// The length of a key in bytes.
  package static let keyByteCount = 16

  /// Creates the hash from the ledger's 16 random bytes; `nil` if there are not 16.
  init?(key: Span<UInt8>) {
    guard key.count == KeyHash.keyByteCount else { return nil }
    seed = key.bigEndianWord(at: 0)
    // An even factor would lose bits.
    factor = key.bigEndianWord(at: 8) | 1
  }

  /// Returns the hash of an event's id.
  ///
  /// - Complexity: O(*n*) in the length of the id, about 15 ns for a UUID.
  package func id(_ id: Name) -> UInt64 { self.id(id.text.utf8.span) }

  /// Returns the hash of an id by its bytes.
  package func id(_ bytes: Span<UInt8>) -> UInt64 { hash(bytes, domain: 0) }

  /// Returns the hash of a name by its kind and text. Equal texts of different kinds hash
  /// differently.
  ///
  /// - Parameters:
  ///   - text: The name's text.
  ///   - kind: Its kind.
  ///   - people: Hashes the names of people with keys from the key file; `nil` without the file.
  /// - Complexity: O(*n*) in the length of the name.
  /// - Throws: ``LedgerError``: `keysMissing` for a person's name without the key file.
  package func name(
    _ text: Span<UInt8>, _ kind: NameKind, _ people: NameSeal?
  ) throws(LedgerError) -> UInt64 {
    guard kind.isPersonal else { return hash(text, domain: kind.rawValue) }
    guard let people else { throw .namesUnknown }
    return people.firstHash(text, kind)
  }

  /// Returns the hash of the name in this row of the log, or `nil` if it is not a row of a name.
  package func name(row: Span<UInt8>) -> UInt64? {
    guard row.count > 1, let kind = NameKind(rawValue: row[0]) else { return nil }
    guard kind.isPersonal else {
      return hash(row.extracting(1..<row.count), domain: kind.rawValue)
    }
    return SealedName(row)?.hash.0
  }

  /// Returns the hash of `bytes` in a `domain`: 0 for ids, otherwise the raw value of a kind of
  /// name.
  package func hash(_ bytes: Span<UInt8>, domain: UInt8) -> UInt64 {
    let count = bytes.count
    var state = mix(seed ^ UInt64(domain), UInt64(truncatingIfNeeded: count) ^ factor)
    var offset = 0
    while count - offset >= 8 {
      state = mix(state ^ bytes.bigEndianWord(at: offset), factor)
      offset += 8
    }
    if offset < count {
      var rest: UInt64 = 0
      for index in offset..<count { rest = rest << 8 | UInt64(bytes[index]) }
      state = mix(state ^ rest, factor)
    }
    return mix(state ^ seed, 0x9E37_79B9_7F4A_7C15)
  }

  @inline(__always)
  private func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
