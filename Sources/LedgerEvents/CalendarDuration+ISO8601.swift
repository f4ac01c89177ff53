extension CalendarDuration {
  /// Parses an ISO 8601 duration: `P1M`, `P1Y2M3DT4H`, `P2W`, `PT0.5S`. Returns `nil` if `text` is
  /// not one.
  ///
  /// Only seconds can have a fraction, which is truncated to microseconds. A sign is refused, and
  /// so is a duration of more than `durationYearsMax` years.
  ///
  /// - Complexity: O(*n*) in the length of `text`.
  public init?(iso8601 text: String) {
    let bytes = Array(text.utf8)
    guard let duration = CalendarDuration(iso8601: bytes.span, 0..<bytes.count) else { return nil }
    self = duration
  }

  init?(iso8601 bytes: Span<UInt8>, _ range: Range<Int>) {
    var reader = DigitReader(bytes, range)
    guard reader.take("P"), !reader.isAtEnd else { return nil }
    self.init(months: 0, days: 0, microseconds: 0)
    var isTime = false
    // The rank of the last designator. Each designator occurs at most once, largest first.
    var rank = 0
    while !reader.isAtEnd {
      if !isTime && reader.take("T") {
        isTime = true
        rank = 4
        if reader.isAtEnd { return nil }
      }
      guard let found = reader.component(isTime: isTime), found.rank > rank else { return nil }
      rank = found.rank
      months += found.months
      days += found.days
      microseconds += found.microseconds
    }
    guard months <= durationYearsMax * 12, days <= durationYearsMax * 366,
      microseconds <= durationYearsMax * 366 * Instant.day
    else { return nil }
  }
}

extension DigitReader {
  /// Reads a number with its designator. The rank gives the order of designators, Y first.
  fileprivate mutating func component(
    isTime: Bool
  ) -> (rank: Int, months: Int64, days: Int64, microseconds: Int64)? {
    var number: Int64 = 0
    let start = index
    while index < end, isDigit(bytes[index]) {
      number = number * 10 + Int64(bytes[index] - UInt8(ascii: "0"))
      index += 1
      // Eleven digits of seconds are 3,170 years, so the sum of all parts cannot overflow.
      guard index - start <= 11 else { return nil }
    }
    guard index > start else { return nil }
    if isTime {
      var fraction: Int64 = 0
      if take(".") || take(",") {
        guard let digits = self.fraction(), index < end, bytes[index] == UInt8(ascii: "S") else {
          return nil
        }
        fraction = digits
      }
      // Checked first so that the products stay in range: 99,999,999,999 s are 10¹⁷ µs.
      guard number <= durationYearsMax * 366 * 86_400 else { return nil }
      if take("H") { return number <= 100_000_000 ? (5, 0, 0, number * Instant.hour) : nil }
      if take("M") {
        return number <= 6_000_000_000 ? (6, 0, 0, number * 60 * Instant.second) : nil
      }
      if take("S") { return (7, 0, 0, number * Instant.second + fraction) }
      return nil
    }
    guard number <= 10_000_000 else { return nil }
    if take("Y") { return (1, number * 12, 0, 0) }
    if take("M") { return (2, number, 0, 0) }
    if take("W") { return (3, 0, number * 7, 0) }
    if take("D") { return (4, 0, number, 0) }
    return nil
  }
}

extension Instant {
  /// Returns the instant that is `duration` later. Months are added by the calendar in UTC with the
  /// day clamped to the end of the month, then days, then time (`model.md`).
  ///
  /// - Complexity: O(1).
  public func adding(_ duration: CalendarDuration) -> Instant {
    var (days, time) = Calendar.floorDivide(microseconds, Instant.day)
    if duration.months != 0 {
      let date = Calendar.date(days: days)
      let (year, month) = Calendar.floorDivide(
        date.year * 12 + date.month - 1 + duration.months, 12)
      let day = min(date.day, Calendar.days(inMonth: month + 1, of: year))
      days = Calendar.days(year: year, month: month + 1, day: day)
    }
    return Instant(
      microseconds: (days + duration.days) * Instant.day + time + duration.microseconds)
  }
}
