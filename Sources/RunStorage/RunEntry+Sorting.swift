extension [RunEntry] {
  /// Sorts the entries for a run.
  ///
  /// This is a radix sort with digits of eleven bits that skips the digits in which all keys are
  /// equal. For batches of 10⁵ hashes it takes less than half the time of a comparison sort.
  /// Entries that are already in the order of their values, as positions are, are not sorted by
  /// value again.
  ///
  /// - Complexity: O(*n*), with another array of the same size.
  package mutating func sortForRun() {
    guard count > Self.comparedMax else {
      sort()
      return
    }
    var other = self
    if !areInOrderOfValues {
      for shift in stride(from: 0, to: 32, by: Self.digitBits) {
        pass(into: &other) { UInt64($0.value) >> shift }
      }
    }
    let (all, any) = keyBits
    for shift in stride(from: 0, to: 64, by: Self.digitBits)
    where ((any ^ all) >> shift) & Self.digitMask != 0 {
      pass(into: &other) { $0.key >> shift }
    }
  }

  /// Up to this number of entries, a comparison sort is used instead.
  private static var comparedMax: Int { 512 }

  private static var digitBits: Int { 11 }

  private static var digitMask: UInt64 { (1 << digitBits) - 1 }

  private var areInOrderOfValues: Bool {
    for index in 1..<Swift.max(count, 1) where self[index].value < self[index - 1].value {
      return false
    }
    return true
  }

  /// The bits that are set in all keys, and those that are set in any key.
  private var keyBits: (all: UInt64, any: UInt64) {
    var all = UInt64.max
    var any: UInt64 = 0
    for entry in self {
      all &= entry.key
      any |= entry.key
    }
    return (all, any)
  }

  /// Sorts stably by the low digit of a number derived from each entry.
  @inline(__always)
  private mutating func pass(into other: inout [RunEntry], by number: (RunEntry) -> UInt64) {
    var offsets = [Int](repeating: 0, count: 1 << Self.digitBits)
    for entry in self { offsets[Int(truncatingIfNeeded: number(entry) & Self.digitMask)] &+= 1 }
    var sum = 0
    for digit in offsets.indices {
      let count = offsets[digit]
      offsets[digit] = sum
      sum &+= count
    }
    var room = other.mutableSpan
    for entry in self {
      let digit = Int(truncatingIfNeeded: number(entry) & Self.digitMask)
      room[offsets[digit]] = entry
      offsets[digit] &+= 1
    }
    swap(&self, &other)
  }
}
