/// Finds the keys that occur more than once among many.
///
/// Each key takes eight bytes: half of its hash, and its position or number. The caller compares
/// keys whose halves are equal.
struct RepeatedKeys {
  private var entries: [UInt64] = []

  private static let hashMask: UInt64 = 0xFFFF_FFFF_0000_0000

  /// Creates a collection with room for `capacity` keys.
  init(capacity: Int = 0) { entries.reserveCapacity(capacity) }

  /// Adds the key with `hash` and the position or the number.
  mutating func add(_ hash: UInt64, at number: UInt32) {
    entries.append(hash & Self.hashMask | UInt64(number))
  }

  /// Calls `body` with the positions or numbers of each pair of keys that may be equal.
  ///
  /// - Complexity: O(*n* log *n*) in the number of keys, plus one call for each such pair.
  mutating func forEachPair<Failure: Error>(
    _ body: (_ first: UInt32, _ second: UInt32) throws(Failure) -> Void
  ) throws(Failure) {
    entries.sort()
    for index in entries.indices.dropFirst() {
      var other = index - 1
      // All keys that share half of the hash are compared. Few different keys do.
      while other >= 0, entries[other] & Self.hashMask == entries[index] & Self.hashMask {
        try body(
          UInt32(truncatingIfNeeded: entries[other]), UInt32(truncatingIfNeeded: entries[index]))
        other -= 1
      }
    }
  }
}
