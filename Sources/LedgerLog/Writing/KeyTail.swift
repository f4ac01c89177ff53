internal import LedgerEvents

/// What the writer keeps in memory: ids and names beyond the index's reach.
///
/// There are two generations of each, so that what the index has caught up with can be dropped as a
/// whole. When the index reaches the end of the older generation, that one is dropped, and the
/// newer one takes its place.
struct LogTail {
  private var ids = Generations()
  private var names = Generations()

  /// The tail contains the ids of the events after `ids.start`, up to this position.
  private(set) var position: UInt64 = 0
  /// The tail contains the names after `names.start`, up to this number.
  private(set) var name: NameNumber = 0

  /// Creates a tail that adjoins no index, because nothing has been read yet.
  init() {
    ids.start = .max
    names.start = .max
  }

  /// Creates an empty tail that begins where an index ends.
  init(behind index: some LogIndex) {
    position = index.reach
    name = index.nameReach
    ids.bound = UInt32(truncatingIfNeeded: index.reach)
    ids.start = ids.bound
    names.bound = index.nameReach
    names.start = names.bound
  }

  /// The number of ids and names in the tail.
  var count: Int { ids.count + names.count }

  /// The size in memory in bytes.
  var byteCount: Int { ids.byteCount + names.byteCount }

  /// Returns whether index and tail together are complete.
  func meets(_ index: some LogIndex) -> Bool {
    index.reach >= UInt64(ids.start) && index.nameReach >= names.start
  }

  /// Adds the id of the event after the last one that was added.
  mutating func appendID(_ hash: UInt64) {
    position += 1
    ids.newer.insert(hash, UInt32(truncatingIfNeeded: position))
  }

  /// Adds the name after the last one that was added.
  mutating func appendName(_ hash: UInt64) {
    name += 1
    names.newer.insert(hash, name)
  }

  /// Returns the position of the event with this id.
  @inline(__always)
  func position(
    _ hash: UInt64, where isIt: (UInt32) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> UInt32? {
    try ids.first(hash, where: isIt)
  }

  /// Returns the number of the name.
  @inline(__always)
  func name(
    _ hash: UInt64, where isIt: (UInt32) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> UInt32? {
    try names.first(hash, where: isIt)
  }

  /// Drops what `index` contains by now.
  mutating func drop(reachedBy index: some LogIndex) {
    ids.drop(through: UInt32(truncatingIfNeeded: index.reach), end: UInt32(position))
    names.drop(through: index.nameReach, end: name)
  }
}

/// Two maps: the older one for values in `start + 1 ... bound`, and the newer one for those above.
private struct Generations {
  var start: UInt32 = 0
  var bound: UInt32 = 0
  var older = CandidateMap()
  var newer = CandidateMap()

  var count: Int { older.count + newer.count }
  var byteCount: Int { older.byteCount + newer.byteCount }

  @inline(__always)
  func first(
    _ hash: UInt64, where isIt: (UInt32) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> UInt32? {
    if let found = try newer.first(hash, where: isIt) { return found }
    guard older.count > 0 else { return nil }
    return try older.first(hash, where: isIt)
  }

  /// Drops the older generation if the index reaches its end. The newer one becomes the older one.
  mutating func drop(through reach: UInt32, end: UInt32) {
    guard reach > start, reach >= bound, end > bound || older.count > 0 else { return }
    older = newer
    newer = CandidateMap()
    start = bound
    bound = end
  }
}
