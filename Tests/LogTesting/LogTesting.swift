internal import Foundation
package import LedgerEvents
package import LedgerLog

/// A temporary folder that is removed after the test.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    path = FileManager.default.temporaryDirectory.path + "/daybook-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path for a ledger.
  package var ledger: String { path + "/ledger" }
}

/// A clock that always returns the same time.
package let fixedClock: @Sendable () -> Instant = { Instant(microseconds: 1_700_000_000_000_000) }

extension EventLog {
  package static func makeNew(_ folder: TemporaryFolder) throws -> EventLog {
    try EventLog.create(at: folder.ledger, clock: fixedClock)
  }

  /// Returns all events of the log.
  package func allEvents() throws -> [RecordedEvent] {
    try read { (view) throws(LedgerError) in
      var events: [RecordedEvent] = []
      guard view.lastPosition > 0 else { return events }
      for position in 1...view.lastPosition { events.append(try view.event(at: position)) }
      return events
    }
  }
}

/// Returns a download's progress, like most events of a log.
package func progress(_ id: String, of transaction: String = "1000", at second: Int64 = 0)
  -> EventInput
{
  EventInput(
    event: Event(
      id: Name(id), type: EventType(.downloadProgressed),
      occurredAt: Instant(microseconds: 1_600_000_000_000_000 + second * Instant.second),
      source: EventSource(.storekit1), app: "com.example.app", account: "account-1",
      device: "device-1", session: "session-1", sequence: second, product: "com.example.pack",
      transaction: Name(transaction), download: "download-1",
      data: EventData(members: [
        EventData.Member(name: "progress", json: Array("0.31".utf8)),
        EventData.Member(name: "timeRemaining", json: Array("-1".utf8)),
      ])))
}

/// Returns a note, which has only personal data.
package func note(_ id: String, _ text: String) -> EventInput {
  EventInput(
    event: Event(
      id: Name(id), type: EventType(.noteAdded),
      occurredAt: Instant(microseconds: 1_600_000_000_000_000), account: "account-1",
      data: EventData(members: [
        EventData.Member(name: "text", json: Array("\"\(text)\"".utf8))
      ])))
}
