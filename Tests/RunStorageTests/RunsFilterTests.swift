import LMDB
import Testing

@testable import RunStorage

@Suite("The key filter of a run") struct RunsFilterTests {
  @Test("no key that was inserted is denied") func noKey() {
    var random = RunsRandom(seed: 1)
    var filter = KeyFilter(capacity: 70_000)
    var keys: [UInt64] = (0..<20_000).map { $0 }
    for _ in 0..<30_000 { keys.append(random.next() >> 16) }
    for key in keys { filter.insert(key) }
    #expect(keys.allSatisfy { filter.mayContain($0) })
    #expect(filter.count <= keys.count)
    #expect(filter.count > keys.count - 20)
  }

  @Test("a full filter takes fewer than one in a thousand absent keys for present")
  func fullFilter() {
    var random = RunsRandom(seed: 2)
    var filter = KeyFilter(capacity: 1 << 16)
    while !filter.isFull { filter.insert(random.next() >> 16) }
    var hits = 0
    for _ in 0..<100_000 where filter.mayContain(random.next() >> 16) { hits += 1 }
    #expect(hits < 100)
  }

  @Test("an empty filter denies everything") func emptyFilter() {
    let filter = KeyFilter(capacity: 0)
    #expect((0..<1000).allSatisfy { !filter.mayContain($0) })
    #expect(!filter.isFull)
  }

  @Test("a filter is built from the runs") func filterBuilt() throws {
    let store = try RunsEnvironment()
    let runs = try SortedRuns.create("ids", in: store.environment)
    for batch in 0..<3 as Range<UInt64> {
      try store.write { (transaction) throws(RunsError) in
        let entries = (0..<500).map { RunEntry(key: $0 << 30 | batch) }
        try runs.add(entries, in: &transaction)
      }
    }
    try store.read { (view) throws(RunsError) in
      let filter = try KeyFilter.build(of: try runs.snapshot(in: view), in: view)
      #expect((0..<500 as Range<UInt64>).allSatisfy { filter.mayContain($0 << 30 | 2) })
      #expect(filter.count == 1500)
    }
  }
}
