import LedgerEvents

/// How the rows of a table become events: a JSON document, described by
/// `Schemas/table-map.schema.json`.
public struct TableMap: Sendable {
  /// A condition on a row.
  struct Filter: Sendable {
    let column: String
    let values: Set<Name>
    /// Whether the column must have one of the values, or none of them.
    let isIncluding: Bool
  }

  /// The file's name, for messages.
  let name: String
  /// The SHA-256 of the document.
  let digest: String
  let separator: UInt8
  let filters: [Filter]
  /// The fields of the envelope, without `data`, by their names.
  let envelope: [(field: EnvelopeField, value: TableValue)]
  let data: [(name: String, value: TableValue)]

  /// The most bytes of a map. One with a thousand looked up values has 40,000.
  public static let sizeBytesMax = 1 << 20

  /// Reads a map.
  ///
  /// - Throws: `ImportError` with the path in the map.
  public init(_ bytes: [UInt8], fileName: String) throws(ImportError) {
    name = ImportOptions.baseName(of: fileName)
    digest = Digest.hex(of: bytes)
    do throws(ImportError) {
      let map = try Self.document(bytes)
      separator = try Self.separator(map)
      filters = try Self.filters(map)
      guard let event = map["event"], let members = event.object else {
        throw Self.bad("event", "an object with the fields of an event", "none")
      }
      var envelope: [(field: EnvelopeField, value: TableValue)] = []
      for member in members where member.name != EnvelopeField.data.rawValue {
        let path = "event.\(member.name)"
        guard let field = EnvelopeField(rawValue: member.name), Self.isMappable(field) else {
          throw Self.unknown(
            member.name, of: EnvelopeField.allCases.filter(Self.isMappable).map(\.rawValue), "event"
          )
        }
        envelope.append((field, try TableValue(member.value, path: path)))
      }
      self.envelope = envelope
      for field in [EnvelopeField.type, .occurredAt]
      where !envelope.contains(where: { $0.field == field }) {
        throw Self.bad("event.\(field.rawValue)", "what every event needs", "none")
      }
      var data: [(name: String, value: TableValue)] = []
      if let stated = event["data"] {
        guard let members = stated.object else {
          throw Self.bad("event.data", "an object", "something else")
        }
        for member in members {
          data.append(
            (member.name, try TableValue(member.value, path: "event.data.\(member.name)")))
        }
      }
      self.data = data
    } catch { throw error.of(file: name) }
  }

  /// Whether a map can state a field: not what a ledger adds.
  private static func isMappable(_ field: EnvelopeField) -> Bool {
    field != .position && field != .recordedAt
  }

  private static func document(_ bytes: [UInt8]) throws(ImportError) -> JSONValue {
    guard bytes.count <= sizeBytesMax else {
      throw ImportError(
        .malformed, reason: "the map has more than \(sizeBytesMax) bytes",
        remedy: "Check that it is the map, and not the table")
    }
    let map: JSONValue
    do throws(EventError) { map = try JSONValue(document: bytes) } catch {
      throw ImportError(
        .malformed, path: "line \(error.line), column \(error.column)", reason: error.reason,
        remedy: "Write the map as one JSON object (Schemas/table-map.schema.json)")
    }
    guard let members = map.object else {
      throw Self.bad("", "a JSON object with an event", "something else")
    }
    try check(members, of: ["$schema", "separator", "rows", "event"], "")
    return map
  }

  private static func separator(_ map: JSONValue) throws(ImportError) -> UInt8 {
    guard let text = try text(map, "separator", "") else { return UInt8(ascii: ",") }
    guard [",", ";", "\t", "|"].contains(text), let byte = text.utf8.first else {
      throw bad("separator", "a comma, a semicolon, a tab or |", "\"\(text)\"")
    }
    return byte
  }

  private static func filters(_ map: JSONValue) throws(ImportError) -> [Filter] {
    guard let stated = map["rows"] else { return [] }
    guard let conditions = stated.array else { throw bad("rows", "an array", "something else") }
    var filters: [Filter] = []
    for (index, condition) in conditions.enumerated() {
      let path = "rows[\(index)]"
      guard let members = condition.object else { throw bad(path, "an object", "something else") }
      try check(members, of: ["column", "is", "isNot"], path)
      guard let column = try text(condition, "column", path) else {
        throw bad(path, "a column", "none")
      }
      guard let values = (condition["is"] ?? condition["isNot"])?.array?.map(\.string),
        !values.contains(nil), (condition["is"] == nil) != (condition["isNot"] == nil)
      else { throw bad(path, "is or isNot with an array of texts", "something else") }
      filters.append(
        Filter(
          column: column, values: Set(values.compactMap { $0 }.map { Name($0) }),
          isIncluding: condition["is"] != nil))
    }
    return filters
  }

  // MARK: - Members

  static func bad(_ path: String, _ expected: String, _ found: String) -> ImportError {
    ImportError(
      .badValue, path: path, reason: "expected \(expected), found \(found)",
      remedy: "Correct the map (Schemas/table-map.schema.json)")
  }

  static func unknown(_ name: String, of known: [String], _ path: String) -> ImportError {
    ImportError(
      .badValue, path: path.isEmpty ? name : "\(path).\(name)",
      reason: "expected one of \(known.joined(separator: ", ")), found \"\(name)\"",
      remedy: "Correct the map (Schemas/table-map.schema.json)")
  }

  static func check(
    _ members: [(name: String, value: JSONValue)], of known: [String], _ path: String
  ) throws(ImportError) {
    for member in members where !known.contains(member.name) {
      throw unknown(member.name, of: known, path)
    }
  }

  static func text(
    _ object: JSONValue, _ name: String, _ path: String
  ) throws(ImportError) -> String? {
    guard let value = object[name] else { return nil }
    guard let text = value.string, !text.isEmpty else {
      throw bad(path.isEmpty ? name : "\(path).\(name)", "a text", "something else")
    }
    return text
  }

  static func flag(
    _ object: JSONValue, _ name: String, _ path: String
  ) throws(ImportError) -> Bool {
    guard let value = object[name] else { return false }
    guard let flag = value.boolean else {
      throw bad("\(path).\(name)", "true or false", "something else")
    }
    return flag
  }
}
