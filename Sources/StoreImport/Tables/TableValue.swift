import LedgerEvents

/// What a map says about one field of an event: a constant, or what a column has.
struct TableValue: Sendable {
  /// What a column's text is.
  enum Kind: String, CaseIterable, Sendable {
    case text, integer, number, decimal, boolean, date, milliseconds, seconds
  }

  /// Where the map says it, for messages.
  let path: String
  /// The value, if it is the same for every row.
  private(set) var constant: JSONValue?
  /// The columns that are put together, with colons between them; mostly one.
  private(set) var columns: [String] = []
  private var kind = Kind.text
  private var format: TableDateFormat?
  /// What stands between whole numbers and fractions.
  private var point = UInt8(ascii: ".")
  private var prefix = ""
  /// What the column's values mean, if they are looked up.
  private var values: [Name: JSONValue]?
  private var otherwise: JSONValue?
  private var isRequired = false

  private static let members = [
    "constant", "column", "columns", "type", "format", "zone", "point", "prefix", "values",
    "otherwise", "required",
  ]

  /// Reads a value of a map: an object that names a column, or a constant.
  init(_ value: JSONValue, path: String) throws(ImportError) {
    self.path = path
    guard case .object(let members) = value else {
      guard value.array == nil else {
        throw TableMap.bad(path, "a constant or an object with a column", "an array")
      }
      constant = value
      return
    }
    try TableMap.check(members, of: Self.members, path)
    if let constant = value["constant"] {
      guard members.count == 1 else {
        throw TableMap.bad(path, "a constant alone", "other members beside it")
      }
      self.constant = constant
      return
    }
    columns = try Self.columns(value, path)
    try readKind(value)
    try readLookup(value)
    isRequired = try TableMap.flag(value, "required", path)
  }

  private static func columns(_ value: JSONValue, _ path: String) throws(ImportError) -> [String] {
    if let column = try TableMap.text(value, "column", path) {
      guard value["columns"] == nil else {
        throw TableMap.bad(path, "column or columns", "both")
      }
      return [column]
    }
    guard let names = value["columns"]?.array?.map(\.string), !names.isEmpty, !names.contains(nil)
    else { throw TableMap.bad(path, "a column", "none") }
    return names.compactMap(\.self)
  }

  private mutating func readKind(_ value: JSONValue) throws(ImportError) {
    if let name = try TableMap.text(value, "type", path) {
      guard let kind = Kind(rawValue: name) else {
        let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw TableMap.bad(path + ".type", "one of \(names)", "\"\(name)\"")
      }
      self.kind = kind
    }
    let pattern = try TableMap.text(value, "format", path)
    let zone = try TableMap.text(value, "zone", path)
    if let pattern, kind == .date {
      format = try TableDateFormat(pattern: pattern, zone: zone, path: path)
    } else if pattern != nil || zone != nil {
      throw TableMap.bad(path, "a format and a zone for a date alone", "another type or no format")
    }
    if let text = try TableMap.text(value, "point", path) {
      guard [".", ","].contains(text), let byte = text.utf8.first,
        kind == .decimal || kind == .number
      else { throw TableMap.bad(path + ".point", "a point or a comma of a decimal", "\"\(text)\"") }
      point = byte
    }
    if let text = try TableMap.text(value, "prefix", path) {
      guard kind == .text else {
        throw TableMap.bad(path, "a prefix of a text alone", kind.rawValue)
      }
      prefix = text
    }
    guard columns.count == 1 || kind == .text else {
      throw TableMap.bad(path, "several columns for a text alone", kind.rawValue)
    }
  }

  private mutating func readLookup(_ value: JSONValue) throws(ImportError) {
    otherwise = value["otherwise"]
    guard let table = value["values"] else {
      if otherwise != nil { throw TableMap.bad(path, "values beside otherwise", "none") }
      return
    }
    guard let members = table.object, !members.isEmpty, columns.count == 1
    else { throw TableMap.bad(path, "values of one column", "something else") }
    // What a value means is written in full: neither would be applied to it.
    for name in ["type", "prefix"] where value[name] != nil {
      throw TableMap.bad(path, "values without a type and a prefix", "a \(name) beside them")
    }
    var values: [Name: JSONValue] = [:]
    for member in members { values[Name(member.name)] = member.value }
    self.values = values
  }

  // MARK: - Rows

  /// Why a row has no such value.
  struct Failure: Error {
    let expected: String
    let found: String
    let remedy: String
  }

