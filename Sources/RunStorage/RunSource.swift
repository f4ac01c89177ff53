internal import LMDB

/// The range of entries to read.
struct RunRange {
  /// The least entry.
  var lower: RunEntry

  /// The greatest key.
  var upper: UInt64

  /// Everything.
  static let all = RunRange(lower: .least, upper: .max)
}

/// The entries of one run within a range, a block at a time.
///
/// It has no cursor, so it can be kept across writes. Seeking a block by its key takes a
/// two-hundredth of the time for decoding it.
struct RunSource {
  private let run: RunDescription
  private let range: RunRange
  private var lastKey: RunKey?
  /// The first key of the block after the last one that was read.
  private var next: UInt64
  private var isAtEnd = false
  private var buffer: [RunEntry] = []
  private var index = 0

  init(_ run: RunDescription, range: RunRange) {
    self.run = run
    next = run.first
    self.range = range
  }

  /// Returns the order of the next entry, or the greatest number if there is none.
  @inline(__always)
  mutating func pop(_ view: TransactionView, _ table: Table) throws(RunsError) -> UInt128 {
    while index == buffer.count {
      guard try refill(view, table) else { return .max }
    }
    let entry = buffer[index]
    index &+= 1
    return entry.order
  }

  @inline(never)
  private mutating func refill(
    _ view: TransactionView, _ table: Table
  ) throws(RunsError) -> Bool {
    guard !isAtEnd else { return false }
    var cursor = try RunCursor(view, table)
    return try refill(&cursor)
  }

  /// Reads the next block of the range. Returns false after the last one.
  ///
  /// The first call can use a cursor that several sources share.
  mutating func refill(_ cursor: inout RunCursor) throws(RunsError) -> Bool {
    buffer.removeAll(keepingCapacity: true)
    index = 0
    guard let key = try move(&cursor) else {
      isAtEnd = true
      return false
    }
    lastKey = key
    let block = try cursor.block(key)
    next = block.next
    if range.lower.key <= block.first && range.upper == .max {
      try block.append(to: &buffer)
    } else {
      let isBeyond = try block.append(from: range.lower.key, through: range.upper, to: &buffer)
      if isBeyond { isAtEnd = true }
    }
    if key.firstKey <= range.lower.key {
      // Only this block can contain values under the least key that precede the range.
      buffer.removeAll { $0 < range.lower }
    }
    return true
  }

  /// Moves `cursor` to the next block that can contain entries of the range.
  ///
  /// - Throws: ``RunsError`` if the run does not have the blocks that were written.
  private func move(_ cursor: inout RunCursor) throws(RunsError) -> RunKey? {
    let key: RunKey?
    if let lastKey {
      key = try cursor.seek(lastKey.successor)
    } else {
      let first = RunKey(run: run.id, order: range.lower.order)
      let before = try cursor.seek(through: first)
      if let before, before.run == run.id { return before }
      key = try cursor.seek(first)
    }
    guard try run.continues(with: key, at: next, isFirst: lastKey == nil), let key,
      key.firstKey <= range.upper
    else { return nil }
    return key
  }
}

extension RunDescription {
  /// Whether the block under `key` is the run's next one; false after the last one.
  ///
  /// - Parameters:
  ///   - key: The row after the last block that was read, of any run.
  ///   - next: The first key of the block that must follow.
  ///   - isFirst: Whether no block was read before.
  /// - Throws: ``RunsError`` if a block other than the one written follows, or none does.
  func continues(
    with key: RunKey?, at next: UInt64, isFirst: Bool = false
  ) throws(RunsError) -> Bool {
    if let key, key.run == id {
      guard key.firstKey == next else {
        throw .corrupt("A sorted run lacks the block that begins with the key \(next)")
      }
      return true
    }
    guard next == RunBlock.noNextKey, !isFirst else {
      throw .corrupt("A sorted run ends before the key \(next)")
    }
    return false
  }
}
