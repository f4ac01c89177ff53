import Foundation
import LedgerEvents

@testable import LedgerStore

/// A folder of its own, taken away when the test is over.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/daybook-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Where a ledger may be made.
  var ledger: String { path + "/ledger" }
}

/// A clock that says the same each time.
let fixedClock: @Sendable () -> Instant = { Instant(microseconds: 1_700_000_000_000_000) }

extension EventLog {
  static func makeNew(_ folder: TemporaryFolder) throws -> EventLog {
    try EventLog.create(at: folder.ledger, clock: fixedClock)
  }

  /// Every event of the log.
  func allEvents() throws -> [RecordedEvent] {
    try read { (view) throws(LedgerError) in
      var events: [RecordedEvent] = []
      guard view.lastPosition > 0 else { return events }
      for position in 1...view.lastPosition { events.append(try view.event(at: position)) }
      return events
    }
  }
}

/// A download's progress, as the bulk of a log is.
func progress(_ id: String, of transaction: String = "1000", at second: Int64 = 0) -> EventInput {
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
func note(_ id: String, _ text: String) -> EventInput {
  EventInput(
    event: Event(
      id: Name(id), type: EventType(.noteAdded),
      occurredAt: Instant(microseconds: 1_600_000_000_000_000), account: "account-1",
      data: EventData(members: [
        EventData.Member(name: "text", json: Array("\"\(text)\"".utf8))
      ])))
}

/// The lines of the recorded histories, if this checkout has them beside it.
func sharedHistoryLines(_ source: String = #filePath) throws -> [[String: Any]]? {
  let root = source.split(separator: "/").dropLast(3).joined(separator: "/")
  let path = "/\(root)/../shared/histories-2.jsonl"
  guard let text = FileManager.default.contents(atPath: path) else { return nil }
  return try text.split(separator: UInt8(ascii: "\n")).compactMap {
    try JSONSerialization.jsonObject(with: $0) as? [String: Any]
  }
}
