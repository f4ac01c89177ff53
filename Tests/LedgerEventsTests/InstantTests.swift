import LedgerEvents
import Testing

struct InstantTests {
  @Test(
    "a time is read to the microsecond and given back in UTC",
    arguments: [
      ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"),
      ("1970-01-01T00:00:00.000001Z", 1, "1970-01-01T00:00:00.000001Z"),
      ("1970-01-01T00:00:00.1234569Z", 123_456, "1970-01-01T00:00:00.123456Z"),
      ("1970-01-01T01:00:00.100+01:00", 100_000, "1970-01-01T00:00:00.1Z"),
      ("1969-12-31T22:30:00-01:30", 0, "1970-01-01T00:00:00Z"),
      ("1970-01-01t00:00:01z", 1_000_000, "1970-01-01T00:00:01Z"),
      ("1970-01-01T00:00:01-00:00", 1_000_000, "1970-01-01T00:00:01Z"),
      ("2000-02-29T12:00:00Z", 951_825_600_000_000, "2000-02-29T12:00:00Z"),
      ("2016-12-31T23:59:60.5Z", 1_483_228_800_500_000, "2017-01-01T00:00:00.5Z"),
      ("2017-01-01T00:59:60+01:00", 1_483_228_800_000_000, "2017-01-01T00:00:00Z"),
      ("9999-12-31T23:59:59.999999Z", Instant.microsecondsMax, "9999-12-31T23:59:59.999999Z"),
      ("0000-01-01T00:00:00Z", -62_167_219_200_000_000, "0000-01-01T00:00:00Z"),
      ("1969-12-31T23:59:59.999999Z", -1, "1969-12-31T23:59:59.999999Z"),
    ] as [(String, Int64, String)])
  func timeRead(
    text: String, microseconds: Int64, back: String
  ) {
    #expect(Instant(rfc3339: text)?.microseconds == microseconds)
    #expect(Instant(microseconds: microseconds).rfc3339 == back)
  }

  @Test("every day of four centuries is itself again") func everyDay() throws {
    let start = try #require(Instant(rfc3339: "1970-01-01T00:00:00Z")).microseconds
    var expected = (year: 1970, month: 1, day: 1)
    for day in 0..<146_097 {
      let instant = Instant(microseconds: start + Int64(day) * Instant.day)
      let text = instant.rfc3339
      #expect(Instant(rfc3339: text) == instant)
      let year = Int(text.prefix(4)) ?? 0
      let month = Int(text.dropFirst(5).prefix(2)) ?? 0
      let dayOfMonth = Int(text.dropFirst(8).prefix(2)) ?? 0
      #expect((year, month, dayOfMonth) == (expected.year, expected.month, expected.day))
      expected.day += 1
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let last = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
      if expected.day > last { expected = (year, month + 1, 1) }
      if expected.month > 12 { expected = (year + 1, 1, 1) }
    }
  }

  @Test(
    "a duration is read into months, days and microseconds",
    arguments: [
      ("P1M", 1, 0, 0), ("P1Y", 12, 0, 0), ("P2W", 0, 14, 0), ("P3D", 0, 3, 0),
      ("P1Y2M3W4DT5H6M7.5S", 14, 25, 18_367_500_000), ("PT0.0000019S", 0, 0, 1),
      ("PT36H", 0, 0, 129_600_000_000), ("PT1,5S", 0, 0, 1_500_000), ("P0D", 0, 0, 0),
    ] as [(String, Int64, Int64, Int64)])
  func durationRead(
    text: String, months: Int64, days: Int64, microseconds: Int64
  ) {
    #expect(
      CalendarDuration(iso8601: text)
        == CalendarDuration(months: months, days: days, microseconds: microseconds))
  }

  @Test(
    "what is no duration is refused",
    arguments: [
      "", "P", "PT", "P1", "1M", "P1M2Y", "P1M1M", "PT1D", "P1H", "P-1M", "-P1M", "P1.5M", "P1MT",
      "p1m", "P 1M", "PT1.S", "PT1.5M", "P99999999999999999999D", "P10000Y", "P4000000D",
      "PT999999999999S", "P1M ", "PT400000000H", "PT99999999999M", "P99999999999Y", "PT1X", "P1X",
    ])
  func noDuration(text: String) {
    #expect(CalendarDuration(iso8601: text) == nil)
  }

  @Test(
    "a duration is added by the calendar, the day clamped to the month's end",
    arguments: [
      ("2014-01-31T10:00:00Z", "P1M", "2014-02-28T10:00:00Z"),
      ("2014-03-15T10:00:00Z", "P1M", "2014-04-15T10:00:00Z"),
      ("2014-01-30T10:00:00Z", "P2M", "2014-03-30T10:00:00Z"),
      ("2016-01-31T10:00:00Z", "P1M", "2016-02-29T10:00:00Z"),
      ("2016-02-29T10:00:00Z", "P1Y", "2017-02-28T10:00:00Z"),
      ("2014-12-31T23:59:59.5Z", "P2M", "2015-02-28T23:59:59.5Z"),
      ("2014-01-31T10:00:00Z", "P1M1D", "2014-03-01T10:00:00Z"),
      ("2014-01-31T23:00:00Z", "P1MT1H", "2014-03-01T00:00:00Z"),
      ("2014-11-30T00:00:00Z", "P3M", "2015-02-28T00:00:00Z"),
      ("2014-03-05T10:00:00Z", "P1W", "2014-03-12T10:00:00Z"),
      ("2014-03-05T10:00:00Z", "PT0.25S", "2014-03-05T10:00:00.25Z"),
      ("1969-12-31T00:00:00Z", "P2M", "1970-02-28T00:00:00Z"),
    ])
  func durationAdded(
    start: String, duration: String, end: String
  ) throws {
    let instant = try #require(Instant(rfc3339: start))
    #expect(instant.adding(try #require(CalendarDuration(iso8601: duration))).rfc3339 == end)
  }

  @Test("the longest duration from the last instant does not overflow") func longestDuration()
    throws
  {
    let longest = try #require(CalendarDuration(iso8601: "P9999Y"))
    let last = Instant(microseconds: Instant.microsecondsMax)
    #expect(last.adding(longest) > last)
  }
}
