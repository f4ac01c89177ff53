/// Finds the keys that occur more than once among many.
///
/// Eight bytes a key: half of its hash, and where it stands. Keys with the same half of a hash are
/// compared by whoever asks.
struct RepeatedKeys {
  private var entries: [UInt64] = []

  private static let hashMask: UInt64 = 0xFFFF_FFFF_0000_0000

  /// Room for `capacity` keys.
  init(capacity: Int = 0) { entries.reserveCapacity(capacity) }

  /// Adds the key with `hash` that stands at `place`.
  mutating func add(_ hash: UInt64, at place: UInt32) {
    entries.append(hash & Self.hashMask | UInt64(place))
  }

  /// Calls `body` with each pair of neighbouring places whose keys may be the same.
  ///
  /// - Complexity: O(*n* log *n*) in the number of keys.
  mutating func forEachPair<Failure: Error>(
    _ body: (_ first: UInt32, _ second: UInt32) throws(Failure) -> Void
  ) throws(Failure) {
    entries.sort()
    for index in entries.indices.dropFirst() {
      var other = index - 1
      // All that share the half of a hash: among different keys few do.
      while other >= 0, entries[other] & Self.hashMask == entries[index] & Self.hashMask {
        try body(
          UInt32(truncatingIfNeeded: entries[other]), UInt32(truncatingIfNeeded: entries[index]))
        other -= 1
      }
    }
  }
}
