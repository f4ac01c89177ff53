internal import LedgerEvents
public import LedgerQueries

/// The totals of a table: the number of rows, and the sums of its important numbers.
///
/// They are computed twice, from the ledger's answers and from what was read back, and must be the
/// same both times.
public struct ControlTotals: Hashable, Sendable {
  public private(set) var rows = 0
  /// The sums, by the column and the values by which it is grouped, such as
  /// `amount production sale EUR`.
  public private(set) var sums: [String: ExactDecimal] = [:]

  private let summed: [(column: Int, name: String, by: [Int])]

  init(of table: ExportTable) {
    let names = table.columns.map(\.name)
    summed = table.controls.compactMap { control in
      guard let column = names.firstIndex(of: control.column) else { return nil }
      return (column, control.column, control.by.compactMap { names.firstIndex(of: $0) })
    }
  }

  /// Adds a row.
  ///
  /// - Throws: ``ExportError`` if a sum has too many digits.
  mutating func add(_ row: [ExportCell]) throws(ExportError) {
    rows += 1
    for control in summed {
      guard let number = row[control.column].number else { continue }
      var key = control.name
      for column in control.by {
        if case .text(let text) = row[column] { key += " \(text)" } else { key += " -" }
      }
      var sum = sums[key] ?? .zero
      guard sum.add(number) else {
        throw ExportError(.limit, "The sum of \(key) has too many digits.")
      }
      sums[key] = sum
    }
  }

  public static func == (left: ControlTotals, right: ControlTotals) -> Bool {
    left.rows == right.rows && left.sums == right.sums
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(rows)
    hasher.combine(sums)
  }

  /// The differences, in words; `nil` if there are none.
  func difference(from written: ControlTotals) -> String? {
    if rows != written.rows {
      return "the ledger has \(rows.counted("row")), the file \(written.rows)"
    }
    for (name, sum) in sums.sorted(by: { $0.key < $1.key }) where written.sums[name] != sum {
      let found = written.sums[name]?.text ?? "nothing"
      return "\(name) is \(sum.text) in the ledger and \(found) in the file"
    }
    return sums.count == written.sums.count
      ? nil : "the file has sums that the ledger does not have"
  }
}
