/// A map from hashes to positions or numbers that says where to look, never what is there.
///
/// Flat open addressing, eight bytes a slot: the upper half of the hash and the value. Of the hash
/// only those 32 bits are kept, so a candidate may be a wrong one, which the caller finds out by
/// looking; a right one is never missing. Several values may stand under one hash.
struct CandidateMap {
  /// Tag in the upper half, value in the lower; 0 is a free slot, as no value is 0.
  private var slots: [UInt64]
  private(set) var count = 0

  /// The smallest table in slots: a cache line.
  private static let slotsMin = 8

  /// An empty map with room for `capacity` values before it grows.
  init(capacity: Int = 1_000) {
    var slotCount = CandidateMap.slotsMin
    while slotCount * 2 < capacity * 3 + 3 { slotCount *= 2 }
    slots = [UInt64](repeating: 0, count: slotCount)
  }

  /// Bytes of memory that the slots take.
  var byteCount: Int { slots.count * 8 }

  /// Adds `value` under `hash`.
  ///
  /// - Complexity: O(1) amortized.
  mutating func insert(_ hash: UInt64, _ value: UInt32) {
    precondition(value != 0, "0 marks a free slot")
    if count * 3 >= slots.count * 2 { grow() }
    place(hash & ~0xFFFF_FFFF | UInt64(value))
    count += 1
  }

  /// Where a search for candidates stands.
  struct Probe {
    fileprivate var index = -1
  }

  /// The next value that may be under `hash`, nil after the last.
  ///
  /// - Complexity: O(1) expected for all of a hash's candidates together.
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

  /// The first value under `hash` for which `isIt` holds.
  ///
  /// - Complexity: O(1) expected, plus what `isIt` costs for the few candidates.
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
    for slot in old where slot != 0 { place(slot) }
  }

  private mutating func place(_ slot: UInt64) {
    let mask = slots.count - 1
    var index = home(slot)
    while slots[index] != 0 { index = (index + 1) & mask }
    slots[index] = slot
  }

  /// The first slot to look at: the top bits, so that growing needs no more than the tag.
  @inline(__always)
  private func home(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash >> UInt64(64 - slots.count.trailingZeroBitCount))
  }
}
