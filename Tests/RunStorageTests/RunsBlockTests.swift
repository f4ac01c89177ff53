import LMDB
import Testing

@testable import RunStorage

@Suite("Blocks of sorted runs")
struct RunsBlockTests {
  @Test(arguments: 0..<30)
  func `Every block reads back as it was written`(seed: Int) throws {
    var random = RunsRandom(seed: UInt64(seed))
    let entries = runsEntries(&random, count: Int(random.next() % 6000) + 1)
    var start = 0
    var read: [RunEntry] = []
    while start < entries.count {
      let count = RunBlock.fit(entries, from: start)
      var words: [UInt64] = []
      RunBlock.encode(entries, from: start, count: count, into: &words)
      #expect(words.count <= RunBlock.wordsMax)
      try RunBlockView(words.span.wordBytes, first: words[words.count - 1]).append(to: &read)
      start += count
    }
    #expect(read == entries, "seed \(seed)")
  }

  @Test(arguments: 0..<30)
  func `A range of keys is found without its neighbours`(seed: Int) throws {
    var random = RunsRandom(seed: UInt64(seed))
    var entries = runsEntries(&random, count: Int(random.next() % 1000) + 1)
    entries = Array(entries.prefix(RunBlock.fit(entries, from: 0)))
    var words: [UInt64] = []
    RunBlock.encode(entries, from: 0, count: entries.count, into: &words)
    for _ in 0..<60 {
      let ends = [probe(&random, entries), probe(&random, entries)].sorted()
      var found: [RunEntry] = []
      try RunBlockView(words.span.wordBytes, first: words[words.count - 1]).append(
        from: ends[0], through: ends[1], to: &found)
      let expected = entries.filter { $0.key >= ends[0] && $0.key <= ends[1] }
      #expect(found == expected, "seed \(seed), \(ends)")
    }
  }

  @Test
  func `Keys at both ends of the numbers fit`() throws {
    let entries = [
      RunEntry(key: 0, value: 0), RunEntry(key: 0, value: .max),
      RunEntry(key: .max - 1, value: 7), RunEntry(key: .max, value: 0),
      RunEntry(key: .max, value: .max),
    ]
    var start = 0
    var read: [RunEntry] = []
    while start < entries.count {
      let count = RunBlock.fit(entries, from: start)
      var words: [UInt64] = []
      RunBlock.encode(entries, from: start, count: count, into: &words)
      try RunBlockView(words.span.wordBytes, first: words[words.count - 1]).append(to: &read)
      start += count
    }
    #expect(read == entries)
  }

  @Test
  func `A damaged block is an error or other entries but never a crash`() throws {
    var random = RunsRandom(seed: 7)
    var entries = runsEntries(&random, count: 900)
    entries = Array(entries.prefix(RunBlock.fit(entries, from: 0)))
    var words: [UInt64] = []
    RunBlock.encode(entries, from: 0, count: entries.count, into: &words)
    var errors = 0
    for _ in 0..<3000 {
      var damaged = words
      for _ in 0...random.next() % 3 {
        damaged[Int(random.next() % UInt64(damaged.count))] ^= 1 << (random.next() % 64)
      }
      damaged.removeLast(Int(random.next() % 8 == 0 ? random.next() % 10 : 0))
      var read: [RunEntry] = []
      do throws(RunsError) {
        let view = try RunBlockView(damaged.span.wordBytes, first: damaged[damaged.count - 1])
        try view.append(to: &read)
        #expect(zip(read, read.dropFirst()).allSatisfy { $0.key <= $1.key })
        var some: [RunEntry] = []
        try view.append(from: probe(&random, entries), through: .max, to: &some)
      } catch {
        #expect(error.code == .corrupt)
        errors += 1
      }
    }
    #expect(errors > 300)
  }

  @Test(arguments: 0..<12)
  func `Sorting by digits sorts`(seed: Int) {
    var random = RunsRandom(seed: UInt64(seed))
    var entries = runsEntries(&random, count: 3000)
    entries.append(contentsOf: entries.prefix(10))
    let expected = entries.sorted()
    entries.shuffle()
    entries.sortForRun()
    #expect(entries == expected, "seed \(seed)")
    var positions = (0..<2000 as Range<UInt32>).map {
      RunEntry(key: random.next() >> (random.next() % 40), value: $0 % 1999)
    }
    let sorted = positions.sorted()
    positions.sortForRun()
    #expect(positions == sorted, "seed \(seed)")
  }

  @Test(arguments: [0, 8, 15, 16])
  func `Bytes too few for a block are refused`(size: Int) {
    let words: [UInt64] = [1, 1, 1]
    #expect(throws: RunsError.self) {
      try readAll(words.span.wordBytes.extracting(0..<size), first: 1)
    }
  }

  @Test
  func `A block that lost an entry is refused`() throws {
    let entries = (0..<100).map { RunEntry(key: UInt64($0) * 1000, value: UInt32($0)) }
    var words: [UInt64] = []
    RunBlock.encode(entries, from: 0, count: entries.count, into: &words)
    words[0] -= 1
    #expect(throws: RunsError.self) { try readAll(words.span.wordBytes, first: 0) }
    words[0] += 2
    #expect(throws: RunsError.self) { try readAll(words.span.wordBytes, first: 0) }
  }

  private func readAll(_ bytes: Span<UInt8>, first: UInt64) throws(RunsError) {
    var read: [RunEntry] = []
    try RunBlockView(bytes, first: first).append(to: &read)
  }

  /// Returns a key that is in `entries`, next to one, or anywhere.
  private func probe(_ random: inout RunsRandom, _ entries: [RunEntry]) -> UInt64 {
    let key = entries[Int(random.next() % UInt64(entries.count))].key
    switch random.next() % 4 {
    case 0: return key
    case 1: return key &+ 1
    case 2: return key &- 1
    default: return random.next() >> (random.next() % 64)
    }
  }
}
