import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerStore

/// Counts by one or several values; absent values are counted together.
struct GroupCounts {
  /// The values of a group, in the order of the dimensions.
  typealias Values = [Name?]

  private let names: [String]
  private var counts: [Values: Int] = [:]
  private(set) var total = 0

  init(_ names: [String]) { self.names = names }

  mutating func add(_ values: Values) {
    counts[values, default: 0] += 1
    total += 1
  }

  /// By one value, the most frequent first; by several, in the order of the values.
  private var sorted: [(values: Values, count: Int)] {
    counts.map { (values: $0.key, count: $0.value) }.sorted { left, right in
      if names.count == 1, left.count != right.count { return left.count > right.count }
      return GroupCounts.areInOrder(left.values, right.values)
    }
  }

  func print(_ format: OutputFormat) {
    var printer = ListPrinter<(values: Values, count: Int)>(
      format, header: names + ["count"], amounts: ["count"], columns: names + ["count"],
      nothing: "none",
      row: { group in group.values.map { String(cell: $0) } + ["\(group.count)"] },
      write: { group, json in
        json.object { json in
          for (name, value) in zip(names, group.values) { json.member(name, value) }
          json.member("count", group.count)
        }
      })
    for group in sorted { printer.add(group) }
    printer.end()
  }

  /// Prints only a count.
  static func print(total: Int, _ format: OutputFormat) {
    switch format {
    case .table: Console.print("\(total)")
    case .json, .jsonl:
      var json = JSONText()
      json.object { $0.member("count", total) }
      Console.print(json.text)
    }
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
