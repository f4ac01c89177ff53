import LMDB
import Testing

@testable import RunStorage

@Suite("Blocks of sorted runs")
struct RunsBlockTests {
  @Test("every block reads back as it was written", arguments: 0..<30)
  func everyBlock(seed: Int) throws {
    var random = RunsRandom(seed: UInt64(seed))
    let entries = runsEntries(&random, count: Int(random.next() % 6000) + 1)
    var start = 0
    var read: [RunEntry] = []
    while start < entries.count {
      let count = RunBlock.fit(entries, from: start)
      var words: [UInt64] = []
      RunBlock.encode(entries, from: start, count: count, of: 3, into: &words)
      #expect(words.count <= RunBlock.wordsMax)
      try RunBlockView(
        words.span.wordBytes, under: RunKey(run: 3, order: entries[start].order)
      ).append(to: &read)
      start += count
    }
    #expect(read == entries, "seed \(seed)")
  }

  @Test("a range of keys is found without its neighbours", arguments: 0..<30)
  func rangeKeys(seed: Int) throws {
    var random = RunsRandom(seed: UInt64(seed))
    var entries = runsEntries(&random, count: Int(random.next() % 1000) + 1)
    entries = Array(entries.prefix(RunBlock.fit(entries, from: 0)))
    var words: [UInt64] = []
    RunBlock.encode(entries, from: 0, count: entries.count, of: 3, into: &words)
    for _ in 0..<60 {
      let ends = [probe(&random, entries), probe(&random, entries)].sorted()
      var found: [RunEntry] = []
      try RunBlockView(
        words.span.wordBytes, under: RunKey(run: 3, order: entries[0].order)
      ).append(
        from: ends[0], through: ends[1], to: &found)
      let expected = entries.filter { $0.key >= ends[0] && $0.key <= ends[1] }
      #expect(found == expected, "seed \(seed), \(ends)")
    }
  }

  @Test("keys at both ends of the numbers fit")
  func keysAt() throws {
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
      RunBlock.encode(entries, from: start, count: count, of: 3, into: &words)
      try RunBlockView(
        words.span.wordBytes, under: RunKey(run: 3, order: entries[start].order)
      ).append(to: &read)
      start += count
    }
    #expect(read == entries)
  }

  @Test("a damaged block is an error, and never other entries")
  func damagedBlock() throws {
    var random = RunsRandom(seed: 7)
    var entries = runsEntries(&random, count: 900)
    entries = Array(entries.prefix(RunBlock.fit(entries, from: 0)))
    let key = RunKey(run: 3, order: entries[0].order)
    var words: [UInt64] = []
    RunBlock.encode(entries, from: 0, count: entries.count, of: 3, into: &words)
    for bit in 0..<words.count * 64 {
      var damaged = words
      damaged[bit / 64] ^= 1 << UInt64(bit % 64)
      #expect(code(damaged.span.wordBytes, key) == .corrupt, "bit \(bit)")
    }
    for size in 0..<words.count {
      #expect(code(words.span.wordBytes.extracting(0..<size * 8), key) == .corrupt)
    }
  }

  /// The checksum taken away, to see what it is worth: with a sum that fits, damage is read as
  /// other entries, which is the fault that the checksum is for.
  @Test("without the checksum, damage would be read as other entries")
  func withoutChecksum() throws {
    var random = RunsRandom(seed: 7)
    let entries = (0..<400).map { RunEntry(key: UInt64($0) * 1000, value: UInt32($0)) }
    let key = RunKey(run: 3, order: entries[0].order)
    var words: [UInt64] = []
    RunBlock.encode(entries, from: 0, count: entries.count, of: 3, into: &words)
    var wrong = 0
    for _ in 0..<300 {
      var damaged = words
      damaged[Int(random.next() % UInt64(damaged.count - 1))] ^= 1 << (random.next() % 64)
      let sum = RunBlock.checksum(damaged.span.wordBytes, under: key)
      damaged[damaged.count - 1] = sum.littleEndian
      var read: [RunEntry] = []
      do throws(RunsError) {
        try RunBlockView(damaged.span.wordBytes, under: key).append(to: &read)
      } catch { continue }
      if read != entries { wrong += 1 }
    }
    #expect(wrong > 100)
  }

  @Test("a block under another row's key is refused")
  func blockUnder() throws {
    let entries = (0..<100).map { RunEntry(key: UInt64($0) * 1000, value: UInt32($0)) }
    var words: [UInt64] = []
    RunBlock.encode(entries, from: 0, count: entries.count, of: 3, into: &words)
    #expect(code(words.span.wordBytes, RunKey(run: 3, order: 0)) == nil)
    #expect(code(words.span.wordBytes, RunKey(run: 4, order: 0)) == .corrupt)
    #expect(code(words.span.wordBytes, RunKey(run: 3, order: 1)) == .corrupt)
  }

  @Test("sorting by digits sorts", arguments: 0..<12)
  func sortingDigits(seed: Int) {
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

  /// How reading a block fails; nil where it does not.
  private func code(_ bytes: Span<UInt8>, _ key: RunKey) -> RunsError.Code? {
    var read: [RunEntry] = []
    do throws(RunsError) {
      try RunBlockView(bytes, under: key).append(to: &read)
      return nil
    } catch { return error.code }
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
