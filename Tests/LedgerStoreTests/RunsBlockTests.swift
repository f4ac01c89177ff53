import LMDB
import Testing

@testable import LedgerStore

@Suite("Blocks of sorted runs")
struct RunsBlockTests {
  @Test(arguments: 0..<60)
  func everyBlockReadsBackAsItWasWritten(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let entries = sortedEntries(&random, count: Int(random.next() % 6000) + 1)
    var start = 0
    var read: [RunEntry] = []
    while start < entries.count {
      let count = RunBlock.fit(entries, from: start)
      var words: [UInt64] = []
      RunBlock.encode(entries, from: start, count: count, into: &words)
      #expect(words.count <= RunBlock.wordsMax)
      try RunBlockView(words.span.wordBytes).append(to: &read)
      start += count
    }
    #expect(read == entries, "seed \(seed)")
  }

  @Test(arguments: 0..<60)
  func aRangeOfKeysIsFoundWithoutItsNeighbours(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    var entries = sortedEntries(&random, count: Int(random.next() % 1000) + 1)
    entries = Array(entries.prefix(RunBlock.fit(entries, from: 0)))
    var words: [UInt64] = []
    RunBlock.encode(entries, from: 0, count: entries.count, into: &words)
    for _ in 0..<200 {
      let ends = [probe(&random, entries), probe(&random, entries)].sorted()
      var found: [RunEntry] = []
      try RunBlockView(words.span.wordBytes).append(from: ends[0], through: ends[1], to: &found)
      let expected = entries.filter { $0.key >= ends[0] && $0.key <= ends[1] }
      #expect(found == expected, "seed \(seed), \(ends)")
    }
  }

  @Test
  func keysAtBothEndsOfTheNumbersFit() throws {
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
      try RunBlockView(words.span.wordBytes).append(to: &read)
      start += count
    }
    #expect(read == entries)
  }

  @Test
  func aDamagedBlockIsAnErrorOrOtherEntriesButNeverACrash() throws {
    var random = SplitMix(seed: 7)
    var entries = sortedEntries(&random, count: 900)
    entries = Array(entries.prefix(RunBlock.fit(entries, from: 0)))
    var words: [UInt64] = []
    RunBlock.encode(entries, from: 0, count: entries.count, into: &words)
    var errors = 0
    for _ in 0..<20_000 {
      var damaged = words
      for _ in 0...random.next() % 3 {
        damaged[Int(random.next() % UInt64(damaged.count))] ^= 1 << (random.next() % 64)
      }
      damaged.removeLast(Int(random.next() % 8 == 0 ? random.next() % 10 : 0))
      var read: [RunEntry] = []
      do throws(RunsError) {
        let view = try RunBlockView(damaged.span.wordBytes)
        try view.append(to: &read)
        #expect(zip(read, read.dropFirst()).allSatisfy { $0.key <= $1.key })
        var some: [RunEntry] = []
        try view.append(from: probe(&random, entries), through: .max, to: &some)
      } catch {
        #expect(error.code == .corrupt)
        errors += 1
      }
    }
    #expect(errors > 1000)
  }

  @Test(arguments: [0, 8, 15, 16])
  func bytesTooFewForABlockAreRefused(size: Int) {
    let words: [UInt64] = [1, 1, 1]
    #expect(throws: RunsError.self) {
      try readAll(words.span.wordBytes.extracting(0..<size))
    }
  }

  @Test
  func aBlockThatLostAnEntryIsRefused() throws {
    let entries = (0..<100).map { RunEntry(key: UInt64($0) * 1000, value: UInt32($0)) }
    var words: [UInt64] = []
    RunBlock.encode(entries, from: 0, count: entries.count, into: &words)
    words[1] -= 1
    #expect(throws: RunsError.self) { try readAll(words.span.wordBytes) }
    words[1] += 2
    #expect(throws: RunsError.self) { try readAll(words.span.wordBytes) }
  }

  private func readAll(_ bytes: RawSpan) throws(RunsError) {
    var read: [RunEntry] = []
    try RunBlockView(bytes).append(to: &read)
  }

  /// A key that stands in `entries`, next to one, or anywhere.
  private func probe(_ random: inout SplitMix, _ entries: [RunEntry]) -> UInt64 {
    let key = entries[Int(random.next() % UInt64(entries.count))].key
    switch random.next() % 4 {
    case 0: return key
    case 1: return key &+ 1
    case 2: return key &- 1
    default: return random.next() >> (random.next() % 64)
    }
  }
}

/// Sorted distinct entries of one of several shapes: hashes, postings, dense or repeated keys.
func sortedEntries(_ random: inout SplitMix, count: Int) -> [RunEntry] {
  let shape = random.next() % 6
  var entries: Set<RunEntry> = []
  for index in 0..<count {
    let value = UInt32(truncatingIfNeeded: random.next() >> (32 + random.next() % 32))
    switch shape {
    case 0: entries.insert(RunEntry(key: random.next() >> 16, value: value))
    case 1: entries.insert(RunEntry(key: random.next() % 50 << 32 | random.next() % 5000))
    case 2: entries.insert(RunEntry(key: UInt64(index)))
    case 3: entries.insert(RunEntry(key: random.next() % 4, value: value))
    case 4: entries.insert(RunEntry(key: random.next(), value: .max - value))
    default: entries.insert(RunEntry(key: random.next() >> (random.next() % 64), value: value))
    }
  }
  return entries.sorted()
}

/// A small generator of random numbers, so that a seed gives the same history everywhere.
///
/// Guy Steele, Doug Lea, Christine Flood, "Fast splittable pseudorandom number generators" (2014).
struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}
