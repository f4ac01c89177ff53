/// An entry of a sorted run: a key and a value.
///
/// Entries are ordered by key, then by value. A key can have several values. Adding the same key
/// with the same value again has no effect.
package struct RunEntry: Sendable, Hashable {
  /// The key: a keyed hash, or a unit's number and a position.
  package var key: UInt64

  /// The value under the key; 0 in families without values.
  package var value: UInt32

  /// Creates an entry. Families without values leave `value` out.
  @inlinable
  package init(key: UInt64, value: UInt32 = 0) {
    self.key = key
    self.value = value
  }
}

extension RunEntry: Comparable {
  @inlinable
  package static func < (left: RunEntry, right: RunEntry) -> Bool { left.order < right.order }
}

extension RunEntry {
  /// The least possible entry.
  static let least = RunEntry(key: 0, value: 0)

  /// The next greater entry, or `nil` if there is none.
  var successor: RunEntry? {
    if value < .max { return RunEntry(key: key, value: value + 1) }
    return key < .max ? RunEntry(key: key + 1) : nil
  }

  /// Key and value as one 96-bit number with the same order as the entries.
  @inlinable
  package var order: UInt128 {
    UInt128(truncatingIfNeeded: key) << 32 | UInt128(truncatingIfNeeded: value)
  }

  /// Creates the entry whose `order` is the low 96 bits of `order`.
  @inlinable
  package init(order: UInt128) {
    self.init(
      key: UInt64(truncatingIfNeeded: order >> 32), value: UInt32(truncatingIfNeeded: order))
  }
}
