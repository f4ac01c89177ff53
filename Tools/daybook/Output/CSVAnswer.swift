import LedgerEvents
import LedgerExport

/// An answer as CSV: what the command prints as JSON Lines, a row an object, with the same names.
///
/// If a command does not declare its columns, a member that is an object is as many columns as it
/// has members (`bytes.log`); else it is JSON text, as a list is. Absent values are empty.
struct CSVAnswer {
  /// A member of an object that this program wrote, with its value as JSON text.
  typealias Member = (name: String, json: String)

  /// The columns; nil where a command does not say them, and its rows do.
  private var columns: [String]?
  /// The member whose elements are the rows, behind the document's own members.
  private var list: String?
  private var isBegun = false
  /// Rows whose columns are not known before the last one.
  private var waiting: [[Member]] = []

  /// Says which columns there are, so that an answer without rows has a header, too.
  mutating func declare(_ columns: [String], list: String?) {
    self.columns = columns
    self.list = list
  }

  /// The lines of CSV, without their line ends, that a printed line of JSON adds.
  ///
  /// What is no object, such as words for people, stays as it is.
  mutating func lines(adding json: [UInt8]) -> [[UInt8]] {
    guard json.first == UInt8(ascii: "{") else { return [json + [UInt8(ascii: "\n")]] }
    guard let columns else {
      waiting.append(Self.flattened(JSONPieces.members(of: json)))
      return []
    }
    return begin(columns) + rows(JSONPieces.members(of: json)).map { Self.line($0, columns) }
  }

  /// The lines that are left at the end of the answer.
  mutating func lastLines() -> [[UInt8]] {
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

  /// The rows of a document: itself, or its elements behind what stands beside them.
  private func rows(_ members: [Member]) -> [[Member]] {
    guard let list, let elements = members.first(where: { $0.name == list }) else {
      return [members]
    }
    return JSONPieces.elements(of: Array(elements.json.utf8)).map { element in
      // What an element says itself counts, so it stands in front.
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
      // Money is text in JSON, so that no reader rounds it; in a table it is a number.
      return text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?/) == nil ? .text(text) : .plain(text)
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
