import LedgerAnswers
import LedgerEvents
import LedgerStore

/// Prints a list of answers in the requested format: one document, one line each, or a table.
struct ListPrinter<Element> {
  let format: OutputFormat
  let header: [String]
  let row: (Element) -> [String]
  let write: (Element, inout JSONText) -> Void
  /// Whether people see an element in red.
  let isAlarming: (Element) -> Bool
  /// What people read if there is nothing to print.
  let nothing: String

  private var table: TextTable
  private var document = JSONText()
  private var count = 0

  /// - Parameters:
  ///   - amounts: The titles of the columns with numbers to compare.
  ///   - columns: The names of the members that `write` writes, for CSV. If it is empty, the
  ///     elements' members are the columns.
  init(
    _ format: OutputFormat, header: [String], amounts: Set<String> = [], columns: [String] = [],
    nothing: String,
    row: @escaping (Element) -> [String],
    isAlarming: @escaping (Element) -> Bool = { _ in false },
    write: @escaping (Element, inout JSONText) -> Void
  ) {
    self.isAlarming = isAlarming
    self.format = format
    self.header = header
    self.nothing = nothing
    self.row = row
    self.write = write
    table = TextTable(header, amounts: amounts)
    if !columns.isEmpty { Console.declare(columns: columns) }
  }

  mutating func add(_ element: Element) {
    switch format {
    case .table: table.add(row(element), isAlarming: isAlarming(element))
    case .json:
      // One element per line, so that a long document can be read and compared.
      var json = JSONText()
      write(element, &json)
      Console.print((count == 0 ? "[" : ",") + json.text)
    case .jsonl:
      var json = JSONText()
      write(element, &json)
      Console.print(json.text)
    }
    count += 1
  }

  mutating func end() {
    switch format {
    case .table:
      if table.isEmpty { Console.print(nothing) } else { table.lines.forEach(Console.print) }
    case .json: Console.print(count == 0 ? "[]" : "]")
    case .jsonl: break
    }
  }
}

extension String {
  /// A cell for a value that may be absent.
  init(cell name: Name?) { self = name?.text ?? "-" }

  init(cell instant: Instant?) { self = instant?.shown ?? "-" }
}
