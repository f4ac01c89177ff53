internal import LMDB
internal import LedgerEvents

/// The numbers of names that came up of late: a bounded table in which a name pushes out whichever
/// stood in its place.
struct NameCache {
  /// How many names there is room for: 2^16 take 1.3 MB and the rows.
  static let slotsMax = 1 << 16

  private var hashes = [UInt64](repeating: 0, count: NameCache.slotsMax)
  /// 0 where nothing stands.
  private var numbers = [NameNumber](repeating: 0, count: NameCache.slotsMax)
  private var rows = [[UInt8]](repeating: [], count: NameCache.slotsMax)

  /// The number of the name with this row, whose hash is `hash`; exact.
  @inline(__always)
  func number(_ hash: UInt64, _ row: Span<UInt8>) -> NameNumber? {
    let slot = slot(hash)
    guard hashes[slot] == hash, numbers[slot] != 0 else { return nil }
    let known = rows[slot]
    return known.span.equals(row) ? numbers[slot] : nil
  }

  /// Remembers a number that is in the log.
  @inline(__always)
  mutating func insert(_ hash: UInt64, _ row: Span<UInt8>, _ number: NameNumber) {
    let slot = slot(hash)
    hashes[slot] = hash
    numbers[slot] = number
    rows[slot] = [UInt8](copying: row)
  }

  /// Forgets everything: after a commit that failed.
  mutating func removeAll() { self = NameCache() }

  @inline(__always)
  private func slot(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash >> 20) & (NameCache.slotsMax - 1)
  }
}
