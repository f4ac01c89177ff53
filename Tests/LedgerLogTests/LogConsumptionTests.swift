import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog

private func consumption(_ id: String, amount: Int, required: Bool = true) -> EventInput {
  EventInput(
    event: Event(
      id: Name(id), type: EventType(.consumableConsumed),
      occurredAt: Instant(microseconds: 1_600_000_000_000_000), account: "account-1",
      device: Name("device-of-\(id)"),
      data: EventData(members: [
        EventData.Member(name: "unit", json: Array("\"coins\"".utf8)),
        EventData.Member(name: "amount", json: Array("\(amount)".utf8)),
        EventData.Member(name: "required", json: Array("\(required)".utf8)),
      ])))
}

/// Covers consumptions of up to ten coins in everything that the log knows.
private let tenCoins: ConsumptionCheck = { (pending, view) throws(LedgerError) in
  var spent = 0
  for position in 1...view.lastPosition {
    let event = try view.event(at: position).event
    guard event.type.kind == .consumableConsumed, let amount = event.data["amount"] else {
      continue
    }
    spent += Int(String(decoding: amount, as: UTF8.self)) ?? 0
    if spent > 10, pending.required.contains(position) {
      throw LedgerError(.notCovered, "Ten coins are all there are.", position: position)
    }
  }
}

@Suite("Required consumptions")
struct LogConsumptionTests {
  private let folder: TemporaryFolder
  private let log: EventLog

  init() throws {
    folder = try TemporaryFolder()
    log = try EventLog.makeNew(folder)
    log.useConsumptionCheck(tenCoins)
  }

  @Test("are refused with their batch when they are not covered, and leave nothing behind")
  func notCovered() throws {
    try log.appendAndWait([consumption("a", amount: 6)])
    let before = try log.statistics()
    let root = try log.read { (view) throws(LedgerError) in try view.root(at: 1) }
    var batch = (0..<40).map { progress("p-\($0)", of: "t-\($0)") }
    batch[20] = consumption("b", amount: 5)
    batch[21] = note("n", "x")
    let error = #expect(throws: LedgerError.self) { try log.appendAndWait(batch) }
    #expect(error?.code == .notCovered)
    #expect(error?.index == 20)
    #expect(error?.position == nil)
    let after = try log.statistics()
    #expect(after.tables.map(\.entries) == before.tables.map(\.entries))
    #expect(try log.verify().faults.isEmpty)
    #expect(try log.read { (view) throws(LedgerError) in try view.root(at: 1) } == root)
    #expect(try log.appendAndWait([consumption("b", amount: 4)]).outcomes == [.appended(2)])
    #expect(try log.verify().faults.isEmpty)
  }

  @Test("are refused alone: what others append at the same time stays")
  func refusedAlone() async throws {
    let log = log
    let refused = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<16 {
        group.addTask {
          var refused = 0
          for batch in 0..<10 {
            let good = progress("\(task)/\(batch)", of: "t-\(task)/\(batch)")
            guard batch == 5 else {
              try await log.append([good])
              continue
            }
            do throws(LedgerError) {
              try await log.append([good, consumption("\(task)", amount: 5), note("\(task)n", "x")])
            } catch {
              #expect(error.code == .notCovered)
              refused += 1
            }
          }
          return refused
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(refused == 14)
    #expect(try log.lastPosition() == 16 * 9 + 2 * 3)
    #expect(try log.verify().faults.isEmpty)
  }

  @Test("are not asked again where the line carries a position, or when they stand in the log")
  func acceptedBefore() throws {
    try log.appendAndWait([consumption("a", amount: 10)])
    var exported = consumption("b", amount: 3)
    exported.position = 77
    #expect(try log.appendAndWait([exported]).outcomes == [.appended(2)])
    #expect(try log.appendAndWait([consumption("a", amount: 10)]).outcomes == [.duplicate(1)])
  }

  @Test("that are not required are never refused")
  func notRequired() throws {
    try log.appendAndWait([consumption("a", amount: 100, required: false)])
    #expect(try log.lastPosition() == 1)
  }

  @Test("are refused where nobody knows the balances")
  func nobodyKnows() throws {
    let other = try TemporaryFolder()
    let error = #expect(throws: LedgerError.self) {
      try EventLog.makeNew(other).appendAndWait([consumption("a", amount: 1)])
    }
    #expect(error?.code == .rebuildNeeded)
  }
}
