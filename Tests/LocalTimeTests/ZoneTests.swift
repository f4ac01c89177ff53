import LedgerEvents
import LedgerHistories
import LocalTime
import Testing

@Suite("Time zones") struct ZoneTests {
  private func zone(_ name: String) throws -> Zone { try #require(Zone(name: name)) }

  private func instant(_ text: String) throws -> Instant {
    try #require(Instant(rfc3339: text))
  }

  @Test(
    "a moment is written with the zone's offset",
    arguments: [
      ("Europe/Berlin", "2026-05-11T08:00:01.25Z", "2026-05-11T10:00:01.25+02:00"),
      ("Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00+01:00"),
      ("America/St_Johns", "2026-01-01T00:00:00Z", "2025-12-31T20:30:00-03:30"),
      ("Asia/Kathmandu", "2026-01-01T00:00:00Z", "2026-01-01T05:45:00+05:45"),
      ("UTC", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
      ("Europe/London", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
      ("Europe/London", "2026-07-01T00:00:00Z", "2026-07-01T01:00:00+01:00"),
      // What RFC 3339 cannot write in the zone.
      ("Africa/Monrovia", "1971-01-01T00:00:00Z", "1971-01-01T00:00:00Z"),
      ("Asia/Tokyo", "9999-12-31T23:00:00Z", "9999-12-31T23:00:00Z"),
      ("America/New_York", "0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
    ])
  func momentWritten(
    _ name: String, _ moment: String, _ expected: String
  ) throws {
    #expect(try zone(name).text(of: try instant(moment)) == expected)
  }

  @Test("days and months are the zone's") func daysMonths() throws {
    let moment = try instant("2026-04-30T22:30:00Z")
    #expect(try zone("Europe/Berlin").day(of: moment) == "2026-05-01")
    #expect(try zone("Europe/Berlin").month(of: moment) == "2026-05")
    #expect(Zone.utc.day(of: moment) == "2026-04-30")
    #expect(Zone.utc.month(of: moment) == "2026-04")
  }

  @Test(
    "what is written is read as the same moment, and shown by that clock",
    arguments: [
      "Europe/Berlin", "America/Sao_Paulo", "America/Havana", "Pacific/Apia", "Asia/Kolkata",
      "Australia/Lord_Howe", "Africa/Casablanca", "UTC",
    ])
  func writtenRead(
    _ name: String
  ) throws {
    let zone = try zone(name)
    let times = SpokenTime(in: zone, now: Instant(microseconds: 0))
    var random = SeededRandom(seed: 20_260_511)
    for _ in 0..<2_000 {
      // From 1973 on, when the last offset with seconds had gone.
      let moment = Instant(
        microseconds: Int64(94_694_400 + random.below(1_900_000_000))
          * Instant.second)
      #expect(try times.moment(zone.text(of: moment)) == moment)
      #expect(zone.moments(showing: zone.clock(at: moment)).contains(moment))
      let midnight = zone.firstMoment(showing: zone.clock(at: moment).midnight())
      #expect(midnight <= moment, "\(zone.text(of: moment))")
      #expect(moment.microseconds - midnight.microseconds < 26 * Instant.hour)
    }
  }

  @Test("the variable TZ may have a colon or a path") func variableTZ() {
    #expect(Zone(variable: "Europe/Berlin")?.name == "Europe/Berlin")
    #expect(Zone(variable: ":Europe/Berlin")?.name == "Europe/Berlin")
    #expect(Zone(variable: "/usr/share/zoneinfo/Asia/Tokyo")?.name == "Asia/Tokyo")
    #expect(Zone(variable: "") == .utc)
    #expect(Zone(variable: "CET-1CEST,M3.5.0,M10.5.0") == nil)
    #expect(Zone(name: "Europe/Atlantis") == nil)
  }

  @Test(
    "an offset in TZ names no zone: POSIX counts it west of UTC",
    arguments: [
      "UTC+3", ":UTC+3", "UTC-5", "GMT-5", "UTC-05:30", "UTC+0300", "EST5", "UTC3", "<+03>-3",
    ])
  func offsetInVariable(_ value: String) {
    #expect(Zone(variable: value) == nil)
  }

  @Test("names of the database that contain an offset stay zones")
  func offsetInName() throws {
    let moment = try instant("2026-01-01T12:00:00Z")
    for name in ["Etc/GMT+3", ":Etc/GMT+3", "/usr/share/zoneinfo/Etc/GMT+3"] {
      let zone = try #require(Zone(variable: name))
      #expect(zone.offset(at: moment) == -3 * Instant.hour)
    }
    #expect(Zone(variable: "GMT0")?.offset(at: moment) == 0)
    #expect(Zone(variable: "EST5EDT")?.offset(at: moment) == -5 * Instant.hour)
  }
}
