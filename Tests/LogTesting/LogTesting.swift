internal import Foundation
package import LedgerEvents
package import LedgerLog

/// A folder of its own, taken away when the test is over.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    path = FileManager.default.temporaryDirectory.path + "/daybook-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Where a ledger may be made.
  package var ledger: String { path + "/ledger" }
}

/// A clock that says the same each time.
package let fixedClock: @Sendable () -> Instant = { Instant(microseconds: 1_700_000_000_000_000) }

extension EventLog {
  package static func makeNew(_ folder: TemporaryFolder) throws -> EventLog {
    try EventLog.create(at: folder.ledger, clock: fixedClock)
  }

  /// Every event of the log.
  package func allEvents() throws -> [RecordedEvent] {
    try read { (view) throws(LedgerError) in
      var events: [RecordedEvent] = []
      guard view.lastPosition > 0 else { return events }
      for position in 1...view.lastPosition { events.append(try view.event(at: position)) }
      return events
    }
  }
}

/// A download's progress, as the bulk of a log is.
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

/// A note, which has nothing but personal data.
package func note(_ id: String, _ text: String) -> EventInput {
  EventInput(
    event: Event(
      id: Name(id), type: EventType(.noteAdded),
      occurredAt: Instant(microseconds: 1_600_000_000_000_000), account: "account-1",
      data: EventData(members: [
        EventData.Member(name: "text", json: Array("\"\(text)\"".utf8))
      ])))
}
