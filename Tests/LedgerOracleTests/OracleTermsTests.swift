import LedgerEvents
import Testing

@testable import LedgerOracle

@Suite("The oracle's terms") struct OracleTermsTests {
  private func at(_ text: String) -> Int64? { microseconds(ofTime: text) }

  @Test("months are added by the calendar with the day clamped to the month's end")
  func monthsAdded() throws {
    let start = try #require(at("2023-01-31T10:00:00Z"))
    #expect(adding("P1M", to: start) == at("2023-02-28T10:00:00Z"))
    #expect(adding("P13M", to: start) == at("2024-02-29T10:00:00Z"))
    #expect(adding("P1Y1M1DT1H", to: start) == at("2024-03-01T11:00:00Z"))
    #expect(adding("PT1M0.25S", to: start) == at("2023-01-31T10:01:00.25Z"))
    #expect(adding("P2W", to: start) == at("2023-02-14T10:00:00Z"))
  }

  @Test("times are read with their offset and cut to microseconds") func timesRead() {
    #expect(at("1970-01-01T00:00:00.1234569Z") == 123_456)
    #expect(at("1970-01-01T01:30:00+01:30") == 0)
    #expect(at("2000-03-01T00:00:00Z") == 951_868_800_000_000)
  }

  @Test("versions compare by dotted integers, other parts after every integer")
  func versionsCompare() {
    let ordered = ["0.9", "1", "1.0.1", "1.2", "1.10", "1.a", "1.b", "2", "10", "x"]
    for (index, version) in ordered.enumerated() {
      for other in ordered[(index + 1)...] {
        #expect(versionPrecedes(version, other), "\(version) before \(other)")
        #expect(!versionPrecedes(other, version), "\(other) not before \(version)")
      }
    }
    #expect(versionEquals("1", "1.0.0"))
    #expect(versionEquals("01.2", "1.2"))
  }

  @Test("accounts that differ only in how an accent is encoded are two customers")
  func accountsDiffer() {
    func grant(_ account: Name, _ id: Name) -> RecordedEvent {
      let event = Event(
        id: id, type: EventType(.entitlementGranted), occurredAt: Instant(microseconds: 1),
        account: account, product: "pro")
      return RecordedEvent(position: 1, recordedAt: event.occurredAt, event: event)
    }
    let answers = Oracle([grant("Zo\u{EB}", "a")]).answers()[.production]?.accounts ?? [:]
    #expect(answers["Zo\u{EB}"]?.active == ["pro"])
    #expect(answers["Zoe\u{308}"] == nil)
  }
}
