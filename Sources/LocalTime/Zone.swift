internal import Foundation
package import LedgerEvents

/// A time zone of the IANA database, for reading times without an offset and for printing.
package struct Zone: Sendable, Hashable {
  /// The name of the zone, such as `Europe/Berlin`.
  package let name: String
  private let zone: TimeZone

  /// The zone with this name; nil if the database has none.
  package init?(name: String) {
    guard let zone = TimeZone(identifier: name) else { return nil }
    self.name = name
    self.zone = zone
  }

  private init(_ zone: TimeZone, name: String) {
    self.name = name
    self.zone = zone
  }

  /// Coordinated universal time.
  package static let utc = Zone(.gmt, name: "UTC")

  /// The system's time zone; UTC if none is set.
  package static var system: Zone { Zone(.current, name: TimeZone.current.identifier) }

  /// The zone that a value of the variable `TZ` names; nil if it names none.
  ///
  /// POSIX allows a colon before the name, and a path into the database instead of the name. An
  /// empty value is UTC.
  ///
  /// Offsets of POSIX, such as `UTC+3`, name no zone: they count west of UTC, and Foundation would
  /// read them as east of it.
  package init?(variable: String) {
    var name = Substring(variable)
    if name.first == ":" { name.removeFirst() }
    if let folder = name.range(of: "/zoneinfo/") { name = name[folder.upperBound...] }
    if name.isEmpty {
      self = .utc
      return
    }
    if Self.isOffset(name) { return nil }
    self.init(name: String(name))
  }

  /// Whether a value of `TZ` is letters and an offset, as in `UTC+3`, and no name of the database.
  private static func isOffset(_ value: Substring) -> Bool {
    guard !namesLikeOffsets.contains(String(value)) else { return false }
    var rest = value.drop { $0.isLetter }
    guard rest.startIndex > value.startIndex else { return false }
    if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
    return rest.first?.isNumber ?? false
  }

  /// The names of the database that look like offsets of POSIX. They mean the same as those.
  private static let namesLikeOffsets: Set<String> = [
    "GMT0", "GMT+0", "GMT-0", "EST5EDT", "CST6CDT", "MST7MDT", "PST8PDT",
  ]

  /// The names of all zones, for completions and for suggestions after a typing mistake.
  package static var names: [String] { ["UTC"] + TimeZone.knownTimeZoneIdentifiers }

  /// How far the zone's clocks are ahead of UTC, in microseconds.
  ///
  /// - Complexity: O(log *n*) in the number of the zone's transitions.
  package func offset(at instant: Instant) -> Int64 {
    // Offsets change at whole seconds. A `Date` represents those exactly, but not microseconds.
    let (quotient, rest) = instant.microseconds.quotientAndRemainder(dividingBy: Instant.second)
    let seconds = rest < 0 ? quotient - 1 : quotient
    let date = Date(timeIntervalSince1970: TimeInterval(seconds))
    return Int64(zone.secondsFromGMT(for: date)) * Instant.second
  }

  /// The time on the zone's clocks at a moment.
  package func clock(at instant: Instant) -> ClockTime {
    ClockTime(microseconds: instant.microseconds + offset(at: instant))
  }

  /// The moments at which the clocks show a time, in order: none if the clocks were put forward
  /// past it, two if they were put back.
  package func moments(showing time: ClockTime) -> [Instant] {
    let (before, after) = around(time)
    return Set([before.offset, after.offset])
      .map { Instant(microseconds: time.microseconds - $0) }
      .filter { clock(at: $0) == time }
      .sorted()
  }

  /// The first moment at which the clocks show this time or a later one.
  ///
  /// If the clocks were put forward past it, this is the moment of the change. For example, it is
  /// the beginning of a day without a midnight.
  package func firstMoment(showing time: ClockTime) -> Instant {
    if let first = moments(showing: time).first { return first }
    var (before, after) = around(time)
    while after.moment.microseconds - before.moment.microseconds > 1 {
      let middle = Instant(
        microseconds: before.moment.microseconds
          + (after.moment.microseconds - before.moment.microseconds) / 2)
      let offset = offset(at: middle)
      if offset == before.offset {
        before.moment = middle
      } else {
        after = (middle, offset)
      }
    }
    return after.moment
  }

  private typealias Known = (moment: Instant, offset: Int64)

  /// The offsets a day before and a day after. No zone is further from UTC than a day, and none
  /// changes its clocks twice in two days.
  private func around(_ time: ClockTime) -> (before: Known, after: Known) {
    let before = Instant(microseconds: time.microseconds - Instant.day)
    let after = Instant(microseconds: time.microseconds + Instant.day)
    return ((before, offset(at: before)), (after, offset(at: after)))
  }
}

/// A time on a wall clock: a date and a time of day without a zone.
package struct ClockTime: Hashable, Sendable {
  /// Microseconds since 1970-01-01 00:00 on the same clock.
  package let microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  /// Midnight of the same day, or of the day that is `days` later.
  package func midnight(days: Int64 = 0) -> ClockTime {
    let rest = microseconds % Instant.day
    let time = rest < 0 ? rest + Instant.day : rest
    return ClockTime(microseconds: microseconds - time + days * Instant.day)
  }

  /// The time in the format of RFC 3339, without an offset: `2026-05-11T10:00:00`.
  ///
  /// - Precondition: The year is 0000 to 9999.
  package var text: String { String(Instant(microseconds: microseconds).rfc3339.dropLast()) }
}
