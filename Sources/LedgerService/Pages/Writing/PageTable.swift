/// A table that is read as rows on a wide screen, and row by row, each value with its column's
/// name, on a phone. The roles say that it is a table where its style does not.
struct PageTable {
  let caption: String
  let columns: [String]
  private(set) var rows: [HTML] = []
  /// Whether only those read the caption who cannot see the heading above.
  var hidesCaption = true
  var id: String?

  init(_ caption: String, _ columns: [String]) {
    self.caption = caption
    self.columns = columns
  }

  /// Adds a row; its first cell is its heading.
  mutating func add(_ cells: [HTML], marked: String? = nil) {
    rows.append(Self.row(cells, columns, marked: marked))
  }

  /// Adds a row that was made before.
  mutating func add(row: HTML) { rows.append(row) }

  static func row(_ cells: [HTML], _ columns: [String], marked: String? = nil) -> HTML {
    precondition(cells.count == columns.count, "each cell has a column")
    var html: HTML = "<tr role=\"row\""
    if let marked { html += " class=\"\(marked)\"" }
    html += ">"
    for (index, cell) in cells.enumerated() {
      let label = columns[index]
      html +=
        index == 0
        ? "<th scope=\"row\" role=\"rowheader\" data-label=\"\(label)\">\(cell)</th>"
        : "<td role=\"cell\" data-label=\"\(label)\">\(cell)</td>"
    }
    return html + "</tr>"
  }

  /// The table, or a sentence if it has no rows.
  func html(empty: String) -> HTML {
    if rows.isEmpty, id == nil { return .note(empty) }
    var html: HTML = "<table role=\"table\""
    if let id { html += " id=\"\(id)\"" }
    let look: HTML = hidesCaption ? " class=\"unseen\"" : ""
    html += "><caption\(look)>\(caption)</caption>\n"
    html += "<thead role=\"rowgroup\"><tr role=\"row\">"
    for column in columns { html += "<th scope=\"col\" role=\"columnheader\">\(column)</th>" }
    html += "</tr></thead>\n<tbody role=\"rowgroup\">\n"
    for row in rows { html += row + "\n" }
    return html + "</tbody></table>\n"
  }
}
