import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import LedgerTesting
import Testing

@Suite("The versions of a session") struct SessionVersionTests {
  /// Returns a start of session `s1` on the phone.
  private func start(_ id: String, at time: String, app: String) throws -> Event {
    let line =
      #"{"id":"\#(id)","type":"session.started","occurredAt":"\#(time)","device":"phone","#
      + #""session":"s1","data":{"appVersion":"\#(app)"}}"#
    return try EventDecoder().decode(line: Array(line.utf8)).event
  }

  @Test("are those of its newest start by believed time, whatever a clock that runs ahead states")
  func believedTime() throws {
    let folder = try TemporaryLedger()
    let recordedAt = try #require(Instant(rfc3339: "2026-01-01T00:00:00Z"))
    // Recorded on the first of January, so that is its believed time.
    let ahead = try start("ahead", at: "2031-01-01T00:00:00Z", app: "1.0")
    let right = try start("right", at: "2026-01-01T12:00:00Z", app: "2.0")
    for event in [ahead, right] {
      try folder.append([RecordedEvent(position: 1, recordedAt: recordedAt, event: event)])
    }
    let app = try folder.ledger.read { (view) throws(LedgerError) in
      try view.sessionVersions().versions(of: right).app
    }
    #expect(app == "2.0")
  }
}
