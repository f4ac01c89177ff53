import LedgerEvents
import LocalTime

/// How a table writes dates: `yyyy-MM-dd HH:mm:ss` and a zone, for example.
///
/// The letters are those of Unicode's date patterns
/// (https://unicode.org/reports/tr35/tr35-dates.html#Date_Field_Symbol_Table), as far as they are
/// numbers.
struct TableDateFormat: Sendable {
  private enum Part: Equatable {
    /// A number with this many digits.
    case number(Field, digits: ClosedRange<Int>)
    /// The digits of a fraction of a second.
    case fraction
    /// `Z`, `+02:00` or `+0200`.
    case offset
    case literal(UInt8)
  }

  private enum Field: Character, CaseIterable {
    case year = "y"
    case month = "M"
    case day = "d"
    case hour = "H"
    case minute = "m"
    case second = "s"
  }

  /// Why a text is not a date.
  enum Failure: Error {
    case form
    /// No clock in the zone showed it.
    case skipped
    /// The clocks in the zone showed it twice.
    case ambiguous
  }

  /// As the map has it.
  let pattern: String
  private let parts: [Part]
  /// The zone of dates without an offset.
  private let zone: Zone?

  /// - Throws: `ImportError` without a file, at the path of the format or the zone.
  init(pattern: String, zone: String?, path: String) throws(ImportError) {
    self.pattern = pattern
    parts = try Self.parts(pattern, path + ".format")
    let hasOffset = parts.contains(.offset)
    guard hasOffset == (zone == nil) else {
      throw ImportError(
        hasOffset ? .contradiction : .missing, path: path + ".zone",
        reason: hasOffset
          ? "the dates state their offset, and the map states a zone"
          : "the dates state no offset, and the map states no zone",
        remedy: hasOffset ? "Leave the zone out" : "Write UTC, or a zone such as Europe/Berlin")
    }
    guard let zone else {
      self.zone = nil
      return
    }
    guard let found = zone == "UTC" ? .utc : Zone(name: zone) else {
      throw ImportError(
        .badValue, path: path + ".zone",
        reason: "expected UTC or a name of the IANA database, found \"\(zone)\"",
        remedy: "Write a name such as Europe/Berlin")
    }
    self.zone = found
  }

  private static func parts(_ pattern: String, _ path: String) throws(ImportError) -> [Part] {
    var parts: [Part] = []
    var rest = pattern[...]
    while let first = rest.first {
      let run = rest.prefix { $0 == first }
      rest = rest.dropFirst(run.count)
      switch (first, run.count) {
      case ("y", 4): parts.append(.number(.year, digits: 4...4))
      case ("S", 1...): parts.append(.fraction)
      case ("X", 1...3), ("Z", 1): parts.append(.offset)
      case ("'", 1):
        let literal = rest.prefix { $0 != "'" }
        guard rest.count > literal.count else {
          throw bad(path, "a quote begins in it and does not end")
        }
        parts += literal.utf8.map { .literal($0) }
        rest = rest.dropFirst(literal.count + 1)
      case ("'", _): throw bad(path, "two quotes stand together")
      case (_, 1...2) where Field(rawValue: first) != nil && first != "y":
        guard let field = Field(rawValue: first) else { continue }
        parts.append(.number(field, digits: run.count == 1 ? 1...2 : 2...2))
      default:
        guard !first.isLetter else { throw bad(path, "it has \"\(run)\"") }
        parts += String(run).utf8.map { .literal($0) }
      }
    }
    for field in [Field.year, .month, .day] {
      let count = parts.count { if case .number(field, _) = $0 { true } else { false } }
      guard count == 1 else {
        throw bad(path, "it has \(count) times \"\(field.rawValue)\"")
      }
    }
    return parts
  }

  private static func bad(_ path: String, _ reason: String) -> ImportError {
    ImportError(
      .badValue, path: path, reason: "expected a format such as yyyy-MM-dd HH:mm:ss, but \(reason)",
      remedy: "Use yyyy, MM, dd, HH, mm, ss, S and X, and quote other letters with '")
  }

  /// - Complexity: O(*n*) in the length of the text, and O(log *n*) in the zone's transitions.
  func instant(_ text: String) throws(Failure) -> Instant {
    var values: [Field: String] = [:]
    var fraction = ""
    var offset = "Z"
    var rest = text.utf8[...]
    for part in parts {
      switch part {
      case .literal(let byte):
        guard rest.popFirst() == byte else { throw .form }
      case .fraction:
        fraction = Self.digits(&rest, max: 9)
        guard !fraction.isEmpty else { throw .form }
      case .number(let field, let count):
        let digits = Self.digits(&rest, max: count.upperBound)
        guard count.contains(digits.count) else { throw .form }
        values[field] = digits.count == 1 ? "0" + digits : digits
      case .offset:
        guard let stated = Self.offset(&rest) else { throw .form }
        offset = stated
      }
    }
    guard rest.isEmpty else { throw .form }
    func two(_ field: Field) -> String { values[field] ?? "00" }
    let local =
      "\(values[.year] ?? "")-\(two(.month))-\(two(.day))T\(two(.hour)):\(two(.minute)):"
      + "\(two(.second))" + (fraction.isEmpty ? "" : "." + fraction)
    guard let instant = Instant(rfc3339: local + offset) else { throw .form }
    guard let zone else { return instant }
    let moments = zone.moments(showing: ClockTime(microseconds: instant.microseconds))
    guard let moment = moments.first else { throw .skipped }
    guard moments.count == 1 else { throw .ambiguous }
    return moment
  }

  private static func digits(_ rest: inout Substring.UTF8View, max: Int) -> String {
    let digits = rest.prefix(max).prefix(while: isDigit)
    rest = rest.dropFirst(digits.count)
    return String(Substring(digits))
  }

  private static func offset(_ rest: inout Substring.UTF8View) -> String? {
    guard let first = rest.popFirst() else { return nil }
    if first == UInt8(ascii: "Z") { return "Z" }
    guard first == UInt8(ascii: "+") || first == UInt8(ascii: "-") else { return nil }
    let hours = digits(&rest, max: 2)
    if rest.first == UInt8(ascii: ":") { rest.removeFirst() }
    let minutes = digits(&rest, max: 2)
    guard hours.count == 2, minutes.count == 2 else { return nil }
    return (first == UInt8(ascii: "+") ? "+" : "-") + hours + ":" + minutes
  }
}
