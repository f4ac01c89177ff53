import LMDB
import Testing

@testable import RunStorage

@Suite struct RunsFilterTests {
  @Test func `No key that was inserted is denied`() {
    var random = RunsRandom(seed: 1)
    var filter = KeyFilter(capacity: 70_000)
    var keys: [UInt64] = (0..<20_000).map { $0 }
    for _ in 0..<30_000 { keys.append(random.next() >> 16) }
    for key in keys { filter.insert(key) }
    #expect(keys.allSatisfy { filter.mayContain($0) })
    #expect(filter.count <= keys.count)
    #expect(filter.count > keys.count - 20)
  }

  @Test func `A full filter takes fewer than one in a thousand absent keys for present`() {
    var random = RunsRandom(seed: 2)
    var filter = KeyFilter(capacity: 1 << 16)
    while !filter.isFull { filter.insert(random.next() >> 16) }
    var hits = 0
    for _ in 0..<100_000 where filter.mayContain(random.next() >> 16) { hits += 1 }
    #expect(hits < 100)
  }

  @Test func `An empty filter denies everything`() {
    let filter = KeyFilter(capacity: 0)
    #expect((0..<1000).allSatisfy { !filter.mayContain($0) })
    #expect(!filter.isFull)
  }

  @Test func `A filter is stored and loaded, changed chunks only`() throws {
    let store = try RunsEnvironment()
    let table = try store.environment.createTable("filter")
    var random = RunsRandom(seed: 3)
    var filter = KeyFilter(capacity: 300_000)
    var keys: [UInt64] = []
    for _ in 0..<40_000 { keys.append(random.next()) }
    for key in keys { filter.insert(key) }
    #expect(try store.load(table)?.count == nil)
    #expect(try store.save(&filter, to: table, mark: 7).isComplete)
    #expect(filter.stamps.allSatisfy { $0 == 0 })

    keys.append(random.next())
    filter.insert(keys[keys.count - 1])
    #expect(filter.stamps.count { $0 > 0 } == 1)
    #expect(try store.save(&filter, to: table, mark: 8).isComplete)

    let loaded = try #require(try store.load(table))
    #expect(loaded.blocks == filter.blocks)
    #expect(loaded.mark == 8)
    #expect(loaded.count == filter.count)
    #expect(keys.allSatisfy { loaded.mayContain($0) })
  }

  @Test func `A filter saved in parts is not seen before its last part`() throws {
    let store = try RunsEnvironment()
    let table = try store.environment.createTable("filter")
    var small = KeyFilter(capacity: 0)
    small.insert(1)
    #expect(try store.save(&small, to: table, mark: 1).isComplete)
    var large = KeyFilter(capacity: 200_000)
    large.insert(2)
    var saves = 1
    while try !store.save(&large, to: table, mark: 2, chunksMax: 50).isComplete {
      saves += 1
      let loaded = try #require(try store.load(table))
      #expect(loaded.mark == 1 && loaded.mayContain(1) && !loaded.mayContain(2))
    }
    #expect(saves == (large.stamps.count + 49) / 50)
    #expect(try store.load(table)?.mark == 2)
    // The small filter's rows go with later saves.
    _ = try store.save(&large, to: table, mark: 3)
    let rows = try store.environment.read { (transaction) throws(LMDBError) in
      try transaction.statistics(table).entries
    }
    #expect(rows == large.stamps.count + 1)
  }

  @Test func `A save whose transaction was aborted is done again`() throws {
    let store = try RunsEnvironment()
    let table = try store.environment.createTable("filter")
    var filter = KeyFilter(capacity: 0)
    filter.insert(5)
    let error = #expect(throws: RunsError.self) {
      try store.write { (transaction) throws(RunsError) in
        _ = try filter.save(to: table, mark: 1, in: &transaction)
        throw RunsError.corrupt("aborted")
      }
    }
    #expect(error?.code == .corrupt)
    #expect(try store.load(table)?.count == nil)
    #expect(try store.save(&filter, to: table, mark: 2).isComplete)
    #expect(try store.load(table)?.mayContain(5) == true)
  }

  @Test func `What is inserted between a save and its confirmation is saved by the next`() throws {
    let store = try RunsEnvironment()
    let table = try store.environment.createTable("filter")
    var filter = KeyFilter(capacity: 0)
    filter.insert(5)
    var save: KeyFilter.Save?
    try store.write { (transaction) throws(RunsError) in
      save = try filter.save(to: table, mark: 1, in: &transaction)
    }
    filter.insert(6)
    filter.confirm(try #require(save))
    #expect(try store.save(&filter, to: table, mark: 2).isComplete)
    #expect(try store.load(table)?.mayContain(6) == true)
  }

  @Test func `A filter is built from the runs`() throws {
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

  @Test func `A damaged filter is an error`() throws {
    var random = RunsRandom(seed: 9)
    var failures = 0
    for _ in 0..<30 {
      let store = try RunsEnvironment()
      let table = try store.environment.createTable("filter")
      var filter = KeyFilter(capacity: 0)
      filter.insert(5)
      _ = try store.save(&filter, to: table, mark: 1)
      try store.damage(table, &random)
      do throws(RunsError) {
        _ = try store.load(table)
      } catch {
        #expect(error.code == .corrupt || error.code == .unknownFormat)
        failures += 1
      }
    }
    #expect(failures > 5)
  }
}

extension RunsEnvironment {
  fileprivate func load(_ table: Table) throws(RunsError) -> KeyFilter? {
    try read { (view) throws(RunsError) in try KeyFilter.load(from: table, in: view) }
  }

  fileprivate func save(
    _ filter: inout KeyFilter, to table: Table, mark: UInt64, chunksMax: Int = 1000
  ) throws -> KeyFilter.Save {
    var result: KeyFilter.Save?
    try write { (transaction) throws(RunsError) in
      result = try filter.save(to: table, mark: mark, chunksMax: chunksMax, in: &transaction)
    }
    let save = try #require(result)
    filter.confirm(save)
    return save
  }
}
