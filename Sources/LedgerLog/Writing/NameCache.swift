internal import LMDB
internal import LedgerEvents

/// The numbers of recently used names: a bounded table in which a new name replaces the one in its
/// slot.
struct NameCache {
  /// The number of names for which there is room. 2^16 names take 1.3 MB, and their rows.
  static let slotsMax = 1 << 16

  private var hashes = [UInt64](repeating: 0, count: NameCache.slotsMax)
  /// The numbers of the names; 0 in an empty slot.
  private var numbers = [NameNumber](repeating: 0, count: NameCache.slotsMax)
  private var rows = [[UInt8]](repeating: [], count: NameCache.slotsMax)

  /// Returns the number of the name with this row, whose hash is `hash`. The result is exact.
  @inline(__always)
  func number(_ hash: UInt64, _ row: Span<UInt8>) -> NameNumber? {
    let slot = slot(hash)
    guard hashes[slot] == hash, numbers[slot] != 0 else { return nil }
    let known = rows[slot]
    return known.span.equals(row) ? numbers[slot] : nil
  }

  /// Adds a number that is in the log.
  @inline(__always)
  mutating func insert(_ hash: UInt64, _ row: Span<UInt8>, _ number: NameNumber) {
    let slot = slot(hash)
    hashes[slot] = hash
    numbers[slot] = number
    rows[slot] = [UInt8](copying: row)
  }

  @inline(__always)
  private func slot(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash >> 20) & (NameCache.slotsMax - 1)
  }
}
