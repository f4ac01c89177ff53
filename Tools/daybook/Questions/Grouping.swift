import LedgerAnswers
import LedgerStore

extension GroupCounts {
  func print(_ format: OutputFormat) {
    var printer = ListPrinter<Group>(
      format, header: columns, amounts: ["count"], columns: columns, nothing: "none",
      row: { group in group.values.map { String(cell: $0) } + ["\(group.count)"] },
      write: { write($0, to: &$1) })
    for group in groups { printer.add(group) }
    printer.end()
  }

  /// Prints only a count.
  static func print(total: Int, _ format: OutputFormat) {
    switch format {
    case .table: Console.print("\(total)")
    case .json, .jsonl: Console.print(json(total: total))
    }
  }
}
