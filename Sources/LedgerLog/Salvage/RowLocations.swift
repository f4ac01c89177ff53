internal import PageReading

/// Where a table's rows are in a file, by their keys, which are numbers.
struct RowLocations {
  /// How a row was found. Earlier cases take precedence.
  enum Origin: Int8 {
    /// A tree leads to it.
    case tree
    /// A tree leads to its page, which is damaged, and it joins its neighbours there.
    case damagedLeaf
    /// It is on a page that no tree leads to.
    case outside
    /// It is on a damaged page and does not adjoin its neighbours. Without a proof, it counts as
    /// missing.
    case damagedPage

    /// Whether a tree leads to it, so that it is of no commit that failed.
    var isOfTree: Bool { self == .tree || self == .damagedLeaf }
  }

  /// A row's key, and its page and node.
  private struct Row {
    let key: UInt64
    let page: UInt64
    let node: Int32
    let origin: Origin
  }

  private var rows: [Row] = []

  /// Keys for which different rows were found, so that the right one is unknown.
  private(set) var contested: Set<UInt64> = []

  /// Keys of rows that no tree leads to and that the hash tree contradicts.
  private(set) var rejected: Set<UInt64> = []

  /// How many rows were found by the table's own tree.
  private(set) var reachedCount = 0

  /// How many keys there are.
  var count: Int { rows.count }

  /// Notes a row.
  mutating func add(_ key: UInt64, _ page: UInt64, _ node: Int, _ origin: Origin) {
    rows.append(Row(key: key, page: page, node: Int32(node), origin: origin))
    if origin == .tree { reachedCount += 1 }
  }

  /// Has a row count as missing, unless a tree leads to it.
  ///
  /// - Returns: Whether there was such a row.
  /// - Complexity: O(log *n*).
  mutating func rejectOutside(_ key: UInt64) -> Bool {
    guard let origin = origin(of: key), !origin.isOfTree else { return false }
    rejected.insert(key)
    return true
  }

  /// Puts the rows in order. Of rows with one key, the best origin counts; those of one origin must
  /// be the same.
  ///
  /// - Complexity: O(*n* log *n*).
  mutating func resolveDuplicates(_ source: SalvageSource) {
    rows.sort { left, right in
      (left.key, left.origin.rawValue) < (right.key, right.origin.rawValue)
    }
    var kept: [Row] = []
    for row in rows {
      guard let last = kept.last, last.key == row.key else {
        kept.append(row)
        continue
      }
      if last.origin != row.origin { continue }
      if source.value(last.page, Int(last.node)) != source.value(row.page, Int(row.node)) {
        contested.insert(row.key)
      }
    }
    rows = kept
  }

  /// The value of the row with this key; nil if there is none, or if it is contested or rejected.
  ///
  /// - Complexity: O(log *n*) and a read of its page.
  func value(_ key: UInt64, _ source: SalvageSource) -> [UInt8]? {
    guard let index = index(of: key), !contested.contains(key), !rejected.contains(key) else {
      return nil
    }
    return source.value(rows[index].page, Int(rows[index].node))
  }

  /// How the row with this key was found; nil if there is none.
  ///
  /// - Complexity: O(log *n*).
  func origin(of key: UInt64) -> Origin? { index(of: key).map { rows[$0].origin } }

  /// Every key, in order.
  var keys: some Sequence<UInt64> { rows.lazy.map(\.key) }

  /// The highest key; 0 if there is none.
  var lastKey: UInt64 { rows.last?.key ?? 0 }

  private func index(of key: UInt64) -> Int? {
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if rows[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low < rows.count && rows[low].key == key ? low : nil
  }
}
