internal import LedgerModel
internal import RunStorage

/// What the index says about the events of one unit.
///
/// Entries of runs are only added. So when a unit is parted, each position that it loses gets a
/// second entry, whose value is the number of changes so far. The position belongs to the unit if
/// the greatest value is even. Nearly all positions have one entry with the value 0.
struct UnitPostings {
  /// The positions of the unit's events, ascending.
  private(set) var positions: [UInt64] = []
  /// The greatest value of each position that has more than one entry.
  private var changes: [UInt64: UInt32] = [:]

  /// Adds the next entry, in the order of the index.
  mutating func add(_ entry: RunEntry) {
    let position = IndexKey.position(ofPosting: entry.key)
    if entry.value > 0 { changes[position] = entry.value }
    let isLast = positions.last == position
    if IndexKey.isPresent(entry.value) {
      if !isLast { positions.append(position) }
    } else if isLast {
      positions.removeLast()
    }
  }

  /// Returns the entries to add so that the unit has exactly these positions, in no particular
  /// order.
  ///
  /// - Complexity: O(*n*) in the positions before and after.
  func entries(toHold wanted: Set<UInt64>, _ unit: UnitNumber) -> [RunEntry] {
    var entries: [RunEntry] = []
    var missing = wanted
    for position in positions where missing.remove(position) == nil {
      entries.append(
        RunEntry(
          key: IndexKey.posting(unit: unit, position: position), value: change(of: position)))
    }
    for position in missing {
      entries.append(
        RunEntry(
          key: IndexKey.posting(unit: unit, position: position),
          value: changes[position] == nil ? 0 : change(of: position)))
    }
    return entries
  }

  /// The value of the next entry of a position.
  private func change(of position: UInt64) -> UInt32 { (changes[position] ?? 0) + 1 }
}
