/// A map from hashes to positions or numbers that only suggests where to look.
///
/// It uses flat open addressing. A slot takes eight bytes: the upper half of the hash, and the
/// value. Because only those 32 bits of the hash are kept, a candidate can be wrong. The caller has
/// to check it. A right candidate is never missing. A hash can have several values.
struct CandidateMap {
  /// The tag in the upper half and the value in the lower half. 0 is a free slot, because no value
  /// is 0.
  private var slots: [UInt64]
  private(set) var count = 0

  /// The minimum number of slots: a cache line.
  private static let slotsMin = 8

  /// Creates an empty map with room for `capacity` values before it grows.
  init(capacity: Int = 1_000) {
    var slotCount = CandidateMap.slotsMin
    while slotCount * 2 < capacity * 3 + 3 { slotCount *= 2 }
    slots = [UInt64](repeating: 0, count: slotCount)
  }

  /// The size of the slots in bytes.
  var byteCount: Int { slots.count * 8 }

  /// Adds `value` under `hash`.
  ///
  /// - Complexity: O(1) amortized.
  mutating func insert(_ hash: UInt64, _ value: UInt32) {
    precondition(value != 0, "0 marks a free slot")
    if count * 3 >= slots.count * 2 { grow() }
    insert(hash & ~0xFFFF_FFFF | UInt64(value))
    count += 1
  }

  /// The state of a search for candidates.
  struct Probe {
    fileprivate var index = -1
  }

  /// Returns the next value that may be under `hash`, or `nil` after the last one.
  ///
  /// - Complexity: O(1) expected for all candidates of a hash together.
  @inline(__always)
  func next(_ hash: UInt64, _ probe: inout Probe) -> UInt32? {
    let mask = slots.count - 1
    var index = probe.index < 0 ? home(hash) : (probe.index + 1) & mask
    while slots[index] != 0 {
      if slots[index] >> 32 == hash >> 32 {
        probe.index = index
        return UInt32(truncatingIfNeeded: slots[index])
      }
      index = (index + 1) & mask
    }
    return nil
  }

  /// Returns the first value under `hash` for which `isIt` returns true.
  ///
  /// - Complexity: O(1) expected, plus the calls of `isIt` for the few candidates.
  func first<Failure: Error>(
    _ hash: UInt64, where isIt: (UInt32) throws(Failure) -> Bool
  ) throws(Failure) -> UInt32? {
    var probe = Probe()
    while let value = next(hash, &probe) {
      if try isIt(value) { return value }
    }
    return nil
  }

  private mutating func grow() {
    let old = slots
    slots = [UInt64](repeating: 0, count: old.count * 2)
    for slot in old where slot != 0 { insert(slot) }
  }

  private mutating func insert(_ slot: UInt64) {
    let mask = slots.count - 1
    var index = home(slot)
    while slots[index] != 0 { index = (index + 1) & mask }
    slots[index] = slot
  }

  /// Returns the first slot to examine: the top bits of the hash, so that the tag is enough to grow
  /// the map.
  @inline(__always)
  private func home(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash >> UInt64(64 - slots.count.trailingZeroBitCount))
  }
}
