internal import LedgerEvents

/// What the writer keeps in memory of the ids of events, or of names: those beyond the reach of the
/// index.
///
/// There are two generations, so that what the index has caught up with can be dropped as a whole.
/// When the index reaches the end of the older generation, that one is dropped, and the newer one
/// takes its place.
struct KeyTail {
  /// The number of the last key: a position for ids, a number for names.
  private(set) var end: UInt32 = 0
  /// The tail contains the keys after this one; `nil` if nothing has been read yet.
  private var start: UInt32?
  /// The end of the older generation.
  private var bound: UInt32 = 0
  private var older = CandidateMap()
  private var newer = CandidateMap()

  /// Creates a tail that adjoins no index, because nothing has been read yet.
  init() {}

  /// Creates an empty tail that begins after the last key of an index.
  init(after reach: UInt32) {
    end = reach
    start = reach
    bound = reach
  }

  /// The number of keys in the tail.
  var count: Int { older.count + newer.count }

  /// The size in memory in bytes.
  var byteCount: Int { older.byteCount + newer.byteCount }

  /// Returns whether the tail and an index up to `reach` together are complete up to `end`.
  func adjoins(_ reach: UInt32) -> Bool {
    guard let start else { return false }
    return reach >= start
  }

  /// Adds the hash of the key after the last one.
  mutating func append(_ hash: UInt64) {
    end += 1
    newer.insert(hash, end)
  }

  /// Returns the key under `hash` for which `isIt` returns true.
  @inline(__always)
  func first(
    _ hash: UInt64, where isIt: (UInt32) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> UInt32? {
    if let found = try newer.first(hash, where: isIt) { return found }
    guard older.count > 0 else { return nil }
    return try older.first(hash, where: isIt)
  }

  /// Prepares the tail for a log that ends at `last` and an index that ends at `reach`: drops what
  /// the index contains by now, or begins again after the index.
  mutating func follow(_ reach: UInt32, in last: UInt32) {
    guard adjoins(reach), end <= last else {
      self = KeyTail(after: reach)
      return
    }
    guard reach > start ?? 0, reach >= bound, end > bound || older.count > 0 else { return }
    older = newer
    newer = CandidateMap()
    start = bound
    bound = end
  }
}
