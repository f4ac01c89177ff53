internal import LedgerEvents

/// What the writer knows by heart: ids and names that lie beyond the index's reach.
///
/// Two generations each, so that what the index has caught up with can be dropped whole: the older
/// goes when the index reaches its end, and the newer takes its place.
struct LogTail {
  private var ids = Generations()
  private var names = Generations()

  /// Ids of events up to this position, and from `idsFrom` on, are in the tail.
  private(set) var position: UInt64 = 0
  /// Names up to this number are in the tail.
  private(set) var name: NameNumber = 0

  /// A tail that is behind no index: nothing was read yet.
  init() {
    ids.start = .max
    names.start = .max
  }

  /// A tail behind an index.
  init(behind index: some LogIndex) {
    position = index.reach
    name = index.nameReach
    ids.bound = UInt32(truncatingIfNeeded: index.reach)
    ids.start = ids.bound
    names.bound = index.nameReach
    names.start = names.bound
  }

  /// How many ids and names are held.
  var count: Int { ids.count + names.count }

  /// Bytes of memory.
  var byteCount: Int { ids.byteCount + names.byteCount }

  /// Whether index and tail together leave nothing out.
  func meets(_ index: some LogIndex) -> Bool {
    index.reach >= UInt64(ids.start) && index.nameReach >= names.start
  }

  /// Takes the id of the event that follows the last one taken.
  mutating func appendID(_ hash: UInt64) {
    position += 1
    ids.newer.insert(hash, UInt32(truncatingIfNeeded: position))
  }

  /// Takes the name that follows the last one taken.
  mutating func appendName(_ hash: UInt64) {
    name += 1
    names.newer.insert(hash, name)
  }

  /// The position of the event with this id.
  @inline(__always)
  func position(
    _ hash: UInt64, where isIt: (UInt32) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> UInt32? {
    try ids.first(hash, where: isIt)
  }

  /// The number of the name.
  @inline(__always)
  func name(
    _ hash: UInt64, where isIt: (UInt32) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> UInt32? {
    try names.first(hash, where: isIt)
  }

  /// Drops what `index` holds by now.
  mutating func drop(reachedBy index: some LogIndex) {
    ids.drop(through: UInt32(truncatingIfNeeded: index.reach), end: UInt32(position))
    names.drop(through: index.nameReach, end: name)
  }
}

/// Two maps: values in `start + 1 ... bound` in the older, those above in the newer.
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

  /// Drops the older generation once the index reaches its end; the newer becomes the older.
  mutating func drop(through reach: UInt32, end: UInt32) {
    guard reach > start, reach >= bound, end > bound || older.count > 0 else { return }
    older = newer
    newer = CandidateMap()
    start = bound
    bound = end
  }
}
