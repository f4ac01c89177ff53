package import LedgerEvents

/// Counts by one or several values; absent values are counted together.
package struct GroupCounts {
  /// The values of a group, in the order of the dimensions.
  package typealias Values = [Name?]

  /// A group and how many it has.
  package struct Group {
    package let values: Values
    package let count: Int
  }

  /// The names of the dimensions.
  package let names: [String]
  private var counts: [Values: Int] = [:]
  package private(set) var total = 0

  /// - Parameter names: The names of the dimensions.
  package init(_ names: [String]) { self.names = names }

  package mutating func add(_ values: Values) {
    counts[values, default: 0] += 1
    total += 1
  }

  /// By one value, the most frequent first; by several, in the order of the values.
  package var groups: [Group] {
    counts.map { Group(values: $0.key, count: $0.value) }.sorted { left, right in
      if names.count == 1, left.count != right.count { return left.count > right.count }
      return GroupCounts.areInOrder(left.values, right.values)
    }
  }

  /// The names of a group's members, in their order.
  package var columns: [String] { names + ["count"] }

  /// Writes a group.
  package func write(_ group: Group, to json: inout JSONText) {
    json.object { json in
      for (name, value) in zip(names, group.values) { json.member(name, value) }
      json.member("count", group.count)
    }
  }

  /// A count alone, as a document.
  package static func json(total: Int) -> String {
    var json = JSONText()
    json.object { $0.member("count", total) }
    return json.text
  }

  /// The order of groups: value by value by their bytes, absent ones first.
  static func areInOrder(_ left: Values, _ right: Values) -> Bool {
    for (one, other) in zip(left, right) where one != other {
      guard let one else { return true }
      guard let other else { return false }
      return one < other
    }
    return false
  }
}
