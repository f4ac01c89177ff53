/// An ISO 8601 duration (`P1M`, `P1Y2M3DT4H`). It is added by the calendar in UTC, with the day
/// clamped to the end of the month: 31 January plus one month is 28 or 29 February.
public struct CalendarDuration: Hashable, Sendable {
  /// Years and months, in months.
  public var months: Int64
  /// Weeks and days, in days.
  public var days: Int64
  /// Hours, minutes and seconds, in microseconds.
  public var microseconds: Int64

  public init(months: Int64, days: Int64, microseconds: Int64) {
    self.months = months
    self.days = days
    self.microseconds = microseconds
  }
}
