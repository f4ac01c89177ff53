import LedgerEvents
import LocalTime
import Testing

/// Every time is read in a fixed zone from a fixed moment.
@Suite("Times as people write them") struct SpokenTimeTests {
  private static let now = "2026-05-13T14:30:00Z"

  private func moment(
    _ text: String, _ zone: String = "Europe/Berlin", now: String = Self.now
  ) throws -> String {
    let zone = try #require(Zone(name: zone))
    let now = try #require(Instant(rfc3339: now))
    return try SpokenTime(in: zone, now: now).moment(text).rfc3339
  }

  private func refusal(_ text: String, _ zone: String = "Europe/Berlin") -> String {
    do {
      return "read as " + (try moment(text, zone))
    } catch let error as SpokenTimeError {
      return error.message
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "each form is one moment, read in the zone",
    arguments: [
      ("2026-05-11", "2026-05-10T22:00:00Z"), ("2026-05", "2026-04-30T22:00:00Z"),
      ("2026-01", "2025-12-31T23:00:00Z"), ("2026-05-11 10:00", "2026-05-11T08:00:00Z"),
      ("2026-05-11T10:00", "2026-05-11T08:00:00Z"),
      ("2026-05-11 10:00:01.25", "2026-05-11T08:00:01.25Z"),
      ("2026-05-11 10:00Z", "2026-05-11T10:00:00Z"),
      ("2026-05-11T10:00:00+05:30", "2026-05-11T04:30:00Z"),
      ("2026-05-11T10:00:00Z", "2026-05-11T10:00:00Z"),
      ("now", "2026-05-13T14:30:00Z"), ("today", "2026-05-12T22:00:00Z"),
      ("yesterday", "2026-05-11T22:00:00Z"), ("tomorrow", "2026-05-13T22:00:00Z"),
      ("90min", "2026-05-13T13:00:00Z"), ("12h", "2026-05-13T02:30:00Z"),
      ("7d", "2026-05-06T14:30:00Z"), ("-7d", "2026-05-06T14:30:00Z"),
      ("2w", "2026-04-29T14:30:00Z"), ("+7d", "2026-05-20T14:30:00Z"),
    ])
  func eachForm(_ text: String, _ expected: String) throws {
    #expect(try moment(text) == expected)
  }

  @Test("a day is the zone's, and not that of UTC") func dayZones() throws {
    let late = "2026-05-13T23:30:00Z"
    #expect(try moment("today", "UTC", now: late) == "2026-05-13T00:00:00Z")
    #expect(try moment("today", "Europe/Berlin", now: late) == "2026-05-13T22:00:00Z")
    #expect(try moment("today", "America/Los_Angeles", now: late) == "2026-05-13T07:00:00Z")
    #expect(try moment("yesterday", "Pacific/Kiritimati", now: late) == "2026-05-12T10:00:00Z")
  }

  @Test("the day after the clocks change is as long as its clock says") func dayAfter() throws {
    // Berlin's 29 March 2026 has 23 hours, and its 25 October has 25.
    #expect(try moment("2026-03-29") == "2026-03-28T23:00:00Z")
    #expect(try moment("2026-03-30") == "2026-03-29T22:00:00Z")
    #expect(try moment("2026-10-25") == "2026-10-24T22:00:00Z")
    #expect(try moment("2026-10-26") == "2026-10-25T23:00:00Z")
    let after = "2026-03-30T08:00:00Z"
    #expect(try moment("yesterday", now: after) == "2026-03-28T23:00:00Z")
    // A span is so many hours, whatever the clocks show.
    #expect(try moment("1d", now: after) == "2026-03-29T08:00:00Z")
  }

  @Test("a time that no clock showed is refused, with the moment of the change") func timeNo() {
    let said = refusal("2026-03-29 02:30")
    #expect(said.contains("no clock in Europe/Berlin showed 2026-03-29 02:30"), "\(said)")
    #expect(said.contains("2026-03-29T03:00:00+02:00"), "\(said)")
    // A whole day is missing in Samoa, which crossed the date line.
    #expect(refusal("2011-12-30 12:00", "Pacific/Apia").contains("no clock"))
  }

  @Test("a time that the clocks showed twice is refused, with both moments") func timeClocks()
    throws
  {
    let said = refusal("2026-10-25 02:30")
    #expect(
      said.hasSuffix("write 2026-10-25T02:30:00+02:00 or 2026-10-25T02:30:00+01:00."), "\(said)")
    #expect(try moment("2026-10-25 01:59") == "2026-10-24T23:59:00Z")
    #expect(try moment("2026-10-25 03:00") == "2026-10-25T02:00:00Z")
    #expect(try moment("2026-10-25T02:30:00+01:00") == "2026-10-25T01:30:00Z")
  }

  @Test("a day without a midnight begins where its clocks begin") func dayWithout() throws {
    // São Paulo put its clocks forward at midnight.
    #expect(try moment("2018-11-04", "America/Sao_Paulo") == "2018-11-04T03:00:00Z")
    // And a day that is missing is empty.
    #expect(try moment("2011-12-30", "Pacific/Apia") == "2011-12-30T10:00:00Z")
    #expect(try moment("2011-12-31", "Pacific/Apia") == "2011-12-30T10:00:00Z")
  }

  @Test("a day with two midnights begins at the first") func dayWith() throws {
    #expect(try moment("2026-11-01", "America/Havana") == "2026-11-01T04:00:00Z")
  }

  @Test(
    "what is no time is refused, with what was expected",
    arguments: [
      ("2026-02-30", "not in the calendar"), ("2026-13", "not in the calendar"),
      ("2026-05-11 25:00", "not on a clock"), ("3m", "a month is a date"),
      ("7days", "expected min, h, d or w"), ("12345678d", "six digits"),
      ("999999w", "not in the years"), ("0000-01-01", "not in the years"),
      ("11.05.2026", "expected a date (2026-05-11)"), ("", "expected a date"),
      ("last week", "expected a date"), ("2026", "expected a date"),
      ("２０２６-05-11", "expected a date"),
    ])
  func noTime(_ text: String, _ reason: String) {
    #expect(refusal(text).contains(reason), "\(refusal(text))")
  }

  @Test("what is to last does not end before now by a slip") func lastDoes() throws {
    let times = SpokenTime(in: .utc, now: try #require(Instant(rfc3339: Self.now)))
    #expect(try times.end("+30d").rfc3339 == "2026-06-12T14:30:00Z")
    #expect(try times.end("2026-01").rfc3339 == "2026-01-01T00:00:00Z")
    #expect(throws: SpokenTimeError.self) { try times.end("30d") }
    #expect(throws: SpokenTimeError.self) { try times.end("-7d") }
  }
}
