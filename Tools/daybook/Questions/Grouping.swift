import ArgumentParser
import LedgerEvents
import LedgerStore

/// Counts by a key, absent ones together.
struct GroupCounts {
  let name: String
  private var counts: [Name?: Int] = [:]
  private(set) var total = 0

  init(_ name: String) { self.name = name }

  mutating func add(_ key: Name?) {
    counts[key, default: 0] += 1
    total += 1
  }

  /// The most frequent first, then by name.
  private var sorted: [(key: Name?, count: Int)] {
    counts.map { (key: $0.key, count: $0.value) }.sorted {
      ($1.count, $0.key ?? "") < ($0.count, $1.key ?? "")
    }
  }

  func print(_ format: OutputFormat) {
    var printer = ListPrinter<(key: Name?, count: Int)>(
      format, header: [name, "count"], nothing: "none",
      row: { [String(cell: $0.key), "\($0.count)"] },
      write: { group, json in
        json.object { json in
          json.member(name, group.key)
          json.member("count", group.count)
        }
      })
    for group in sorted { printer.add(group) }
    printer.end()
  }

  /// A count alone.
  static func print(total: Int, _ format: OutputFormat) {
    switch format {
    case .table: Console.print("\(total)")
    case .json, .jsonl:
      var json = JSONText()
      json.object { $0.member("count", total) }
      Console.print(json.text)
    }
  }
}

extension Instant {
  /// The day in UTC, as `2026-02-01`.
  var dayName: Name { Name(String(rfc3339.prefix(10))) }
}
