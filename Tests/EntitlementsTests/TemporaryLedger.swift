import Entitlements
import Foundation
import LMDB
import LedgerEvents
import LedgerStore

/// A ledger in a folder of its own that goes with it, and what looks up in it.
final class TemporaryLedger: Sendable {
  let path: String
  let ledger: Ledger
  let lookup: Entitlements

  /// Makes one; `now` is the present of its lookups.
  init(now: Instant = .noon, environments: Set<StoreEnvironment> = [.production]) throws {
    path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    // What these tests show does not depend on the disk: nothing is synced.
    ledger = try Ledger.create(at: path, options: Environment.Options(sync: .onRequest))
    lookup = Entitlements(ledger: ledger, environments: environments) { now }
  }

  /// Appends with the recorded times that the events have.
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
  /// A noon that the tests' events stand around.
  static let noon = Instant(microseconds: 1_600_000_000_000_000)

  /// Seconds after noon.
  static func noon(_ seconds: Int64) -> Instant {
    Instant(microseconds: noon.microseconds + seconds * second)
  }

  func advanced(by microseconds: Int64) -> Instant {
    Instant(microseconds: self.microseconds + microseconds)
  }
}
