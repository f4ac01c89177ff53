/// A hash of a state that is the same on every machine and in every process, unlike Swift's own.
struct Fingerprint {
  private(set) var value: UInt64 = 0x9AE1_6A3B_2F90_404F

  /// Adds a number.
  mutating func feed(_ number: some FixedWidthInteger) {
    value = (value ^ UInt64(truncatingIfNeeded: number)) &* 0x9FB2_1C65_1E98_DF25
    value ^= value >> 32
  }

  /// Adds a Boolean value.
  mutating func feed(_ flag: Bool) { feed(flag ? 1 : 2) }
}
