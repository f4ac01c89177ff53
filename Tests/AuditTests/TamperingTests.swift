import LedgerHistories
import Testing

@testable import Audit
@testable import LedgerEvents
@testable import LedgerStore

@Suite("What somebody changed who knows the format") struct TamperingTests {
  private let tampered: TamperedLog
  private let kept: [SignedCheckpoint]

  init() throws {
    tampered = try TamperedLog(seed: 7, count: 100)
    kept = try [20, 40, 60, 80, 100].map { [tampered] in try tampered.checkpoint(at: $0) }
  }

  /// Returns a record that states a different store time.
  private func redated(_ position: UInt64) throws -> [UInt8] {
    var record = try tampered.record(position)
    record[10] ^= 1
    return record
  }

  @Test("an untouched log extends what was signed") func untouched() throws {
    let found = try tampered.compare(kept)
    #expect(found.allFit && found.changedRange == nil)
    #expect(try tampered.log.verify().faults.isEmpty)
  }

  @Test(
    "a record rewritten with checksum and nodes is found by a checkpoint, and by it alone",
    arguments: [1, 33, 41, 60, 100] as [UInt64])
  func rewritten(_ position: UInt64) throws {
    try tampered.rewrite([position: try redated(position)])
    #expect(try tampered.log.verify().faults.isEmpty, "the control: nothing else can tell")
    let found = try tampered.compare(kept)
    #expect(!found.allFit)
    let range = try #require(found.changedRange)
    #expect(range.lowerBound == (position - 1) / 20 * 20 + 1)
    #expect(range.upperBound == range.lowerBound + 19)
  }

  @Test("records that were swapped are found")
  func swapped() throws {
    var (first, second) = (try tampered.record(50), try tampered.record(51))
    // Each record states its new position.
    first.replaceSubrange(6..<10, with: [51, 0, 0, 0])
    second.replaceSubrange(6..<10, with: [50, 0, 0, 0])
    try tampered.rewrite([50: second, 51: first])
    let found = try tampered.compare(kept)
    #expect(found.changedRange == 41...60)
  }

  @Test("an end that was taken away is found")
  func cut() throws {
    try tampered.cut(to: 90)
    let found = try tampered.compare(kept)
    #expect(found.verdicts == [.fits, .fits, .fits, .fits, .isBeyondEnd])
    #expect(found.changedRange == 81...100)
    #expect(try tampered.compare(Array(kept.dropLast())).allFit)
  }

  @Test("an end that was taken away and written anew is found")
  func replacedEnd() throws {
    try tampered.cut(to: 95)
    let others = Histories.dense(seed: 7, count: 30).enumerated().map { index, recorded in
      var event = recorded.event
      event.id = Name("other-\(index)")
      return EventInput(event: event)
    }
    _ = try tampered.log.appendAndWait(others)
    #expect(try tampered.compare(kept).changedRange == 81...100)
  }

  @Test("checkpoints of two ledgers under one key contradict one another")
  func twoBooks() throws {
    let other = try TamperedLog(seed: 9, count: 30)
    let foreign = try SignedCheckpoint.sign(
      size: 30, root: try other.checkpoint(at: 30).root, with: tampered.key)
    let found = try tampered.compare(kept + [foreign])
    #expect(found.isContradictory && found.changedRange == nil && !found.allFit)
  }
}

@Suite("Heavy: what a disk changed") struct HeavyFlippedBitTests {
  private static let flips = 10_000

  @Test(
    "every flipped bit of a live record is found, and the message says where",
    arguments: [11, 12] as [UInt64])
  func flippedBits(_ seed: UInt64) throws {
    let tampered = try TamperedLog(seed: seed, count: 120)
    let last = try tampered.count()
    let kept = try [tampered.checkpoint(at: last / 2), tampered.checkpoint(at: last)]
    let ranges = try tampered.recordRanges()
    #expect(ranges.count > Int(last) * 9 / 10, "nearly all records were found in the file")
    let positions = ranges.keys.sorted()
    var random = SeededRandom(seed: seed)
    for flip in 0..<Self.flips / 2 {
      let position = positions[Int(random.next() % UInt64(positions.count))]
      let record = try #require(ranges[position])
      let offset = record.lowerBound + random.next() % UInt64(record.count)
      let bit = UInt8(random.next() % 8)
      try tampered.flip(bit, at: offset)
      let faults = try tampered.log.verify().faults
      let compared = try tampered.compare(kept)
      #expect(
        faults.contains { $0.position == position },
        "seed \(seed), flip \(flip): bit \(bit) of byte \(offset - record.lowerBound) at \(position)"
      )
      #expect(!compared.allFit, "seed \(seed), flip \(flip), position \(position)")
      let range = try #require(compared.changedRange)
      #expect(range.contains(position))
      try tampered.flip(bit, at: offset)
    }
    #expect(try tampered.log.verify().faults.isEmpty)
    #expect(try tampered.compare(kept).allFit)
  }
}
