import EventMix
import Foundation
import LedgerEvents
@_spi(Benchmarks) import LedgerStore

/// Appends by the thousand with projections folded beside, until everything is folded: in order,
/// and newest first, as a store hands out its history.
let ledgerBenchmark = Benchmark(
  name: "ledger",
  about: "appends with projections, in order and newest first, up to --events; bytes of all"
) { context in
  let pieces = Piece.all(of: context.events)
  let inOrder = try context.withFolder { folder in
    try run(pieces, of: context.events, in: folder.appending(path: "ledger").path, "in order")
  }
  let newestFirst = try context.withFolder { folder in
    try run(
      pieces.reversed().map { $0.reversed() }, of: context.events,
      in: folder.appending(path: "ledger").path, "newest first")
  }
  guard let first = inOrder.marks.first, let last = inOrder.marks.last,
    let newest = newestFirst.marks.last
  else { return [] }
  var figures = inOrder.marks.map { mark in
    Figure(
      name: "ledger.inOrder.\(rounded(Double(mark.events)))", unit: "events/s",
      daybook: mark.rate, floor: .atLeast(250_000))
  }
  figures += newestFirst.marks.map { mark in
    Figure(
      name: "ledger.newestFirst.\(rounded(Double(mark.events)))", unit: "events/s",
      daybook: mark.rate)
  }
  if inOrder.marks.count > 1 {
    figures.append(
      Figure(
        name: "ledger.last/first", unit: "", daybook: last.rate / first.rate, floor: .atLeast(0.6)))
  }
  figures.append(
    Figure(
      name: "ledger.newestFirst/inOrder", unit: "", daybook: newest.rate / last.rate,
      floor: .atLeast(0.2)))
  figures.append(
    Figure(
      name: "bytes.all", unit: "bytes/event",
      daybook: Double(inOrder.bytes) / Double(context.events), floor: .atMost(190)))
  return figures
}

/// A part of the mix that is made at once: the generator as it stood before, and how far to go.
private struct Piece {
  var mix: Mix
  var count: Int
  var isReversed = false

  /// Events made at once, outside the measured time.
  static let eventsMax = 1_000_000

  /// The whole mix, cut at 10⁵ and then at every `eventsMax`.
  static func all(of events: Int) -> [Piece] {
    var mix = Mix()
    var pieces: [Piece] = []
    var made = 0
    while made < events {
      let end = made == 0 ? min(100_000, events) : min((made / eventsMax + 1) * eventsMax, events)
      pieces.append(Piece(mix: mix, count: end - made))
      _ = mix.next(end - made)
      made = end
    }
    return pieces
  }

  func reversed() -> Piece { Piece(mix: mix, count: count, isReversed: !isReversed) }

  /// The piece in batches of a thousand.
  func batches() -> [[EventInput]] {
    var mix = mix
    let batches = stride(from: 0, to: count, by: 1_000).map { mix.next(min(1_000, count - $0)) }
    return isReversed ? batches.reversed().map { $0.reversed() } : batches
  }
}

/// How many events there were, and how many a second since the mark before.
private struct Mark {
  var events: Int
  var rate: Double
}

/// Appends pieces until all events are durable and folded. What waits is folded at the end of each
/// piece, inside its time, so that nothing is folded for nothing while the next piece is made.
private func run(
  _ pieces: [Piece], of events: Int, in path: String, _ order: String
) throws -> (marks: [Mark], bytes: Int) {
  let ledger = try Ledger.create(at: path)
  var marks: [Mark] = []
  var (written, marked, time, mark) = (0, 0, 0.0, 100_000)
  for piece in pieces {
    let batches = piece.batches()
    time += try seconds {
      var before: AppendTicket?
      for batch in batches {
        let ticket = try ledger.submit(batch, options: checked)
        _ = try before?.wait()
        before = ticket
      }
      _ = try before?.wait()
      try ledger.fold()
    }
    written += piece.count
    guard written >= mark || written == events else { continue }
    marks.append(Mark(events: written, rate: Double(written - marked) / time))
    complain("ledger, \(order): \(written) events, \(rounded(marks[marks.count - 1].rate))/s")
    (marked, time) = (written, 0)
    while mark <= written { mark *= 10 }
  }
  let bytes = try ledger.usedBytes()
  try ledger.close()
  return (marks, bytes)
}

/// The log folded anew, with all indexes.
let rebuildBenchmark = Benchmark(name: "rebuild", about: "the log folded anew, all indexes") {
  context in
  try context.withFolder { folder in
    let events = context.events
    var mix = Mix()
    let path = folder.appending(path: "ledger").path
    let ledger = try Ledger.create(at: path)
    for _ in 0..<(events / 10_000) { try ledger.log.appendAndWait(mix.next(10_000)) }
    let all = try seconds { try ledger.rebuild() }
    let state = try seconds { _ = try ledger.foldInMemory() }
    return [
      Figure(
        name: "rebuild.state", unit: "events/s", daybook: Double(events) / state,
        floor: .atLeast(1_500_000)),
      Figure(
        name: "rebuild.all", unit: "events/s", daybook: Double(events) / all,
        floor: .atLeast(800_000)),
    ]
  }
}
