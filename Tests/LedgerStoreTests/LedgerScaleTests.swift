import Foundation
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerOracle
import Testing

@testable import LedgerStore

/// 10⁵ events for 10³ accounts; 10⁶ for 10⁴ if `DAYBOOK_LONG` is 1.
@Suite("HeavyLedgerScale: one large random history")
struct HeavyLedgerScaleTests {
  private static let count =
    ProcessInfo.processInfo.environment["DAYBOOK_LONG"] == "1" ? 1_000_000 : 100_000

  private func seconds(_ name: String, _ body: () throws -> Void) throws {
    let time = try ContinuousClock().measure(body)
    print("\(name) of \(Self.count) events: \(time)")
  }

  @Test("folds to the same live, rebuilt and by the oracle")
  func sparse() throws {
    let events = Histories.sparse(seed: 9, count: Self.count, accounts: Self.count / 100)
    let walk = try LedgerWalk()
    try seconds("appending and folding in pieces") {
      for (number, start) in stride(from: 0, to: events.count, by: 10_000).enumerated() {
        try walk.append(events[start..<min(start + 10_000, events.count)])
        if number % 4 == 3 { try walk.ledger().fold() }
      }
      try walk.ledger().fold()
    }
    try seconds("the check against a rebuild") {
      let found = try walk.ledger().checkProjections()
      #expect(found == [])
    }
    var answers: [StoreEnvironment: Oracle.Answer] = [:]
    try seconds("the oracle") { answers = Oracle(events).answers() }
    let questions = LedgerQuestions(answers, about: events)
    let expected = LedgerStatement(answers, to: questions)
    try seconds("the answers") {
      let live = try LedgerStatement(unitsOf: walk.ledger(), questions)
      #expect(live.differences(from: expected).prefix(20) == [])
    }
    try seconds("the rebuild") { try walk.ledger().rebuild() }
    let rebuilt = try LedgerStatement(unitsOf: walk.ledger(), questions)
    #expect(rebuilt.differences(from: expected).prefix(20) == [])
  }

  @Test("folds to the same when the newest events come first")
  func newestFirst() throws {
    let count = Self.count / 5
    let history = Histories.sparse(seed: 10, count: count, accounts: count / 100)
    let events = RecordedEvent.newestFirst(history)
    let walk = try LedgerWalk()
    for start in stride(from: 0, to: events.count, by: 2_000) {
      try walk.append(events[start..<min(start + 2_000, events.count)])
      if start % 8_000 == 0 { try walk.ledger().fold() }
    }
    try walk.take(.oracle)
    try walk.take(.fold)
    try walk.take(.oracle)
    try walk.take(.check)
    #expect(walk.differences.isEmpty)
  }
}
