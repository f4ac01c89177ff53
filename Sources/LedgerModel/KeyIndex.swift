/// Finds the index of a key in a table that only grows. It scans the keys while they are few, and
/// uses a dictionary when they are many.
///
/// The keys are in the order of the table. The dictionary is derived from them and never stored.
struct KeyIndex: Sendable {
  private(set) var keys: StateTable<UInt64> = []
  private var indices: [UInt64: Int] = [:]
  /// The index found last, because events about one thing come in bursts.
  private var recent = 0

  /// A dictionary is used for more keys than this.
  private static let scannedCountMax = 16
  /// The capacity reserved for the first key, because most tables have only a few.
  private static let usualCount = 4

  init() {}

  /// The index of `key`, or `none`.
  ///
  /// - Complexity: O(1).
  mutating func find(_ key: UInt64) -> Int {
    if recent < keys.count, keys[recent] == key { return recent }
    let index = lookUp(key)
    if index >= 0 { recent = index }
    return index
  }

  /// The index of `key`, or `none`. Does not remember it.
  func lookUp(_ key: UInt64) -> Int {
    if keys.count <= Self.scannedCountMax {
      for index in keys.indices where keys[index] == key { return index }
      return none
    }
    return indices[key] ?? none
  }

  /// Appends a new key and returns its index.
  mutating func append(_ key: UInt64) -> Int {
    let index = keys.count
    if index == 0 { keys.reserveCapacity(Self.usualCount) }
    keys.append(key)
    if keys.count == Self.scannedCountMax + 1 {
      for (index, key) in keys.enumerated() { indices[key] = index }
    } else if keys.count > Self.scannedCountMax {
      indices[key] = index
    }
    recent = index
    return index
  }

  /// Replaces the key at `index` by one that is not there yet.
  ///
  /// - Complexity: O(1).
  mutating func replace(at index: Int, with key: UInt64) {
    if keys.count > Self.scannedCountMax {
      indices[keys[index]] = nil
      indices[key] = index
    }
    keys[index] = key
  }
}

extension KeyIndex {
  /// Shows the keys to a visitor of the state's tables, and derives the dictionary again if the
  /// visitor has read them.
  mutating func visit<Visitor: StateTableVisitor>(
    _ number: StateTableNumber, _ visitor: inout Visitor
  ) {
    visitor.visit(number, of: &self)
  }

  /// Shows the keys to a visitor as any other table.
  fileprivate mutating func visitKeys<Visitor: StateTableVisitor>(
    _ number: StateTableNumber, _ visitor: inout Visitor
  ) {
    visitor.visit(number, &keys)
    if Visitor.readsTables { deriveIndices() }
  }

  private mutating func deriveIndices() {
    indices = [:]
    recent = 0
    guard keys.count > Self.scannedCountMax else { return }
    indices.reserveCapacity(keys.count)
    for (index, key) in keys.enumerated() { indices[key] = index }
  }
}

extension StateTableVisitor {
  mutating func visit(_ number: StateTableNumber, of index: inout KeyIndex) {
    index.visitKeys(number, &self)
  }
}

// MARK: - Going back

extension KeyIndex {
  /// Marks the present moment.
  mutating func mark() { keys.mark() }

  /// Goes back to a mark, which stays.
  ///
  /// - Complexity: O(*k*) in the changes since the mark, and O(*n* / 64) in the keys.
  mutating func goBack(to mark: Int) {
    var indices = indices
    self.indices = [:]
    keys.goBack(to: mark) { index, now, then in
      if indices[now] == index { indices[now] = nil }
      if let then { indices[then] = index }
    }
    recent = 0
    if keys.count > Self.scannedCountMax { self.indices = indices }
  }

  /// Forgets the oldest marks.
  mutating func forgetMarks(_ count: Int) { keys.forgetMarks(count) }

  /// Forgets all marks.
  mutating func forgetMarks() { keys.forgetMarks() }
}
