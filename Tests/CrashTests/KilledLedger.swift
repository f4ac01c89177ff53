import Foundation
import LMDB
import LedgerEvents
import LedgerHistories
import LedgerQueries
import Testing

/// A ledger to which child processes append until they are killed.
final class KilledLedger {
  let path: String
  private let seed: Int
  private let events: [RecordedEvent]
  /// The number of events that a child acknowledged as durable.
  private(set) var acknowledged = 0

  static let options = Environment.Options(sync: .onRequest)
  /// Every 5 ms for a minute, because a busy machine can take long.
  private static let openingTriesMax = 12_000

  init(seed: Int, count: Int) throws {
    self.seed = seed
    path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    events = Histories.sparse(seed: UInt64(seed), count: count, accounts: 40)
    _ = try Ledger.create(at: path, options: Self.options)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("left \(path)") }
  }

  /// Opens the ledger. The lock of a process that was just killed may still be held.
  func open(_ access: EventLog.Access = .readWrite) throws -> Ledger {
    for _ in 0..<Self.openingTriesMax {
      do throws(LedgerError) {
        return try Ledger(at: path, access: access, options: Self.options)
      } catch {
        guard error.code == .busy else { throw error }
      }
      Thread.sleep(forTimeInterval: 0.005)
    }
    return try Ledger(at: path, access: access, options: Self.options)
  }

  /// Runs a child from the beginning of the history, and kills it a while after `lines` lines were
  /// printed.
  func run(piece: Int, lines: Int, delay: Double, _ options: String...) throws {
    let arguments = ["append", path, "\(seed)", "\(events.count)", "\(piece)"]
    let child = try CrashingChild(arguments + options)
    var said: [String] = []
    while said.count < lines, let line = child.line() { said.append(line) }
    Thread.sleep(forTimeInterval: delay)
    said += child.kill()
    acknowledged = max(acknowledged, said.compactMap { Int($0) }.max() ?? 0)
  }

  /// Returns the errors of the ledger after a kill.
  func faults(piece: Int) throws -> [String] {
    var faults: [String] = []
    let ledger = try open()
    if try !ledger.log.verify().faults.isEmpty { faults.append("the log is damaged") }
    let ids = try held(ledger)
    if ids.count < acknowledged {
      faults.append("\(acknowledged) events were acknowledged and \(ids.count) are there")
    }
    if ids.count % piece != 0 && ids.count != events.count { faults.append("a batch is torn") }
    if ids != events.prefix(ids.count).map(\.event.id) { faults.append("others are there") }
    try ledger.fold()
    faults += try ledger.checkProjections()
    return faults
  }

  /// Appends everything again in this process, and returns the differences from appending it once.
  func faultsAfterAppendingAll(piece: Int) throws -> [String] {
    let ledger = try open()
    for start in stride(from: 0, to: events.count, by: piece) {
      let batch = events[start..<min(start + piece, events.count)].map {
        EventInput(event: $0.event, position: 1, recordedAt: $0.recordedAt)
      }
      let result = try append(batch, to: ledger)
      let expected = (start..<start + batch.count).map { UInt64($0 + 1) }
      if result.outcomes.map(\.position) != expected { return ["positions differ from \(start)"] }
    }
    if try held(ledger) != events.map(\.event.id) { return ["the events are not those of once"] }
    try ledger.fold()
    return try ledger.checkProjections()
  }

  private func append(_ batch: [EventInput], to ledger: Ledger) throws -> AppendResult {
    try ledger.appendAndWait(batch, options: AppendOptions(trustsRecordedAt: true))
  }

  /// Returns the ids in the log, in order.
  private func held(_ ledger: Ledger) throws -> [Name] {
    try ledger.read { (view) throws(LedgerError) in
      var ids: [Name] = []
      try view.events(EventsQuery()) { (recorded) throws(LedgerError) in
        ids.append(recorded.event.id)
        return true
      }
      return ids
    }
  }
}
