import LedgerEvents

extension StoreObject {
  /// Returns the date called `name`: `<name>_ms` in milliseconds, as a string or a number; else
  /// `name` itself, as milliseconds (iOS 6 style receipts) or as `2020-07-14 19:33:26 Etc/GMT`.
  ///
  /// Milliseconds can have a fraction (Xcode writes one); digits beyond microseconds are truncated.
  /// The date can be before 1970: Xcode uses the year 1 for an unknown date.
  func date(_ name: String) throws(ImportError) -> Instant? {
    if vocabulary == .receipt, let text = try dateText(name + "_ms") {
      guard let instant = Instant(milliseconds: text) else {
        throw badDate(name + "_ms", "milliseconds since 1970", text)
      }
      return instant
    }
    guard let text = try dateText(name) else { return nil }
    guard let instant = Instant(milliseconds: text) ?? Instant(storeDate: text) else {
      throw badDate(
        name,
        vocabulary == .signed
          ? "milliseconds since 1970" : "a date such as 2020-07-14 19:33:26 Etc/GMT", text)
    }
    return instant
  }

  /// Returns the date called `name`, as ``date(_:)`` does, if an event can have it.
  ///
  /// - Throws: `ImportError`, also if the date is before 1970 or after 9999.
  func eventDate(_ name: String) throws(ImportError) -> Instant? {
    guard let date = try date(name) else { return nil }
    if date.isInRange { return date }
    throw outOfRange(date, name)
  }

  func outOfRange(_ date: Instant, _ name: String) -> ImportError {
    badDate(
      name, "a date from 1970 to 9999", "\(date.microseconds / 1_000) milliseconds since 1970")
  }

  /// Unlike `text`, this accepts numbers with a sign and a fraction.
  private func dateText(_ name: String) throws(ImportError) -> String? {
    if case .number(let text) = members[name]?.content { return text }
    return try text(name)
  }

  private func badDate(_ name: String, _ expected: String, _ found: String) -> ImportError {
    ImportError(
      .badValue, path: path(of: name), reason: "expected \(expected), found \"\(found)\"",
      remedy: "Check that the file is the store's unmodified answer")
  }
}

/// The maximum number of digits of a date in milliseconds; it reaches beyond the year 300,000.
private let millisecondDigitsMax = 15

extension Instant {
  /// Parses milliseconds in decimal digits: `1594755206000`, `1697679936049.7297`.
  init?(milliseconds text: String) {
    var digits = text[...].utf8
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits.removeFirst() }
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let whole = parts.first, parts.count <= 2,
      (1...millisecondDigitsMax).contains(whole.count),
      parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) })
    else { return nil }
    var microseconds: Int64 = 0
    for digit in whole { microseconds = microseconds * 10 + Int64(digit - UInt8(ascii: "0")) }
    microseconds *= 1_000
    if parts.count == 2 {
      var unit: Int64 = 100
      for digit in parts[1].prefix(3) {
        microseconds += Int64(digit - UInt8(ascii: "0")) * unit
        unit /= 10
      }
    }
    self.init(microseconds: isNegative ? -microseconds : microseconds)
  }

  /// Parses a date such as `2020-07-14 19:33:26 Etc/GMT`, which receipts have besides the
  /// milliseconds.
  ///
  /// Only UTC is accepted. The corresponding date in Pacific time is ambiguous for an hour every
  /// autumn.
  init?(storeDate text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, ["Etc/GMT", "GMT", "UTC"].contains(parts[2]) else { return nil }
    self.init(rfc3339: "\(parts[0])T\(parts[1])Z")
  }

  /// Whether an event can have this time.
  var isInRange: Bool { (0...Instant.microsecondsMax).contains(microseconds) }
}
