internal import PageReading

/// The places of a table's rows in a file, by their keys, which are numbers.
struct PlacedRows {
  /// How a row was found. Earlier cases take precedence.
  enum Origin: Int8 {
    /// A tree leads to it.
    case tree
    /// It is on a page that no tree leads to, or on a damaged page where it adjoins its neighbours.
    case outside
    /// It is on a damaged page and does not adjoin its neighbours. Without a proof, it counts as
    /// missing.
    case damagedPage
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

  /// The number of rows that were found through the table's tree.
  private(set) var reachedCount = 0

  /// Adds a row.
  mutating func add(_ key: UInt64, _ page: UInt64, _ node: Int, _ origin: Origin) {
    rows.append(Row(key: key, page: page, node: Int32(node), origin: origin))
    if origin == .tree { reachedCount += 1 }
  }

  /// Sorts the rows. Of the rows with one key, those with the best origin count. They must be
  /// equal.
  ///
  /// - Complexity: O(*n* log *n*).
  mutating func settle(_ source: SalvageSource) {
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

  /// Returns the value of the row with this key, or `nil` if there is none or it is contested.
  ///
  /// - Complexity: O(log *n*) and a read of its page.
  func value(_ key: UInt64, _ source: SalvageSource) -> [UInt8]? {
    guard let index = index(of: key), !contested.contains(key) else { return nil }
    return source.value(rows[index].page, Int(rows[index].node))
  }

  /// Returns whether the row with this key needs a proof, because it was found on a damaged page.
  ///
  /// - Complexity: O(log *n*).
  func isLoose(_ key: UInt64) -> Bool {
    index(of: key).map { rows[$0].origin == .damagedPage } ?? false
  }

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
