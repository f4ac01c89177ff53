internal import LedgerEvents

/// The numbers of names that came up of late: a bounded table in which a name pushes out whichever
/// stood in its place.
struct NameCache {
  private struct Entry {
    var hash: UInt64
    var number: NameNumber
    var use: NameUse
  }

  /// How many names there is room for: 2^16 take 2.6 MB and the texts.
  static let slotsMax = 1 << 16

  private var entries = [Entry?](repeating: nil, count: NameCache.slotsMax)

  /// The number of `use`, whose hash is `hash`; exact.
  @inline(__always)
  func number(_ hash: UInt64, _ use: NameUse) -> NameNumber? {
    guard let entry = entries[slot(hash)], entry.hash == hash, entry.use.kind == use.kind,
      entry.use.name.text.utf8.span.equals(use.name.text.utf8.span)
    else { return nil }
    return entry.number
  }

  /// Remembers a number that is in the log.
  @inline(__always)
  mutating func insert(_ hash: UInt64, _ use: NameUse, _ number: NameNumber) {
    entries[slot(hash)] = Entry(hash: hash, number: number, use: use)
  }

  /// Forgets everything: after a commit that failed.
  mutating func removeAll() {
    entries = [Entry?](repeating: nil, count: NameCache.slotsMax)
  }

  @inline(__always)
  private func slot(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash >> 20) & (NameCache.slotsMax - 1)
  }
}
