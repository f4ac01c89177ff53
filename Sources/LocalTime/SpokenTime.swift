package import LedgerEvents

/// Times as people write them: dates, months, `yesterday`, `7d`, and RFC 3339.
///
/// A date, a month or a word for a day means one moment: the beginning of that day or month in the
/// zone. The end of a range is not part of it, so `--since 2026-04 --until 2026-05` is all of
/// April.
package struct SpokenTime: Sendable {
  /// The zone for times without an offset.
  package let zone: Zone
  /// The moment that `today` and `7d` are relative to.
  package let now: Instant

  package init(in zone: Zone, now: Instant) {
    self.zone = zone
    self.now = now
  }

  /// The moment that a text states.
  ///
  /// - Parameters:
  ///   - text: The text, without white space around it.
  ///   - others: What else is allowed in its place, for messages: `a position (1200)`.
  /// - Throws: `SpokenTimeError` if the text is not a time, or if it is a time that the clocks of
  ///   the zone never showed or showed twice.
  package func moment(
    _ text: String, or others: String...
  ) throws(SpokenTimeError) -> Instant {
    var moment = dayWord(text)
    // Try one form after the other, because `??` loses the types of its operands' errors.
    if moment == nil { moment = try span(text) }
    if moment == nil { moment = try date(text) }
    if moment == nil { moment = try clockTime(text) }
    guard let moment else {
      let forms = (others + Self.forms).joined(separator: ", ")
      throw SpokenTimeError("expected \(forms), or a span before now (90min, 12h, 7d, 2w).")
    }
    guard Zone.writable.contains(moment.microseconds) else {
      throw SpokenTimeError("\(text) is not in the years 0000 to 9999.")
    }
    return moment
  }

  /// The moment that a text states as the end of something that is to last.
  ///
  /// - Throws: `SpokenTimeError` as `moment` does, and for a span without `+`, which would end in
  ///   the past.
  package func end(_ text: String) throws(SpokenTimeError) -> Instant {
    if text.first != "+", try span(text) != nil {
      let length = text.drop { $0 == "-" }
      throw SpokenTimeError(
        "\(text) is a time in the past: write +\(length) for one in the future.")
    }
    return try moment(text)
  }

  /// The possible forms of a time, for messages.
  private static let forms = [
    "a date (2026-05-11)", "a month (2026-05)", "a date and time (\"2026-05-11 10:00\")",
    "a time of RFC 3339 (2026-05-11T10:00:00Z)", "now", "today", "yesterday", "tomorrow",
  ]

  // MARK: - Forms

  private func dayWord(_ text: String) -> Instant? {
    switch text {
    case "now": now
    case "today": midnight(days: 0)
    case "yesterday": midnight(days: -1)
    case "tomorrow": midnight(days: 1)
    default: nil
    }
  }

  private func midnight(days: Int64) -> Instant {
    zone.firstMoment(showing: zone.clock(at: now).midnight(days: days))
  }

  /// `7d` is 7 × 24 hours before now, and `+7d` is 7 × 24 hours after it.
  private func span(_ text: String) throws(SpokenTimeError) -> Instant? {
    guard let match = text.wholeMatch(of: /([+-]?)([0-9]+)([A-Za-z]+)/) else { return nil }
    let units: [Substring: Int64] = [
      "min": 60 * Instant.second, "h": Instant.hour, "d": Instant.day, "w": 7 * Instant.day,
    ]
    guard let unit = units[match.3] else {
      throw SpokenTimeError(
        "\(text): expected min, h, d or w after the number; a month is a date such as 2026-05.")
    }
    // A million weeks are 19,000 years. That is beyond what can be written, and fits into 64 bits.
    guard match.2.count <= 6, let count = Int64(match.2) else {
      throw SpokenTimeError("\(text): expected a number of at most six digits.")
    }
    let length = count * unit
    return Instant(microseconds: now.microseconds + (match.1 == "+" ? length : -length))
  }

  /// A date or a month.
  private func date(_ text: String) throws(SpokenTimeError) -> Instant? {
    guard let match = text.wholeMatch(of: /([0-9]{4}-[0-9]{2})(-[0-9]{2})?/) else { return nil }
    guard let day = Instant(rfc3339: "\(match.1)\(match.2 ?? "-01")T00:00:00Z") else {
      throw SpokenTimeError("\(text) is not in the calendar.")
    }
    return zone.firstMoment(showing: ClockTime(microseconds: day.microseconds))
  }

  /// A date and a time of day, with an offset or in the zone.
  private func clockTime(_ text: String) throws(SpokenTimeError) -> Instant? {
    let form =
      /([0-9-]{10})[Tt ]([0-9]{2}:[0-9]{2})(:[0-9]{2}(?:\.[0-9]+)?)?([Zz]|[+-][0-9]{2}:[0-9]{2})?/
    guard let match = text.wholeMatch(of: form) else { return nil }
    let local = "\(match.1)T\(match.2)\(match.3 ?? ":00")"
    guard let moment = Instant(rfc3339: local + (match.4 ?? "Z")) else {
      throw SpokenTimeError("\(text) is not in the calendar, or not on a clock.")
    }
    if match.4 != nil { return moment }
    let moments = zone.moments(showing: ClockTime(microseconds: moment.microseconds))
    switch moments.count {
    case 1: return moments[0]
    case 0:
      let change = zone.text(
        of: zone.firstMoment(showing: ClockTime(microseconds: moment.microseconds)))
      throw SpokenTimeError(
        "no clock in \(zone.name) showed \(text): they were put forward at \(change). Write a "
          + "time that they showed, or add an offset.")
    default:
      let both = moments.map(zone.text).joined(separator: " or ")
      throw SpokenTimeError(
        "the clocks in \(zone.name) showed \(text) twice: write \(both).")
    }
  }
}

/// Why a text is not a time, and what to write instead.
package struct SpokenTimeError: Error, Equatable {
  package let message: String

  init(_ message: String) { self.message = message }
}
