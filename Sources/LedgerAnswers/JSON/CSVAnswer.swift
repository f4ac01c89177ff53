import LedgerEvents

/// An answer as CSV: a row for each object that the command prints as JSON Lines, with the same
/// names.
///
/// If a command does not declare its columns, a member that is an object becomes a column for each
/// of its members (`bytes.log`). Otherwise, it becomes JSON text, as a list does. Absent values are
/// empty.
package struct CSVAnswer {
  /// A member of an object that this program wrote, with its value as JSON text.
  typealias Member = (name: String, json: String)

  /// The columns; `nil` if the command does not declare them, so that its rows determine them.
  private var columns: [String]?
  /// The member whose elements are the rows.
  private var list: String?
  private var isBegun = false
  /// Rows that wait because the columns are not known before the last row.
  private var waiting: [[Member]] = []

  package init() {}

  /// Declares the columns, so that an answer without rows has a header, too.
  package mutating func declare(_ columns: [String], list: String?) {
    self.columns = columns
    self.list = list
  }

  /// Returns the lines of CSV, with their line ends, that a printed line of JSON adds.
  ///
  /// What is not an object, such as text for people, stays as it is.
  package mutating func lines(adding json: [UInt8]) -> [[UInt8]] {
    guard json.first == UInt8(ascii: "{") else { return [json + [UInt8(ascii: "\n")]] }
    guard let columns else {
      waiting.append(Self.flattened(JSONPieces.members(of: json)))
      return []
    }
    return begin(columns) + rows(JSONPieces.members(of: json)).map { Self.line($0, columns) }
  }

  /// Returns the remaining lines at the end of the answer.
  package mutating func lastLines() -> [[UInt8]] {
    if let columns { return begin(columns) }
    var found: [String] = []
    for member in waiting.joined() where !found.contains(member.name) { found.append(member.name) }
    defer { waiting.removeAll() }
    if found.isEmpty { return [] }
    return begin(found) + waiting.map { Self.line($0, found) }
  }

  private mutating func begin(_ columns: [String]) -> [[UInt8]] {
    if isBegun { return [] }
    isBegun = true
    return [CSVText.line(columns.map { .text($0) })]
  }

  /// The rows of a document: the document itself, or its elements combined with the document's
  /// other members.
  private func rows(_ members: [Member]) -> [[Member]] {
    guard let list, let elements = members.first(where: { $0.name == list }) else {
      return [members]
    }
    return JSONPieces.elements(of: Array(elements.json.utf8)).map { element in
      // An element's own members take precedence, so they come first.
      JSONPieces.members(of: element) + members
    }
  }

  private static func line(_ members: [Member], _ columns: [String]) -> [UInt8] {
    CSVText.line(
      columns.map { column in
        members.first { $0.name == column }.map { cell($0.json) } ?? .absent
      })
  }

  private static func cell(_ json: String) -> CSVText.Cell {
    switch json.utf8.first {
    case UInt8(ascii: "\""):
      let text = JSONPieces.text(json)
      // Money is text in JSON, so that no reader rounds it. In CSV it is a number.
      let isDecimal = JSONNumber.isDecimal(text.utf8.span, 0..<text.utf8.count)
      return isDecimal ? .plain(text) : .text(text)
    case UInt8(ascii: "{"), UInt8(ascii: "["): return .text(json)
    case UInt8(ascii: "n"), nil: return .absent
    default: return .plain(json)
    }
  }

  private static func flattened(_ members: [Member]) -> [Member] {
    members.flatMap { member -> [Member] in
      guard member.json.utf8.first == UInt8(ascii: "{") else { return [member] }
      return flattened(JSONPieces.members(of: Array(member.json.utf8))).map {
        ("\(member.name).\($0.name)", $0.json)
      }
    }
  }
}
