internal import LMDB

/// Which entries of a family are read, and in which order.
struct RunRange {
  /// The first entry in the order of keys.
  var lower: RunEntry

  /// The greatest key.
  var upper: UInt64

  /// Whether the greatest entry comes first.
  var isDescending = false

  /// Everything.
  static let all = RunRange(lower: .least, upper: .max)
}

/// The entries of one run within a range, a block at a time.
///
/// It keeps no cursor, so that it can be held across writes: a block is sought by its key, which
/// is a two-hundredth of what decoding it costs.
struct RunSource {
  private let id: UInt32
  private let range: RunRange
  private var place: RunKey?
  private var isAtEnd = false
  private var buffer: [RunEntry] = []
  private var index = 0

  init(id: UInt32, range: RunRange) {
    self.id = id
    self.range = range
  }

  /// The order of the next entry, or the greatest number when there is none.
  ///
  /// A descending source counts its entries' orders from the other end, so that whoever merges
  /// sources takes the least of them either way.
  @inline(__always)
  mutating func pop(_ view: TransactionView, _ table: Table) throws(RunsError) -> UInt128 {
    while index == buffer.count {
      guard try refill(view, table) else { return .max }
    }
    let entry = buffer[index]
    index &+= 1
    return range.isDescending ? RunSource.mirrored(entry.order) : entry.order
  }

  /// The order of 96 bits counted from the other end.
  @inline(__always)
  static func mirrored(_ order: UInt128) -> UInt128 { ((UInt128(1) << 96) - 1) ^ order }

  @inline(never)
  private mutating func refill(
    _ view: TransactionView, _ table: Table
  ) throws(RunsError) -> Bool {
    guard !isAtEnd else { return false }
    var cursor = try RunCursor(view, table)
    return try refill(&cursor)
  }

  /// Reads the next block of the range; false behind the last.
  ///
  /// The first call may be made with a cursor that several sources share.
  mutating func refill(_ cursor: inout RunCursor) throws(RunsError) -> Bool {
    buffer.removeAll(keepingCapacity: true)
    index = 0
    guard let key = try move(&cursor) else {
      isAtEnd = true
      return false
    }
    place = key
    let block = try cursor.block(key)
    if range.lower.key <= block.first && range.upper == .max {
      try block.append(to: &buffer)
    } else {
      let isBeyond = try block.append(from: range.lower.key, through: range.upper, to: &buffer)
      if isBeyond && !range.isDescending { isAtEnd = true }
    }
    if key.firstKey <= range.lower.key {
      // Only here can values under the least key precede the range's first entry.
      buffer.removeAll { $0 < range.lower }
    }
    if range.isDescending {
      buffer.reverse()
      if key.firstKey < range.lower.key { isAtEnd = true }
    }
    return true
  }

  /// Moves `cursor` to the next block that can hold entries of the range.
  private func move(_ cursor: inout RunCursor) throws(RunsError) -> RunKey? {
    let key: RunKey?
    if range.isDescending {
      if let place {
        key = try cursor.seek(before: place)
      } else {
        let last = RunEntry(key: range.upper, value: .max)
        key = try cursor.seek(through: RunKey(run: id, order: last.order))
      }
      guard let key, key.run == id else { return nil }
      return key
    }
    if let place {
      key = try cursor.seek(place.successor)
    } else {
      let first = RunKey(run: id, order: range.lower.order)
      let before = try cursor.seek(through: first)
      key = before?.run == id ? before : try cursor.seek(first)
    }
    guard let key, key.run == id, key.firstKey <= range.upper else { return nil }
    return key
  }
}
