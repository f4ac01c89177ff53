import LedgerHistories
import Testing

@testable import Audit
@testable import LedgerEvents
@testable import LedgerStore

@Suite("What somebody changed who knows the format") struct TamperingTests {
  private let book: TamperedLog
  private let kept: [SignedCheckpoint]

  init() throws {
    book = try TamperedLog(seed: 7, count: 100)
    kept = try [20, 40, 60, 80, 100].map { [book] in try book.checkpoint(at: $0) }
  }

  /// Returns a record that states a different store time.
  private func redated(_ position: UInt64) throws -> [UInt8] {
    var record = try book.record(position)
    record[10] ^= 1
    return record
  }

  @Test("an untouched log extends what was signed") func untouched() throws {
    let found = try book.compare(kept)
    #expect(found.allFit && found.stretch == nil)
    #expect(try book.log.verify().faults.isEmpty)
  }

  @Test(
    "a record rewritten with checksum and nodes is found by a checkpoint, and by it alone",
    arguments: [1, 33, 41, 60, 100] as [UInt64])
  func rewritten(_ position: UInt64) throws {
    try book.rewrite([position: try redated(position)])
    #expect(try book.log.verify().faults.isEmpty, "the control: nothing else can tell")
    let found = try book.compare(kept)
    #expect(!found.allFit)
    let stretch = try #require(found.stretch)
    #expect(stretch.first == (position - 1) / 20 * 20 + 1)
    #expect(stretch.last == stretch.first + 19)
  }

  @Test("records that changed places are found")
  func swapped() throws {
    var (first, second) = (try book.record(50), try book.record(51))
    // Each record states its new position.
    first.replaceSubrange(6..<10, with: [51, 0, 0, 0])
    second.replaceSubrange(6..<10, with: [50, 0, 0, 0])
    try book.rewrite([50: second, 51: first])
    let found = try book.compare(kept)
    #expect(found.stretch == KeptCheckpoints.Stretch(first: 41, last: 60))
  }

  @Test("an end that was taken away is found")
  func cut() throws {
    try book.cut(to: 90)
    let found = try book.compare(kept)
    #expect(found.verdicts == [.fits, .fits, .fits, .fits, .isBeyondEnd])
    #expect(found.stretch == KeptCheckpoints.Stretch(first: 81, last: 100))
    #expect(try book.compare(Array(kept.dropLast())).allFit)
  }

  @Test("an end that was taken away and written anew is found")
  func replacedEnd() throws {
    try book.cut(to: 95)
    let others = Histories.dense(seed: 7, count: 30).enumerated().map { index, recorded in
      var event = recorded.event
      event.id = Name("other-\(index)")
      return EventInput(event: event)
    }
    _ = try book.log.appendAndWait(others)
    #expect(try book.compare(kept).stretch == KeptCheckpoints.Stretch(first: 81, last: 100))
  }

  @Test("checkpoints of two books under one key contradict one another")
  func twoBooks() throws {
    let other = try TamperedLog(seed: 9, count: 30)
    let foreign = try SignedCheckpoint.sign(
      size: 30, root: try other.checkpoint(at: 30).root, with: book.key)
    let found = try book.compare(kept + [foreign])
    #expect(found.isContradictory && found.stretch == nil && !found.allFit)
  }
}

@Suite("Heavy: what a disk changed") struct HeavyFlippedBitTests {
  private static let flips = 10_000

  @Test(
    "every flipped bit of a live record is found, and the message says where",
    arguments: [11, 12] as [UInt64])
  func flippedBits(_ seed: UInt64) throws {
    let book = try TamperedLog(seed: seed, count: 120)
    let last = try book.count()
    let kept = try [book.checkpoint(at: last / 2), book.checkpoint(at: last)]
    let places = try book.places()
    #expect(places.count > Int(last) * 9 / 10, "nearly all records were found in the file")
    let positions = places.keys.sorted()
    var random = SeededRandom(seed: seed)
    for flip in 0..<Self.flips / 2 {
      let position = positions[Int(random.next() % UInt64(positions.count))]
      let place = try #require(places[position])
      let offset = place.lowerBound + random.next() % UInt64(place.count)
      let bit = UInt8(random.next() % 8)
      try book.flip(bit, at: offset)
      let faults = try book.log.verify().faults
      let compared = try book.compare(kept)
      #expect(
        faults.contains { $0.position == position },
        "seed \(seed), flip \(flip): bit \(bit) of byte \(offset - place.lowerBound) at \(position)"
      )
      #expect(!compared.allFit, "seed \(seed), flip \(flip), position \(position)")
      let stretch = try #require(compared.stretch)
      #expect((stretch.first...stretch.last).contains(position))
      try book.flip(bit, at: offset)
    }
    #expect(try book.log.verify().faults.isEmpty)
    #expect(try book.compare(kept).allFit)
  }
}
