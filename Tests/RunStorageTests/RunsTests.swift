import LMDB
import Testing

@testable import RunStorage

@Suite("Sorted runs") struct RunsTests {
  @Test(
    "whatever was added is found, through merges, reopening and aborted slices", arguments: 0..<8)
  func whateverAdded(
    seed: Int
  ) throws {
    var history = try RunsHistory(seed: UInt64(seed))
    for _ in 0..<80 { try history.step() }
    try history.compareAll()
    while try history.compact(budget: 100_000, abort: false) {}
    try history.compareAll()
    #expect(try history.runCount() < 40, "seed \(seed)")
  }

  @Test("a family that was never written is empty") func familyNever() throws {
    let store = try RunsEnvironment()
    let runs = try SortedRuns.create("r", in: store.environment)
    try store.environment.read(throwing: RunsError.self) { (transaction) throws(RunsError) in
      let snapshot = try runs.snapshot(in: transaction.view)
      #expect(try snapshot.entries(in: transaction.view) == [])
      #expect(try !runs.needsCompaction(in: transaction.view))
    }
    #expect(try SortedRuns.open("other", in: store.environment) == nil)
  }

  @Test("eight runs become one, and their rows go") func eightRuns() throws {
    let store = try RunsEnvironment()
    let runs = try SortedRuns.create("r", in: store.environment)
    for batch in 0..<8 as Range<UInt64> {
      let entries = (0..<5000).map { RunEntry(key: $0 * 8 + batch, value: UInt32($0)) }
      try store.write { (transaction) throws(RunsError) in
        #expect(try !runs.compact(in: &transaction))
        try runs.add(entries, in: &transaction)
      }
    }
    var slices = 1
    while try store.compact(runs, budget: 10) { slices += 1 }
    #expect(slices > 5)
    try store.environment.read(throwing: RunsError.self) { (transaction) throws(RunsError) in
      let snapshot = try runs.snapshot(in: transaction.view)
      #expect(snapshot.runCount == 1)
      #expect(snapshot.entryCount == 40_000)
      let manifest = try runs.manifest(in: transaction.view)
      let rows = try? transaction.statistics(runs.table).entries
      #expect(rows == Int(manifest.runs[0].blocks) + 1)
      #expect(try snapshot.entries(in: transaction.view).map(\.key) == Array(0..<40_000))
    }
  }

  @Test("a reader sees the runs of its snapshot while they are merged and deleted")
  func readerSees() throws {
    let store = try RunsEnvironment()
    let runs = try SortedRuns.create("r", in: store.environment)
    for batch in 0..<8 as Range<UInt64> {
      let entries = (0..<3000).map { RunEntry(key: $0 * 8 + batch) }
      try store.write { (transaction) throws(RunsError) in try runs.add(entries, in: &transaction) }
    }
    try store.environment.read(throwing: RunsError.self) { (transaction) throws(RunsError) in
      let snapshot = try runs.snapshot(in: transaction.view)
      while try store.compact(runs, budget: 2000) {
        #expect(try snapshot.entries(from: 100, through: 300, in: transaction.view).count == 201)
      }
      #expect(snapshot.runCount == 8)
      #expect(try snapshot.entries(in: transaction.view).count == 24_000)
    }
  }

  @Test("the values of one key may fill several blocks") func valuesOne() throws {
    let store = try RunsEnvironment()
    let runs = try SortedRuns.create("r", in: store.environment)
    var entries = (0..<20_000 as Range<UInt32>).map { RunEntry(key: 9, value: $0 &* 214_663) }
    entries.append(RunEntry(key: 8, value: 1))
    entries.append(RunEntry(key: 10, value: 1))
    entries.sort()
    try store.write { (transaction) throws(RunsError) in try runs.add(entries, in: &transaction) }
    try store.read { (view) throws(RunsError) in
      let snapshot = try runs.snapshot(in: view)
      #expect(try snapshot.entries(in: view) == entries)
      #expect(try snapshot.values(of: 9, in: view).count == 20_000)
      #expect(try snapshot.values(of: 10, in: view) == [1])
      #expect(try snapshot.values(of: 8, in: view) == [1])
    }
  }

  @Test("a look-up stops where its caller has enough") func lookUp() throws {
    let store = try RunsEnvironment()
    let runs = try SortedRuns.create("r", in: store.environment)
    for value in 1...3 as ClosedRange<UInt32> {
      try store.write { (transaction) throws(RunsError) in
        try runs.add([RunEntry(key: 5, value: value)], in: &transaction)
      }
    }
    try store.read { (view) throws(RunsError) in
      let snapshot = try runs.snapshot(in: view)
      var count = 0
      try snapshot.lookup(5, in: view) { (_: UInt32) throws(RunsError) in
        count += 1
        return count < 2
      }
      #expect(count == 2)
      try snapshot.lookup(
        sorted: [5, 5], in: view
      ) { (_: Int, _: UInt32) throws(RunsError) in
        count += 1
        return false
      }
      #expect(count == 4)
    }
  }

  @Test("damage in any row is an error or other entries, and never a crash") func damageAny() throws
  {
    var random = RunsRandom(seed: 3)
    let entries = (0..<2000).map { RunEntry(key: $0 << 20, value: 7) }
    var failures = 0
    for _ in 0..<40 {
      let store = try RunsEnvironment()
      let runs = try SortedRuns.create("r", in: store.environment)
      for _ in 0..<8 {
        try store.write { (transaction) throws(RunsError) in
          try runs.add(entries, in: &transaction)
        }
      }
      try store.damage(runs.table, &random)
      do throws(RunsError) {
        try store.read { (view) throws(RunsError) in
          let snapshot = try runs.snapshot(in: view)
          for entry in entries.prefix(50) { _ = try snapshot.values(of: entry.key, in: view) }
          _ = try snapshot.entries(in: view)
          _ = try snapshot.entries(from: 5 << 20, through: 99 << 20, in: view)
        }
        for _ in 0..<100 { guard try store.compact(runs, budget: 5000) else { break } }
      } catch {
        #expect(error.code == .corrupt || error.code == .unknownFormat)
        failures += 1
      }
    }
    #expect(failures > 8)
  }
}