  /// Returns the value for a row; nil if the row has none.
  ///
  /// - Parameter fields: The fields of ``columns``.
  func value(_ fields: [String]) throws(Failure) -> JSONValue? {
    if let constant { return constant }
    guard fields.contains(where: { !$0.isEmpty }) else {
      if let value = values?[Name("")] { return value }
      guard !isRequired else {
        throw Failure(
          expected: "a value", found: "nothing",
          remedy: "Fill the field, leave such rows out with rows, or remove required")
      }
      return nil
    }
    // A key of several columns is one only with all of them.
    if isRequired, fields.contains(where: \.isEmpty) {
      throw Failure(
        expected: "a value in each of these columns", found: "nothing in one of them",
        remedy: "Fill the field, leave such rows out with rows, or remove required")
    }
    let text = Self.joined(fields)
    if let values {
      if let value = values[Name(text)] ?? otherwise { return value }
      throw Failure(
        expected: "one of the values of \(path)", found: "\"\(text)\"",
        remedy: "Add it to the map, or say what others are with otherwise")
    }
    return try converted(text)
  }

  /// Returns the texts with colons between them. Colons inside are written otherwise, so that no
  /// others become the same: an id can be made of them.
  private static func joined(_ fields: [String]) -> String {
    guard fields.count > 1 else { return fields.first ?? "" }
    return fields.map(FactIdentifier.escaped).joined(separator: ":")
  }

  private func converted(_ text: String) throws(Failure) -> JSONValue {
    switch kind {
    case .text: return .string(prefix + text)
    case .integer:
      guard let number = Int64(text) else { throw failure("a whole number", text) }
      return .number(String(number))
    case .number: return .number(try decimal(text))
    case .decimal: return .string(try decimal(text))
    case .boolean:
      switch text.lowercased() {
      case "true", "t", "yes", "1": return .boolean(true)
      case "false", "f", "no", "0": return .boolean(false)
      default: throw failure("true or false", text)
      }
    case .date: return .string(try date(text).rfc3339)
    case .milliseconds: return .string(try unix(text, 1_000).rfc3339)
    case .seconds: return .string(try unix(text, 1_000_000).rfc3339)
    }
  }

  private func failure(_ expected: String, _ text: String) -> Failure {
    Failure(
      expected: expected, found: "\"\(text)\"",
      remedy: "Correct the field, or the type that the map has for it")
  }

  /// Returns a decimal with a point: digits, at most one point, and perhaps a sign before it.
  private func decimal(_ text: String) throws(Failure) -> String {
    let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
    let parts = digits.split(separator: point, omittingEmptySubsequences: false)
    let isLeading = parts.first?.first == UInt8(ascii: "0") && (parts.first?.count ?? 0) > 1
    guard parts.count <= 2, !isLeading, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) })
    else { throw failure("a decimal such as 4\(Character(Unicode.Scalar(point)))99", text) }
    let sign = digits.count < text.utf8.count ? "-" : ""
    return sign + parts.map { String(Substring($0)) }.joined(separator: ".")
  }

  /// - Throws: `Failure`, also if the offset or zone moves the time out of the years that an event
  ///   can have.
  private func date(_ text: String) throws(Failure) -> Instant {
    let instant = try anyDate(text)
    guard instant.isInRange else { throw failure("a date from 1970 to 9999 in UTC", text) }
    return instant
  }

  private func anyDate(_ text: String) throws(Failure) -> Instant {
    guard let format else {
      if let instant = Instant(rfc3339: text) { return instant }
      throw failure("a date such as 2026-05-11T10:00:00Z", text)
    }
    do throws(TableDateFormat.Failure) { return try format.instant(text) } catch {
      switch error {
      case .form: throw failure("a date as \(format.pattern)", text)
      case .skipped: throw failure("a time that the clocks of the zone showed", text)
      case .ambiguous: throw failure("a time that the clocks of the zone showed once", text)
      }
    }
  }

  /// Returns the time that is a whole number of units after 1970.
  private func unix(_ text: String, _ unit: Int64) throws(Failure) -> Instant {
    let expected = unit == 1_000 ? "milliseconds since 1970" : "seconds since 1970"
    guard let number = Int64(text) else { throw failure(expected, text) }
    let (microseconds, isTooLarge) = number.multipliedReportingOverflow(by: unit)
    let instant = Instant(microseconds: microseconds)
    guard !isTooLarge, instant.isInRange else { throw failure(expected + " up to 9999", text) }
    return instant
  }
}
