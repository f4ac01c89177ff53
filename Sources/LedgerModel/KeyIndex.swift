/// Finds the index of a key in a table that only grows. It scans the keys while they are few, and
/// uses a dictionary when they are many.
///
/// The keys are in the order of the table. The dictionary is derived from them and never stored.
struct KeyIndex: Sendable {
  private(set) var keys: [UInt64] = []
  private var places: [UInt64: Int] = [:]
  /// The index found last, because events about one thing come in bursts.
  private var recent = 0

  /// A dictionary is used for more keys than this.
  private static let scannedCountMax = 16
  /// The capacity reserved for the first key, because most tables have only a few.
  private static let usualCount = 4

  init() {}

  /// The index of `key`, or −1.
  ///
  /// - Complexity: O(1).
  mutating func find(_ key: UInt64) -> Int {
    if recent < keys.count, keys[recent] == key { return recent }
    let place = lookUp(key)
    if place >= 0 { recent = place }
    return place
  }

  /// The index of `key`, or −1. Does not remember it.
  func lookUp(_ key: UInt64) -> Int {
    if keys.count <= Self.scannedCountMax {
      for place in keys.indices where keys[place] == key { return place }
      return -1
    }
    return places[key] ?? -1
  }

  /// Appends a new key and returns its index.
  mutating func append(_ key: UInt64) -> Int {
    let place = keys.count
    if place == 0 { keys.reserveCapacity(Self.usualCount) }
    keys.append(key)
    if keys.count == Self.scannedCountMax + 1 {
      for (place, key) in keys.enumerated() { places[key] = place }
    } else if keys.count > Self.scannedCountMax {
      places[key] = place
    }
    recent = place
    return place
  }

  /// Replaces the key at `place` by one that is not there yet.
  ///
  /// - Complexity: O(1).
  mutating func replace(at place: Int, with key: UInt64) {
    if keys.count > Self.scannedCountMax {
      places[keys[place]] = nil
      places[key] = place
    }
    keys[place] = key
  }
}
