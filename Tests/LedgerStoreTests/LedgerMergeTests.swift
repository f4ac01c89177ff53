import LMDB
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerOracle
import Testing

@testable import LedgerStore

/// Simulates the death of a process: commits succeed until the limit is reached.
private final class Fuse {
  private var left: Int

  init(commits: Int) { left = commits }

  func burn() throws(LedgerError) {
    guard left > 0 else { throw LedgerError(.io, "The process is dead.") }
    left -= 1
  }
}

/// How often the row of each unit was decoded.
private final class Decoded {
  private(set) var times: [UnitNumber: Int] = [:]

  func add(_ unit: UnitNumber) { times[unit, default: 0] += 1 }
}

extension LedgerWalk {
  /// Folds with a commit for each unit and stops after this many. Returns false if the fold
  /// completed before that.
  fileprivate func dieFolding(after commits: Int) throws -> Bool {
    let ledger = try ledger()
    return try ledger.schedule.whileNobodyFolds { () throws(LedgerError) in
      guard let projections = try ledger.source.live() else { return false }
      let fuse = Fuse(commits: commits)
      let pace = MergePace(rowCountMax: 0) { () throws(LedgerError) in try fuse.burn() }
      let projector = Projector(log: ledger.log, projections: projections, pace: pace)
      do throws(LedgerError) { _ = try projector.step() } catch {
        guard error.code == .io else { throw error }
        note("death after \(commits)", [])
        return true
      }
      return false
    }
  }
}

@Suite("A merge that is cut short")
struct LedgerMergeTests {
  /// Returns how often the merge was stopped.
  private func walk(
    _ events: [RecordedEvent], seed: UInt64, pieceMax: Int, commitsMax: Int
  ) throws -> Int {
    var random = SeededRandom(seed: seed &+ 0xDEAD)
    let walk = try LedgerWalk()
    var deaths = 0
    var rest = events[...]
    while !rest.isEmpty {
      let piece = rest.prefix(1 + random.below(pieceMax))
      // A fold in the background would leave nothing to stop.
      try walk.append(piece, foldsSoon: false)
      rest = rest.dropFirst(piece.count)
      if try walk.dieFolding(after: random.below(commitsMax)) { deaths += 1 }
      // Asks while half of the rows are ahead, then merges again with newer events.
      if random.chance(1, in: 2) { try walk.take(.past) }
      if random.chance(1, in: 4) { try walk.take(.reopen) }
      if random.chance(1, in: 4) { try walk.take(.fold) }
      if random.chance(1, in: 4) { try walk.take(.check) }
    }
    try walk.take(.oracle)
    try walk.take(.fold)
    try walk.take(.oracle)
    try walk.take(.check)
    #expect(walk.differences.isEmpty, "seed \(seed)")
    return deaths
  }

  @Test("is done again with the same result, and answers meanwhile are right")
  func dense() throws {
    var deaths = 0
    for seed in 600..<610 as Range<UInt64> {
      let events = RecordedEvent.shuffled(Histories.dense(seed: seed), seed: seed)
      deaths += try walk(events, seed: seed, pieceMax: 15, commitsMax: 3)
    }
    #expect(deaths > 20)
  }

  @Test("is done again where units share state of the absent device, for a while or for good")
  func absentDevice() throws {
    var deaths = 0
    for seed in 620..<632 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let events = Histories.dense(seed: seed, count: 120).mostlyWithoutDevices(&random)
      let arriving = RecordedEvent.shuffled(events, seed: seed)
      deaths += try walk(arriving, seed: seed, pieceMax: 20, commitsMax: 4)
    }
    #expect(deaths > 20)
  }

  @Test("is done again where units are many")
  func sparse() throws {
    var deaths = 0
    for seed in 0..<3 as Range<UInt64> {
      let events = Histories.sparse(seed: seed, count: 300, accounts: 20)
      deaths += try walk(events, seed: seed, pieceMax: 80, commitsMax: 12)
    }
    #expect(deaths > 3)
  }

  @Test(
    "decodes each unit's old row at most once, if there is room for their states",
    arguments: [650, 651, 652, 653, 654, 655] as [UInt64], [16 << 20, 0])
  func decodesOnce(seed: UInt64, heldByteCountMax: Int) throws {
    var random = SeededRandom(seed: seed)
    // Late catalogues, erasures and events without a device, so that units are read for more than
    // one reason.
    let events = Histories.sideBySide(seed: seed, count: 160).mostlyWithoutDevices(&random)
    let walk = try LedgerWalk()
    let ledger = try walk.ledger()
    var decodedCount = 0
    var isReadAgain = false
    var rest = events[...]
    while !rest.isEmpty {
      try walk.append(rest.prefix(20), foldsSoon: false)
      rest = rest.dropFirst(20)
      let decoded = Decoded()
      let pace = MergePace(heldByteCountMax: heldByteCountMax, didDecode: decoded.add)
      let projections = try #require(try ledger.source.live())
      try ledger.schedule.whileNobodyFolds { () throws(LedgerError) in
        _ = try Projector(log: ledger.log, projections: projections, pace: pace).step()
      }
      decodedCount += decoded.times.count
      if heldByteCountMax > 0 {
        #expect(decoded.times.allSatisfy { $0.value == 1 }, "seed \(seed): \(decoded.times)")
      } else if decoded.times.contains(where: { $0.value > 1 }) {
        isReadAgain = true
      }
    }
    #expect(decodedCount > 10)
    // Not every history reads a unit for two reasons.
    if seed == 650 { #expect(isReadAgain == (heldByteCountMax == 0)) }
    try walk.take(.check)
    #expect(walk.differences.isEmpty, "seed \(seed)")
  }

  @Test("would be found out if it wrote its checkpoint before its rows")
  func control() throws {
    let walk = try LedgerWalk()
    try walk.append(Histories.sparse(seed: 1, count: 300, accounts: 20), foldsSoon: false)
    #expect(try walk.dieFolding(after: 5))
    let ledger = try walk.ledger()
    let projections = try #require(try ledger.source.live())
    try ledger.log.read { (view) throws(LedgerError) in
      var ahead = Checkpoint(
        ledger: ledger.log.identity.ledger, root: try view.root(at: view.lastPosition).bytes)
      ahead.position = view.lastPosition
      ahead.name = try view.lastNameNumber()
      do throws(LMDBError) {
        var transaction = try projections.environment.beginWrite()
        try ahead.write(&transaction, projections.tables)
        try transaction.commit()
      } catch { throw LedgerError(error) }
    }
    #expect(try !ledger.checkProjections().isEmpty)
  }
}
