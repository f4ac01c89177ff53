/// A point in time in microseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// All clocks of the ledger use instants. Input can have any offset; output is in UTC (RFC 3339).
public struct Instant: Hashable, Comparable, Sendable {
  /// Microseconds since the epoch. In an event, this is between 0 and `microsecondsMax`.
  public var microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// 9999-12-31T23:59:59.999999Z, the latest moment that RFC 3339 can write.
  public static let microsecondsMax: Int64 = 253_402_300_799_999_999

  /// One second in microseconds.
  public static let second: Int64 = 1_000_000
  /// One hour in microseconds.
  public static let hour: Int64 = 3_600 * second
  /// One day in microseconds.
  public static let day: Int64 = 24 * hour

  public static func < (left: Instant, right: Instant) -> Bool {
    left.microseconds < right.microseconds
  }
}
