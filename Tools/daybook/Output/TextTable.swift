import LedgerEvents

/// A table for people: columns are as wide as their widest cell and two spaces apart, and the table
/// is no wider than the terminal.
struct TextTable {
  private let header: [String]
  private let amounts: Set<Int>
  private var rows: [[String]] = []
  /// The rows that are printed in red.
  private var alarming: Set<Int> = []

  private static let gap = 2

  /// - Parameter amounts: The titles of the columns whose cells are numbers to compare. They are
  ///   aligned to the right.
  init(_ header: [String], amounts: Set<String> = []) {
    self.header = header
    self.amounts = Set(header.indices.filter { amounts.contains(header[$0]) })
  }

  /// - Parameter isAlarming: Whether to print the row in red, where colour is used.
  mutating func add(_ row: [String], isAlarming: Bool = false) {
    precondition(row.count == header.count, "a row has a cell for each column")
    if isAlarming { alarming.insert(rows.count) }
    rows.append(row.map(\.printable))
  }

  var isEmpty: Bool { rows.isEmpty }

  /// The lines for standard output, fitted to the terminal if it is one.
  var lines: [String] { lines(indent: "") }

  /// The same lines with an indent, which counts towards their width.
  func lines(indent: String) -> [String] {
    lines(
      within: Console.columns.map { $0 - indent.count }, title: Console.bold, alarm: Console.red
    ).map { indent + $0 }
  }

  /// The lines, each no wider than `columns` if that leaves room for every column. A cell that is
  /// too wide continues in the next line, under its beginning.
  ///
  /// - Parameters:
  ///   - columns: The width; `nil` for no limit.
  ///   - title: Formats the line of titles.
  ///   - alarm: Formats the lines of alarming rows.
  func lines(
    within columns: Int?, title: (String) -> String = { $0 }, alarm: (String) -> String = { $0 }
  ) -> [String] {
    var widths = header.map(\.count)
    for row in rows {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
    }
    if let columns { fit(&widths, into: columns) }
    return lines(of: header, widths).map(title)
      + rows.enumerated().flatMap { index, row in
        let lines = lines(of: row, widths)
        return alarming.contains(index) ? lines.map(alarm) : lines
      }
  }

  // MARK: - Fitting

  /// The minimum width of a column.
  private static let widthMin = 6

  /// Narrows the widest columns to one width. Amounts stay as they are, because a number that is
  /// split would be read as another one.
  private func fit(_ widths: inout [Int], into columns: Int) {
    let others = widths.indices.filter { !amounts.contains($0) }
    let taken = amounts.reduce(0) { $0 + widths[$1] } + Self.gap * (widths.count - 1)
    let room = columns - taken
    let natural = widths
    guard !others.isEmpty, others.reduce(0, { $0 + natural[$1] }) > room else { return }
    // Titles are not split if there is room for them.
    let titles = others.reduce(0) { $0 + header[$1].count } <= room
    func width(_ column: Int, _ cap: Int) -> Int {
      min(natural[column], max(cap, titles ? header[column].count : Self.widthMin))
    }
    var cap = Self.widthMin
    while others.reduce(0, { $0 + width($1, cap + 1) }) <= room { cap += 1 }
    for column in others { widths[column] = width(column, cap) }
    for column in others where widths[column] < width(column, cap + 1) {
      guard others.reduce(0, { $0 + widths[$1] }) < room else { break }
      widths[column] += 1
    }
  }

  private func lines(of row: [String], _ widths: [Int]) -> [String] {
    let cells = row.indices.map { Self.pieces(of: row[$0], within: widths[$0]) }
    let height = cells.map(\.count).max() ?? 0
    return (0..<height).map { index in
      var line = ""
      for (column, cell) in cells.enumerated() {
        let piece = index < cell.count ? cell[index] : ""
        let space = String(repeating: " ", count: widths[column] - piece.count)
        line += amounts.contains(column) ? space + piece : piece + space
        line += String(repeating: " ", count: Self.gap)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// A cell in pieces of at most `width` characters, split at a space or after a punctuation mark
  /// if there is one in the second half.
  private static func pieces(of cell: String, within width: Int) -> [String] {
    var rest = Substring(cell)
    var pieces: [String] = []
    if cell.count > width, width >= dateCount, cell.wholeMatch(of: /[0-9-]{10}T[0-9:.]+.*/) != nil {
      // A time continues with its time of day.
      pieces.append(String(rest.prefix(dateCount)))
      rest = rest.dropFirst(dateCount)
    }
    while rest.count > width {
      let line = rest.prefix(width + 1)
      let early = line.index(line.startIndex, offsetBy: width / 2)
      let cut: Substring.Index
      if let space = line[early...].lastIndex(of: " ") {
        cut = space
      } else {
        let mark = line.dropLast()[early...].lastIndex { ".,:;/_-–".contains($0) }
        cut = mark.map(line.index(after:)) ?? line.index(before: line.endIndex)
      }
      pieces.append(String(rest[..<cut]))
      rest = rest[cut...].drop { $0 == " " }
    }
    return pieces + [String(rest)]
  }

  /// The characters of a date, such as 2026-05-11.
  private static let dateCount = 10
}
