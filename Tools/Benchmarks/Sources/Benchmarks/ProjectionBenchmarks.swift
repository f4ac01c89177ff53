import Foundation
import LedgerEvents
import LedgerStore

/// Appends by the thousand with projections folded beside, until everything is folded: in order,
/// and newest first, as a store hands out its history.
let ledgerBenchmark = Benchmark(
  name: "ledger", about: "appends with projections, in order and newest first; bytes of all"
) { surroundings in
  var mix = Mix()
  let events = surroundings.events
  let batches = (0..<(events / 1_000)).map { _ in mix.next(1_000) }
  let inOrder = try surroundings.withFolder { folder in
    try run(batches, in: folder.appending(path: "ledger").path)
  }
  let newestFirst = try surroundings.withFolder { folder in
    let reversed = batches.reversed().map { Array($0.reversed()) }
    return try run(reversed, in: folder.appending(path: "ledger").path)
  }
  let forward = Double(events) / inOrder.time
  let backward = Double(events) / newestFirst.time
  return [
    Figure(
      name: "ledger.inOrder", unit: "events/s", daybook: forward, floor: .atLeast(250_000)),
    Figure(name: "ledger.newestFirst", unit: "events/s", daybook: backward),
    Figure(
      name: "ledger.newestFirst/inOrder", unit: "", daybook: backward / forward,
      floor: .atLeast(0.2)),
    Figure(
      name: "bytes.all", unit: "bytes/event", daybook: Double(inOrder.bytes) / Double(events),
      floor: .atMost(190)),
  ]
}

/// Events in the ledger until all of them are durable and folded.
private func run(
  _ batches: [[EventInput]], in path: String
) throws -> (time: Double, bytes: Int) {
  let ledger = try Ledger.create(at: path)
  let time = try seconds {
    var before: AppendTicket?
    for batch in batches {
      let ticket = try ledger.submit(batch, options: checked)
      _ = try before?.wait()
      before = ticket
    }
    _ = try before?.wait()
    try ledger.fold()
  }
  return (time, try ledger.usedBytes())
}

/// The log folded anew, with all indexes.
let rebuildBenchmark = Benchmark(name: "rebuild", about: "the log folded anew, all indexes") {
  surroundings in
  try surroundings.withFolder { folder in
    let events = surroundings.events
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
