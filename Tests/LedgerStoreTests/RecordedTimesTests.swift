import LMDB
import LedgerEvents
import LedgerHistories
import Testing

@testable import LedgerStore

/// The last position that was recorded up to a time, even if the ledger's clock went backwards.
@Suite("The times of recording") struct RecordedTimesTests {
  private let start = Instant(rfc3339: "2026-02-01T12:00:00Z")?.microseconds ?? 0

  /// Returns a walk with notes recorded at these seconds.
  private func walk(_ seconds: [Int], foldingEvery step: Int) throws -> LedgerWalk {
    let walk = try LedgerWalk()
    let events = seconds.enumerated().map { index, second in
      let line =
        #"{"id":"n\#(index)","type":"note.added","occurredAt":"2026-02-01T12:00:00Z","#
        + #""data":{"text":"seen"}}"#
      return (line, Instant(microseconds: start + Int64(second) * Instant.second))
    }
    var rest = try events.enumerated().map { index, event in
      RecordedEvent(
        position: UInt64(index + 1), recordedAt: event.1,
        event: try EventDecoder().decode(line: Array(event.0.utf8), number: 1).event)
    }[...]
    while !rest.isEmpty {
      try walk.append(rest.prefix(step))
      rest = rest.dropFirst(step)
      // The last events are not in the projections.
      if !rest.isEmpty { try walk.ledger().fold() }
    }
    return walk
  }

  private func expectFound(_ walk: LedgerWalk, _ seconds: [Int], _ asked: some Sequence<Int>) throws
  {
    try walk.ledger().read { (view) throws(LedgerError) in
      for second in asked {
        let time = Instant(microseconds: start + Int64(second) * Instant.second)
        let expected = (seconds.lastIndex { $0 <= second }).map { $0 + 1 } ?? 0
        #expect(try view.position(.instant(time)) == UInt64(expected), "second \(second)")
      }
    }
  }

  @Test("is found where the clock rises, and where it goes back") func clocks() throws {
    let count = 5_000
    var random = SeededRandom(seed: 7)
    let rising = (0..<count).map { $0 / 3 }
    let falling = (0..<count).map { count - $0 }
    var jumping: [Int] = []
    var hand = 0
    for _ in 0..<count {
      hand += random.chance(1, in: 400) ? -random.below(900) : random.below(3)
      jumping.append(hand)
    }
    for seconds in [rising, falling, jumping] {
      let walk = try walk(seconds, foldingEvery: 1_900)
      let bounds = (seconds.min() ?? 0) - 2...(seconds.max() ?? 0) + 2
      let asked = (0..<300).map { _ in bounds.lowerBound + random.below(bounds.count) }
      try expectFound(walk, seconds, asked + [bounds.lowerBound, bounds.upperBound])
      #expect(try walk.ledger().checkProjections() == [])
    }
  }

  @Test("is found over many levels of blocks, and where some are not stored") func levels() throws {
    var random = SeededRandom(seed: 8)
    let times = RecordedTimes(blockEvents: 4, fanOut: 3)
    for round in 0..<40 {
      let seconds = (0..<300).map { index in index / 2 + random.below(round + 1) }
      let walk = try walk(seconds, foldingEvery: 300)
      let ledger = try walk.ledger()
      let projections = try #require(try ledger.source.live())
      let table = projections.tables.recorded
      // Records two ranges, the second of which begins within a block and is sometimes missing.
      try ledger.log.read { (view) throws(LedgerError) in
        for range in [1...101, 102...UInt64(300 - random.below(2) * 150)] {
          let batch = try FactBatch(
            range, view, ledger.log.identity.keyHash, indexesIDs: false)
          let rows = try times.rows(of: batch, in: view)
          var transaction = try projections.beginWrite()
          try times.write(rows, table, &transaction)
          do throws(LMDBError) { try transaction.commit() } catch { throw LedgerError(error) }
        }
        let reading = try projections.beginRead()
        for second in -1...220 {
          let time = Instant(microseconds: start + Int64(second) * Instant.second)
          let expected = (seconds.lastIndex { $0 <= second }).map { $0 + 1 } ?? 0
          let end = UInt64(300)
          let found = try times.lastPosition(
            recordedBy: time, view, through: end, table, reading.view,
            storedThrough: random.chance(1, in: 2) ? end : 270)
          #expect(found == UInt64(expected), "round \(round), second \(second)")
        }
      }
    }
  }
}
