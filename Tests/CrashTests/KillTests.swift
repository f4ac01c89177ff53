import LedgerHistories
import Testing

@Suite("A ledger whose process is killed", .serialized)
struct KillTests {
  @Test("keeps what was acknowledged, in whole batches, and appending it all again changes nothing")
  func appends() throws {
    let ledger = try KilledLedger(seed: 1, count: 2_000)
    for (round, delay) in [0, 0.003, 0.011, 0.002].enumerated() {
      try ledger.run(piece: 7, lines: 3 + 40 * round, delay: delay)
      #expect(try ledger.faults(piece: 7) == [], "round \(round)")
    }
    #expect(try ledger.faultsAfterAppendingAll(piece: 7) == [])
  }

  @Test("in the middle of folds has projections that go on")
  func folds() throws {
    let ledger = try KilledLedger(seed: 2, count: 3_000)
    for (round, delay) in [0.001, 0.02, 0.007, 0.013, 0.004, 0.03].enumerated() {
      try ledger.run(piece: 50, lines: 2 + 6 * round, delay: delay, "--fold")
      #expect(try ledger.faults(piece: 50) == [], "round \(round)")
    }
    #expect(try ledger.faultsAfterAppendingAll(piece: 50) == [])
  }

  @Test("would be found out if it acknowledged before the commit")
  func control() throws {
    let ledger = try KilledLedger(seed: 3, count: 3_000)
    try ledger.run(piece: 50, lines: 2, delay: 0, "--early")
    #expect(try !ledger.faults(piece: 50).isEmpty)
  }
}

@Suite("HeavyKill: a ledger whose process is killed often", .serialized)
struct HeavyKillTests {
  @Test("in the middle of large folds has projections that go on")
  func folds() throws {
    var random = SeededRandom(seed: 77)
    for seed in 0..<6 {
      let ledger = try KilledLedger(seed: 100 + seed, count: 60_000)
      for round in 0..<8 {
        let delay = Double(random.below(200)) / 1_000
        try ledger.run(piece: 2_000, lines: 1 + random.below(3 + 3 * round), delay: delay, "--fold")
        #expect(try ledger.faults(piece: 2_000) == [], "seed \(seed), round \(round)")
      }
      #expect(try ledger.faultsAfterAppendingAll(piece: 2_000) == [], "seed \(seed)")
    }
  }
}
