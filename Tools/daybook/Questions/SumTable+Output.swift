import LedgerAnswers
import LedgerModel
import LedgerQueries

extension SumTable {
  /// What people read where nothing was added up.
  private static let nothing = "nothing was sold, refunded or revoked"
  /// The columns with numbers to compare.
  private static let amounts: Set<String> = [
    "transactions", "quantity", "amount", "without amount", "sales", "refunds", "sold", "refunded",
    "net",
  ]

  /// Prints sales net of refunds, a line for each group and currency.
  ///
  /// - Throws: `LedgerError`, `limitReached` if a sum has too many digits.
  func printNet(_ format: OutputFormat) throws(LedgerError) {
    var printer = ListPrinter<NetLine>(
      format, header: Self.titles(netColumns), amounts: Self.amounts, columns: netColumns,
      nothing: Self.nothing,
      row: { line in
        line.key.group.map { String(cell: $0) }
          + (showsCurrency ? [String(cell: line.key.currency)] : [])
          + ["\(line.sum.sales)", "\(line.sum.refunds)"]
          + [line.sum.sold, line.sum.refunded, line.sum.net].map(\.text)
          + ["\(line.sum.withoutAmount)"]
      },
      write: { write($0, to: &$1) })
    for line in try netLines() { printer.add(line) }
    printer.end()
  }

  /// - Throws: `LedgerError`, `limitReached` if a sum has too many digits.
  func print(_ format: OutputFormat) throws(LedgerError) {
    var printer = ListPrinter<Line>(
      format, header: Self.titles(columns), amounts: Self.amounts, columns: columns,
      nothing: Self.nothing, row: row, write: { write($0, to: &$1) })
    for line in try lines() { printer.add(line) }
    printer.end()
  }

  private static func titles(_ columns: [String]) -> [String] {
    columns.map { $0 == "withoutAmount" ? "without amount" : $0 }
  }

  private func row(_ line: Line) -> [String] {
    var cells = line.values.map { String(cell: $0) } + [line.kind.text]
    if showsCurrency { cells.append(String(cell: line.currency)) }
    cells.append("\(line.sum.transactions)")
    if columns.contains("quantity") { cells.append("\(line.sum.quantity)") }
    if columns.contains("amount") {
      cells += [line.sum.amount?.text ?? "-", "\(line.sum.withoutAmount)"]
    }
    return cells
  }
}
