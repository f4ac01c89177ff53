import Dispatch
import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Synchronization
import Testing
import WorkThreads

@testable import LedgerLog

@Suite("The log's writer")
struct LogWriterTests {
  private let folder: TemporaryFolder
  private let log: EventLog

  init() throws {
    folder = try TemporaryFolder()
    log = try EventLog.makeNew(folder)
  }

  @Test("appends what many tasks bring at once, each batch whole and in one piece")
  func manyTasks() async throws {
    let log = log
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<16 {
        group.addTask {
          for batch in 0..<25 {
            let result = try await log.append(
              (0..<3).map { progress("\(task)/\(batch)/\($0)", of: "t-\(task)") })
            let positions = try #require(result.positions)
            #expect(positions.count == 3)
          }
        }
      }
      try await group.waitForAll()
    }
    let events = try log.allEvents()
    #expect(events.count == 16 * 25 * 3)
    #expect(Set(events.map(\.event.id)).count == events.count)
    for start in stride(from: 0, to: events.count, by: 3) {
      let batch = events[start].event.id.text.dropLast(2)
      for offset in 0..<3 { #expect(events[start + offset].event.id.text == "\(batch)/\(offset)") }
    }
    #expect(try log.verify().faults.isEmpty)
  }

  @Test("answers each task by itself: a refused batch leaves its group alone")
  func refusedAmongOthers() async throws {
    let log = log
    try await log.append([progress("taken")])
    let refused = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<16 {
        group.addTask {
          var refused = 0
          for batch in 0..<20 {
            let good = progress("\(task)/\(batch)")
            if batch % 4 != 0 {
              try await log.append([good])
              continue
            }
            do throws(LedgerError) {
              try await log.append([good, progress("taken", of: "other")])
            } catch {
              #expect(error.code == .conflict)
              refused += 1
            }
          }
          return refused
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(refused == 16 * 5)
    #expect(try log.lastPosition() == 1 + 16 * 15)
    #expect(try log.verify().faults.isEmpty)
  }

  @Test("limits the time of a group again after it was held back") func timeLimit() throws {
    let tickets = try log.whileWriterIsHeld {
      try [log.submit([progress("held-1")]), log.submit([progress("held-2")])]
    }
    for ticket in tickets { _ = try ticket.wait() }
    let before = try log.snapshot().commit
    // The first batch takes longer than a group may, and the second one waits from early on.
    let isSubmitted = DispatchSemaphore(value: 0)
    let slow = try log.submit(
      [progress("slow")],
      options: AppendOptions(
        condition: .holds { _ in
          isSubmitted.wait()
          Thread.sleep(forTimeInterval: 0.03)
        }))
    let next = try log.submit([progress("next")])
    isSubmitted.signal()
    _ = (try slow.wait(), try next.wait())
    #expect(try log.snapshot().commit == before + 2)
  }

  @Test("writes where batches are submitted, if no thread can be started")
  func noThread() throws {
    let writer = LogWriter(
      environment: log.environment, tables: log.tables, keyHash: log.identity.keyHash,
      roots: log.roots, clock: fixedClock, thread: BackgroundThread { _ in false })
    let keys = try log.tables.texts.keys?.head()
    let submit = { (ids: [String]) throws -> AppendTicket in
      let ticket = AppendTicket()
      let batch = try PreparedBatch(
        ids.map { progress($0) }, AppendOptions(), log.identity.keyHash, keys)
      writer.enqueue(PendingAppend(batch: batch, condition: nil) { ticket.fulfill($0) })
      return ticket
    }
    let alone = try submit(["alone-1", "alone-2"])
    #expect(try alone.wait().positions == 1...2)
    // While the writer is held, nothing is written, and afterwards, all of it is one group.
    let before = try log.snapshot().commit
    let held = try writer.whileHeld {
      let tickets = try [submit(["held-1"]), submit(["held-2"])]
      #expect(try log.snapshot().commit == before)
      return tickets
    }
    #expect(try log.snapshot().commit == before + 1)
    for (ticket, position) in zip(held, 3...4 as ClosedRange<UInt64>) {
      #expect(try ticket.wait().positions == position...position)
    }
    #expect(try log.verify().faults.isEmpty)
  }

  /// Submits batches of so many events while their group waits for its index, or while the writer
  /// is held. Returns the number of commits that they take.
  private func commits(of batches: [Int], held: Bool = false) throws -> Int {
    let writer = LogWriter(
      environment: log.environment, tables: log.tables, keyHash: log.identity.keyHash,
      roots: log.roots, clock: fixedClock)
    let go = DispatchSemaphore(value: 0)
    writer.setHooks { hooks in
      // What a group takes depends on its batches alone, not on how busy the machine is.
      hooks.groupTimeMax = .seconds(3_600)
      hooks.index = {
        go.wait()
        go.signal()
        return EmptyLogIndex()
      }
    }
    let keys = try log.tables.texts.keys?.head()
    let before = try log.snapshot().commit
    let submit = {
      try batches.enumerated().map { number, count in
        let ticket = AppendTicket()
        let batch = try PreparedBatch(
          (0..<count).map { progress("\(held)/\(batches)/\(number)/\($0)") }, AppendOptions(),
          log.identity.keyHash, keys)
        writer.enqueue(PendingAppend(batch: batch, condition: nil) { ticket.fulfill($0) })
        return ticket
      }
    }
    let tickets = held ? try writer.whileHeld(submit) : try submit()
    go.signal()
    for ticket in tickets { _ = try ticket.wait() }
    return try log.snapshot().commit - before
  }

  @Test("leaves a large batch to the next group if none waits behind it") func large() throws {
    let large = LogWriter.largeEventsMin
    #expect(try commits(of: [1, large - 1]) == 1)
    #expect(try commits(of: [1, large]) == 2)
    #expect(try commits(of: [large, large]) == 2)
    #expect(try commits(of: [large, 1]) == 1)
    #expect(try commits(of: [large, large, 1]) == 1)
    #expect(try commits(of: [large, large, large]) == 2)
    // What was submitted while the writer was held is one group.
    #expect(try commits(of: [1, large], held: true) == 1)
  }

  @Test("gives one position to an event that all tasks bring at once")
  func sameEvent() async throws {
    let log = log
    let positions = try await withThrowingTaskGroup(of: AppendOutcome.self) { group in
      for _ in 0..<16 {
        group.addTask { try await log.append([progress("the same")]).outcomes[0] }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(positions.count { $0 == .appended(1) } == 1)
    #expect(positions.count { $0 == .duplicate(1) } == 15)
  }

  @Test("appends submitted batches in their order")
  func submitted() throws {
    let tickets = try (0..<50).map { try log.submit([progress("event-\($0)")]) }
    for (number, ticket) in tickets.enumerated() {
      #expect(try ticket.wait().outcomes == [.appended(UInt64(number + 1))])
    }
  }

  @Test("answers every thread that waits for the same batch") func waitedForTwice() throws {
    let ticket = try log.submit([progress("event")])
    let outcomes = Mutex<[AppendOutcome]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      do {
        let found = try ticket.wait().outcomes
        outcomes.withLock { $0 += found }
      } catch {
        Issue.record(error)
      }
    }
    #expect(outcomes.withLock { $0 } == [AppendOutcome](repeating: .appended(1), count: 4))
  }

  @Test("takes a batch that is larger than a group, and refuses one that no commit takes")
  func largeBatches() throws {
    let count = LogAppender.groupEventsMax + 500
    let result = try log.appendAndWait((0..<count).map { progress("event-\($0)") })
    #expect(result.positions == 1...UInt64(count))
    let one = progress("x")
    let error = #expect(throws: LedgerError.self) {
      try log.appendAndWait([EventInput](repeating: one, count: batchEventsMax + 1))
    }
    #expect(error?.code == .batchTooLarge)
  }

  @Test("refuses a conditional batch when a matching event came after the position")
  func condition() throws {
    try log.appendAndWait([progress("a"), progress("b", of: "2000"), note("c", "x")])
    func append(
      _ id: String, after: UInt64, _ filter: EventFilter
    ) throws(LedgerError) -> AppendResult {
      let condition = AppendCondition.noEvent(matching: filter, after: after)
      return try log.appendAndWait([progress(id)], options: AppendOptions(condition: condition))
    }
    let failing: [(UInt64, EventFilter)] = [
      (0, EventFilter()), (2, EventFilter(account: "account-1")),
      (1, EventFilter(transaction: "2000")), (1, EventFilter(originalTransaction: "2000")),
      (1, EventFilter(product: "com.example.pack")), (2, EventFilter(type: EventType(.noteAdded))),
      (1, EventFilter(account: "account-1", type: EventType(.downloadProgressed))),
    ]
    for (after, filter) in failing {
      let error = #expect(throws: LedgerError.self) { try append("new", after: after, filter) }
      #expect(error?.code == .conditionFailed)
      #expect(error?.position != nil)
    }
    #expect(try log.lastPosition() == 3)
    let holding: [(UInt64?, EventFilter)] = [
      (nil, EventFilter()), (0, EventFilter(account: "nobody")),
      (nil, EventFilter(transaction: "1000")), (2, EventFilter(transaction: "2000")),
      (0, EventFilter(product: "com.example.pack", type: EventType(.noteAdded))),
      (3, EventFilter(type: EventType(.noteAdded))),
    ]
    for (number, (after, filter)) in holding.enumerated() {
      let after = try after ?? log.lastPosition()
      #expect(try append("good-\(number)", after: after, filter).appendedCount == 1)
    }
  }

  @Test("acknowledges a conditional batch again, although its own events stand in its way now")
  func conditionAgain() throws {
    let options = AppendOptions(condition: .noEvent(matching: EventFilter(), after: 0))
    try log.appendAndWait([progress("a"), progress("b")], options: options)
    let again = try log.appendAndWait([progress("a"), progress("b")], options: options)
    #expect(again.outcomes == [.duplicate(1), .duplicate(2)])
  }

  @Test("asks the caller's own condition in the transaction that writes")
  func ownCondition() throws {
    let condition = AppendCondition.holds { (view) throws(LedgerError) in
      guard view.lastPosition < 2 else { throw LedgerError(.conditionFailed, "Two are enough.") }
    }
    let options = AppendOptions(condition: condition)
    try log.appendAndWait([progress("a")], options: options)
    try log.appendAndWait([progress("b")], options: options)
    let error = #expect(throws: LedgerError.self) {
      try log.appendAndWait([progress("c")], options: options)
    }
    #expect(error?.code == .conditionFailed)
  }
}
