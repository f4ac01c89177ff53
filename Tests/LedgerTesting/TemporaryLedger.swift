import Foundation
import LMDB
package import LedgerEvents
package import LedgerStore

/// A ledger in its own folder, which is removed with it.
package final class TemporaryLedger {
  package let path: String
  package let ledger: Ledger
  /// What was appended, in that order.
  package private(set) var arrived: [RecordedEvent] = []

  /// - Parameter clock: What events are recorded by that state no time of their own.
  package init(clock: @escaping @Sendable () -> Instant = EventLog.systemClock) throws {
    path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    // Nothing is synced, because these tests do not depend on the disk. The usual map of a ledger
    // reserves 2 TiB of addresses, of which a process has 128, and many tests run at the same time.
    ledger = try Ledger.create(
      at: path, options: Environment.Options(mapSize: 1 << 30, sync: .onRequest), clock: clock)
  }

  package convenience init(_ events: [RecordedEvent]) throws {
    try self.init()
    try append(events)
  }

  /// A ledger in which half of the events is folded and the other half is not.
  package convenience init(halfFolded events: [RecordedEvent]) throws {
    try self.init(Array(events.prefix(events.count / 2)))
    try ledger.fold()
    try append(events.dropFirst(events.count / 2))
  }

  /// Appends events as one batch, with their own recorded times.
  package func append(_ events: some Collection<RecordedEvent>) throws {
    let batch = events.map { recorded in
      EventInput(event: recorded.event, position: 1, recordedAt: recorded.recordedAt)
    }
    try ledger.appendAndWait(batch, options: AppendOptions(trustsRecordedAt: true))
    arrived += events
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      print("left \(path): \(error)")
    }
  }
}
