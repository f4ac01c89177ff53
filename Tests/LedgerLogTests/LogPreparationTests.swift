import Dispatch
import Foundation
import LedgerEvents
import LogTesting
import Synchronization
import Testing

@testable import LedgerLog

@Suite("A batch that is prepared in pieces")
struct LogPreparationTests {
  private let folder: TemporaryFolder
  private let log: EventLog

  init() throws {
    folder = try TemporaryFolder()
    log = try EventLog.makeNew(folder)
  }

  /// More events than one piece has, and not a multiple of it. Some have personal data.
  private static let count = 700

  private func inputs() -> [EventInput] {
    (0..<Self.count).map { index in
      index % 50 == 3
        ? note("note-\(index)", "text \(index)") : progress("event-\(index)", of: "t-\(index % 90)")
    }
  }

  private func prepared(_ inputs: [EventInput]) throws -> PreparedBatch {
    try PreparedBatch(
      inputs, AppendOptions(), log.identity.keyHash, try log.tables.texts.keys?.head())
  }

  @Test("has the records of its events prepared one by one, in their order")
  func records() throws {
    let whole = try prepared(inputs())
    #expect(whole.records.ends.count == Self.count)
    #expect(whole.records.ends.last == whole.records.bytes.count)
    #expect(whole.records.personal.map(\.event) == Array(stride(from: 3, to: Self.count, by: 50)))
    for (index, input) in inputs().enumerated() {
      let one = try prepared([input])
      let record = whole.records.bytes[whole.record(of: index)]
      if index % 50 == 3 {
        // A commitment is different each time.
        #expect(record.count == one.records.bytes.count)
      } else {
        #expect(Array(record) == one.records.bytes, "event \(index)")
      }
    }
  }

  @Test("gives back every event, also those with personal data")
  func givenBack() throws {
    let inputs = inputs()
    #expect(try log.appendAndWait(inputs).positions == 1...UInt64(Self.count))
    let events = try log.allEvents()
    for (event, input) in zip(events, inputs) {
      #expect(event.event.sameContent(as: input.event))
    }
    #expect(try log.verify().faults.isEmpty)
  }

  @Test("is refused for its first event that cannot be appended, whatever is wrong with later ones")
  func firstReason() throws {
    var inputs = inputs()
    inputs[655].event.sequence = -1
    inputs[140].event.sequence = -1
    #expect(try refusal(of: inputs) == .init(code: .invalidEvent, index: 140))
    // The same id with other content is what the other pass finds.
    inputs[139] = progress("event-0", of: "another")
    #expect(try refusal(of: inputs) == .init(code: .conflict, index: 139))
    #expect(try log.lastPosition() == 0)
  }

  private struct Refusal: Equatable {
    var code: LedgerError.Code
    var index: Int?
  }

  private func refusal(of inputs: [EventInput]) throws -> Refusal? {
    let error = #expect(throws: LedgerError.self) { try log.appendAndWait(inputs) }
    return error.map { Refusal(code: $0.code, index: $0.index) }
  }
}

@Suite("A caller that waits for its append")
struct LogLeaderTests {
  private let folder: TemporaryFolder
  private let log: EventLog

  init() throws {
    folder = try TemporaryFolder()
    log = try EventLog.makeNew(folder)
  }

  @Test("writes its batch on its own thread if nobody else is writing")
  func ownThread() throws {
    try log.appendAndWait([progress("first")])
    let writing = Mutex<Thread?>(nil)
    let condition = AppendCondition.holds { _ in writing.withLock { $0 = Thread.current } }
    try log.appendAndWait([progress("second")], options: AppendOptions(condition: condition))
    #expect(writing.withLock { $0 } === Thread.current)
  }

  @Test("leaves to the writer what others submit while it writes")
  func leftToWriter() throws {
    let tickets = Mutex<[AppendTicket]>([])
    let log = log
    let condition = AppendCondition.holds { (_) throws(LedgerError) in
      for number in 0..<2 {
        let ticket = try log.submit([progress("submitted-\(number)")])
        tickets.withLock { $0.append(ticket) }
      }
      throw LedgerError(.conditionFailed, "The caller's own batch is refused.")
    }
    #expect(throws: LedgerError.self) {
      try log.appendAndWait([progress("own")], options: AppendOptions(condition: condition))
    }
    let waiting = tickets.withLock { $0 }
    #expect(try waiting.map { try $0.wait().outcomes } == [[.appended(1)], [.appended(2)]])
    #expect(try log.appendAndWait([progress("own")]).outcomes == [.appended(3)])
  }

  @Test("is answered once among many threads that append one event a call")
  func manyThreads() throws {
    let (threads, each) = (16, 40)
    let outcomes = Mutex<[AppendOutcome]>([])
    let log = log
    let group = DispatchGroup()
    for thread in 0..<threads {
      group.enter()
      Thread {
        do {
          for number in 0..<each {
            let result = try log.appendAndWait([progress("\(thread)/\(number)")])
            outcomes.withLock { $0 += result.outcomes }
          }
        } catch { Issue.record(error) }
        group.leave()
      }.start()
    }
    group.wait()
    let positions = outcomes.withLock { outcomes in
      outcomes.compactMap { if case .appended(let position) = $0 { position } else { nil } }
    }
    #expect(positions.sorted() == Array(1...UInt64(threads * each)))
    #expect(try log.verify().faults.isEmpty)
  }
}
