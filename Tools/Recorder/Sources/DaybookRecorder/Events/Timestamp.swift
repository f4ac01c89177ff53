public import Foundation

/// A moment of the device's clock, in microseconds since 1970 (UTC).
public struct Timestamp: Sendable, Hashable, Comparable {
  public let microseconds: Int64

  /// A moment before 1970 or after 9999, which no event can have, becomes the nearest that it can.
  public init(microseconds: Int64) {
    self.microseconds = min(max(microseconds, 0), Self.latest)
  }

  private static let latest: Int64 = 253_402_300_799_999_999

  /// The moment of a date, to the nearest microsecond. A date before 1970 or after 9999, which no
  /// event can have, becomes the nearest that it can.
  public init(_ date: Date) {
    let seconds = date.timeIntervalSince1970
    let latest = 253_402_300_799.0
    microseconds = Int64((min(max(seconds, 0), latest) * 1_000_000).rounded())
  }

  /// The device's clock.
  public static func now() -> Timestamp { Timestamp(Date()) }

  public static func < (one: Timestamp, other: Timestamp) -> Bool {
    one.microseconds < other.microseconds
  }

  /// RFC 3339 in UTC, with as many digits of a second as it needs: `2026-03-01T10:00:01.25Z`.
  public var rfc3339: String {
    let (days, time) = Self.divide(microseconds, 86_400_000_000)
    let (year, month, day) = Self.date(ofDay: days)
    let second = time / 1_000_000
    var text = Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2) + "T"
    text += Self.padded(second / 3_600, 2) + ":" + Self.padded(second / 60 % 60, 2) + ":"
    text += Self.padded(second % 60, 2)
    let fraction = time % 1_000_000
    if fraction > 0 {
      var digits = Self.padded(fraction, 6)
      while digits.hasSuffix("0") { digits.removeLast() }
      text += "." + digits
    }
    return text + "Z"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func divide(_ number: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// The date of a day since 1970-01-01 in the Gregorian calendar, counted in eras of 400 years
  /// that begin on the first of March (Howard Hinnant, *chrono-Compatible Low-Level Date
  /// Algorithms*).
  private static func date(ofDay days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = divide(days + 719_468, 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}
