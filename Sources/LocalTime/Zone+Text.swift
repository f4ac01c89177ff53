package import LedgerEvents

extension Zone {
  /// A moment in the format of RFC 3339, with the zone's offset: `2026-05-11T10:00:00+02:00`, and
  /// `Z` for UTC.
  ///
  /// The result is in UTC if RFC 3339 cannot express the time in the zone: if the offset has
  /// seconds, or the year is not within 0000 to 9999.
  package func text(of instant: Instant) -> String {
    let offset = offset(at: instant)
    let time = ClockTime(microseconds: instant.microseconds + offset)
    let minutes = offset / Self.minute
    guard minutes != 0, offset % Self.minute == 0, Self.writable.contains(time.microseconds) else {
      return instant.rfc3339
    }
    let sign = minutes < 0 ? "-" : "+"
    return time.text + sign + Self.two(abs(minutes) / 60) + ":" + Self.two(abs(minutes) % 60)
  }

  /// The day in the zone, as `2026-02-01`.
  package func day(of instant: Instant) -> String { String(date(of: instant).prefix(10)) }

  /// The month in the zone, as `2026-02`.
  package func month(of instant: Instant) -> String { String(date(of: instant).prefix(7)) }

  private func date(of instant: Instant) -> String {
    let time = clock(at: instant)
    return Self.writable.contains(time.microseconds) ? time.text : instant.rfc3339
  }

  private static let minute = 60 * Instant.second

  /// The clock times whose year has four digits, in microseconds since 1970.
  static let writable: ClosedRange<Int64> = -62_167_219_200_000_000...Instant.microsecondsMax

  private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
