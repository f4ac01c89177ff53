import LMDB
import Testing

@testable import RunStorage

/// A random history of a family of runs, with a plain set that should have the same entries.
struct RunsHistory {
  private let seed: UInt64
  private var random: RunsRandom
  private let store: RunsEnvironment
  private var runs: SortedRuns
  private var model: Set<RunEntry> = []

  init(seed: UInt64) throws {
    self.seed = seed
    random = RunsRandom(seed: seed)
    store = try RunsEnvironment()
    runs = try SortedRuns.create("family", in: store.environment)
  }

  mutating func step() throws {
    switch random.next() % 10 {
    case 0..<4: try add()
    case 4..<6: _ = try compact(budget: Int(random.next() % 4000) + 1, abort: false)
    case 6: _ = try compact(budget: Int(random.next() % 4000) + 1, abort: true)
    case 7: try compareSome()
    case 8: try compareBatch()
    default:
      if random.next() % 4 == 0 {
        try store.reopen()
        runs = try SortedRuns.create("family", in: store.environment)
      }
    }
  }

  /// Adds a batch. One in four is dropped with its transaction.
  private mutating func add() throws {
    let count = Int(random.next() % (random.next() % 4 == 0 ? 3000 : 60)) + 1
    var entries = runsEntries(&random, count: count)
    if random.next() % 3 == 0, let known = model.first {
      entries.append(known)
      entries.append(known)
      entries.sort()
    }
    let drop = random.next() % 4 == 0
    do throws(RunsError) {
      try store.write { (transaction) throws(RunsError) in
        try runs.add(entries, in: &transaction)
        if drop { throw RunsError.corrupt("dropped") }
      }
    } catch {
      guard drop, error.code == .corrupt else { throw error }
      return
    }
    model.formUnion(entries)
  }

  /// Compacts one slice. An aborted one leaves no trace.
  func compact(budget: Int, abort: Bool) throws -> Bool {
    guard abort else { return try store.compact(runs, budget: budget) }
    do throws(RunsError) {
      try store.write { (transaction) throws(RunsError) in
        _ = try runs.compact(budget: budget, in: &transaction)
        throw RunsError.corrupt("aborted")
      }
    } catch { guard error.code == .corrupt else { throw error } }
    return true
  }

  func runCount() throws -> Int {
    try store.read { (view) throws(RunsError) in try runs.snapshot(in: view).runCount }
  }

  private mutating func key() -> UInt64 {
    if random.next() % 2 == 0, let entry = model.first { return entry.key &+ random.next() % 2 }
    return random.next() >> (random.next() % 64)
  }

  private mutating func compareSome() throws {
    let key = key()
    let ends = [self.key(), self.key()].sorted()
    let values = model.filter { $0.key == key }.map(\.value).sorted()
    let range = model.filter { $0.key >= ends[0] && $0.key <= ends[1] }.sorted()
    try store.read { (view) throws(RunsError) in
      let snapshot = try runs.snapshot(in: view)
      #expect(try Set(snapshot.values(of: key, in: view)).sorted() == values, "seed \(seed)")
      let up = try snapshot.entries(from: ends[0], through: ends[1], in: view)
      #expect(up == range, "seed \(seed)")
    }
  }

  private mutating func compareBatch() throws {
    let keys = (0..<30).map { _ in key() }.sorted()
    var expected: [Set<UInt32>] = []
    for key in keys { expected.append(Set(model.filter { $0.key == key }.map(\.value))) }
    var found = Array(repeating: Set<UInt32>(), count: keys.count)
    try store.read { (view) throws(RunsError) in
      try runs.snapshot(in: view).lookup(
        sorted: keys, in: view
      ) { (index: Int, value: UInt32) throws(RunsError) in
        found[index].insert(value)
        return true
      }
    }
    #expect(found == expected, "seed \(seed)")
  }

  func compareAll() throws {
    let expected = model.sorted()
    try store.read { (view) throws(RunsError) in
      let snapshot = try runs.snapshot(in: view)
      #expect(try snapshot.entries(in: view) == expected, "seed \(seed)")
      var all: Set<RunEntry> = []
      try snapshot.forEachBlock(in: view) { (block: [RunEntry]) throws(RunsError) in
        all.formUnion(block)
      }
      #expect(all == model, "seed \(seed)")
    }
  }
}
