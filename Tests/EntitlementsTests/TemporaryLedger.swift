import Entitlements
import Foundation
import LMDB
import LedgerEvents
import LedgerStore

/// A ledger in its own folder, which is removed with it, and a lookup for it.
final class TemporaryLedger: Sendable {
  let path: String
  let ledger: Ledger
  let lookup: Entitlements

  /// Creates a ledger. `now` is the current time of its lookups.
  init(now: Instant = .noon, environments: Set<StoreEnvironment> = [.production]) throws {
    path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    // Nothing is synced, because these tests do not depend on the disk.
    ledger = try Ledger.create(at: path, options: Environment.Options(sync: .onRequest))
    lookup = Entitlements(ledger: ledger, environments: environments) { now }
  }

  /// Appends events with their own recorded times.
  @discardableResult
  func append(_ events: some Sequence<RecordedEvent>) throws -> AppendResult {
    let batch = events.map {
      EventInput(event: $0.event, position: 1, recordedAt: $0.recordedAt)
    }
    return try ledger.appendAndWait(batch, options: AppendOptions(trustsRecordedAt: true))
  }

  /// Appends events that were recorded when they occurred.
  @discardableResult
  func append(_ events: Event...) throws -> AppendResult {
    try append(
      events.map { RecordedEvent(position: 1, recordedAt: $0.occurredAt, event: $0) })
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      print("left \(path): \(error)")
    }
  }
}

extension Instant {
  /// The noon around which the tests' events occur.
  static let noon = Instant(microseconds: 1_600_000_000_000_000)

  /// Returns the instant some seconds after noon.
  static func noon(_ seconds: Int64) -> Instant {
    Instant(microseconds: noon.microseconds + seconds * second)
  }

  func advanced(by microseconds: Int64) -> Instant {
    Instant(microseconds: self.microseconds + microseconds)
  }
}
