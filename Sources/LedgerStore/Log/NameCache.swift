internal import LedgerEvents

/// The numbers of names that came up of late: a bounded table in which a name pushes out whichever
/// stood in its place.
struct NameCache {
  /// How many names there is room for: 2^16 take 2.4 MB and the texts.
  static let slotsMax = 1 << 16

  private var hashes = [UInt64](repeating: 0, count: NameCache.slotsMax)
  /// 0 where nothing stands.
  private var numbers = [NameNumber](repeating: 0, count: NameCache.slotsMax)
  private var uses = [NameUse](
    repeating: NameUse(kind: .app, name: ""), count: NameCache.slotsMax)

  /// The number of `use`, whose hash is `hash`; exact.
  @inline(__always)
  func number(_ hash: UInt64, _ use: borrowing NameUse) -> NameNumber? {
    let slot = slot(hash)
    guard hashes[slot] == hash, numbers[slot] != 0 else { return nil }
    let uses = uses.span
    guard uses[slot].kind == use.kind, areSame(uses[slot].name, use.name) else { return nil }
    return numbers[slot]
  }

  /// Remembers a number that is in the log.
  @inline(__always)
  mutating func insert(_ hash: UInt64, _ use: NameUse, _ number: NameNumber) {
    let slot = slot(hash)
    hashes[slot] = hash
    numbers[slot] = number
    uses[slot] = use
  }

  /// Forgets everything: after a commit that failed.
  mutating func removeAll() { self = NameCache() }

  @inline(__always)
  private func slot(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash >> 20) & (NameCache.slotsMax - 1)
  }
}
