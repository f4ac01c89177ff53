import Foundation
import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

@testable import LedgerStore

/// The order in which a history arrives.
private enum ArrivalOrder: CaseIterable {
  case asItCame, shuffled, newestFirst

  func arranged(_ events: [RecordedEvent], seed: UInt64) -> [RecordedEvent] {
    switch self {
    case .asItCame: events
    case .shuffled: RecordedEvent.shuffled(events, seed: seed)
    case .newestFirst: RecordedEvent.newestFirst(events)
    }
  }
}

private func walk(
  _ events: [RecordedEvent], seed: UInt64, pieceMax: Int = 12, oracleEvery: Int = 3
) throws {
  let order = ArrivalOrder.allCases[Int(seed % 3)]
  let arriving = order.arranged(events, seed: seed)
  var random = SeededRandom(seed: seed &+ 0xDA1)
  let walk = try LedgerWalk()
  do {
    try walk.go(through: arriving, pieceMax: pieceMax, oracleEvery: oracleEvery, &random)
  } catch {
    Issue.record("seed \(seed), \(order), after \(walk.steps.joined(separator: ", ")): \(error)")
  }
  #expect(walk.differences.isEmpty, "seed \(seed), \(order)")
}

@Suite("Random histories through a ledger")
struct LedgerWalkTests {
  @Test("dense ones give at every step what the oracle and a fresh fold give")
  func dense() throws {
    for seed in 0..<30 as Range<UInt64> { try walk(Histories.dense(seed: seed), seed: seed) }
  }

  @Test("a long one in which units share state of the absent device for a while only")
  func partedAgain() throws {
    try walk(Histories.dense(seed: 5, count: 300), seed: 5, pieceMax: 40)
  }

  @Test("sparse ones too, where units are many and meet seldom")
  func sparse() throws {
    for seed in 0..<4 as Range<UInt64> {
      let events = Histories.sparse(seed: seed, count: 300, accounts: 15)
      try walk(events, seed: seed, pieceMax: 60)
    }
  }

  @Test("realistic ones too")
  func realistic() throws {
    for seed in 0..<3 as Range<UInt64> {
      let events = Histories.realistic(seed: seed, count: 400)
      try walk(events, seed: seed, pieceMax: 90)
    }
  }
}

/// `DAYBOOK_LONG=1` takes more than a thousand histories.
@Suite("HeavyLedgerWalk: hundreds of random histories through a ledger")
struct HeavyLedgerWalkTests {
  private static let isLong = ProcessInfo.processInfo.environment["DAYBOOK_LONG"] == "1"

  @Test("dense ones", arguments: 0..<8 as Range<UInt64>)
  func dense(part: UInt64) throws {
    for seed in 0..<(Self.isLong ? 130 : 25) as Range<UInt64> {
      let seed = 1_000 + seed * 8 + part
      try walk(Histories.dense(seed: seed), seed: seed, oracleEvery: 6)
    }
  }

  @Test("long dense ones")
  func longDense() throws {
    for seed in 0..<(Self.isLong ? 60 : 12) as Range<UInt64> {
      try walk(Histories.dense(seed: seed, count: 300), seed: seed, pieceMax: 40)
    }
  }

  @Test("sparse ones")
  func sparse() throws {
    for seed in 100..<(Self.isLong ? 130 : 106) as Range<UInt64> {
      let events = Histories.sparse(seed: seed, count: 3_000, accounts: 60)
      try walk(events, seed: seed, pieceMax: 400)
    }
  }

  @Test("realistic ones")
  func realistic() throws {
    for seed in 100..<(Self.isLong ? 120 : 104) as Range<UInt64> {
      try walk(Histories.realistic(seed: seed, count: 3_000), seed: seed, pieceMax: 500)
    }
  }
}
