import EventMix
import Foundation
import LedgerEvents
import LedgerQueries

/// Slices for a replay, by account and by twenty positions, out of a ledger that grows: what they
/// cost is what the slice costs.
let sliceBenchmark = Benchmark(
  name: "replay.slice",
  about: "one customer's slice out of ledgers of 10^5, 10^6 … up to --events"
) { context in
  try context.withFolder { folder in
    let ledger = try Ledger.create(at: folder.appending(path: "ledger").path)
    var mix = Mix()
    var figures: [Figure] = []
    var first: [(account: Double, positions: Double)] = []
    var (written, mark) = (0, 100_000)
    var accounts: [Name] = []
    while written < context.events {
      let batch = mix.next(1_000)
      if accounts.count < 100 { accounts += batch.compactMap(\.event.account).prefix(10) }
      try ledger.appendAndWait(batch, options: checked)
      written += batch.count
      guard written == mark || written >= context.events else { continue }
      try ledger.fold()
      let account = try timeSlices(accounts.map { name in .init(of: name) }, ledger)
      // The same range of the log each time.
      let positions = try timeSlices((0..<100).map { .init(from: 50_000 + $0 * 20) }, ledger)
      figures.append(figure("account", written, account))
      figures.append(figure("positions", written, positions))
      first.append((account, positions))
      mark *= 10
    }
    if let first = first.first, let account = figures.dropLast().last, let last = figures.last {
      figures.append(ratio("account", account.daybook / first.account))
      figures.append(ratio("positions", last.daybook / first.positions))
    }
    try ledger.close()
    return figures
  }
}

private func figure(_ kind: String, _ events: Int, _ microseconds: Double) -> Figure {
  Figure(
    name: "replay.slice.\(kind).\(rounded(Double(events)))", unit: "µs/slice",
    daybook: microseconds)
}

private func ratio(_ kind: String, _ value: Double) -> Figure {
  Figure(
    name: "replay.slice.\(kind).last/first", unit: "", daybook: value, floor: .atMost(3))
}

/// How long a slice takes on the average, in microseconds, after one round that is not counted.
private func timeSlices(_ slices: [ReplaySlice], _ ledger: borrowing Ledger) throws -> Double {
  func readAll() throws -> Int {
    var events = 0
    for slice in slices {
      events += try ledger.read { (view) throws(LedgerError) in
        try view.replayEvents(slice).events.count
      }
    }
    return events
  }
  let events = try readAll()
  precondition(events > slices.count, "the slices are empty")
  return try seconds { _ = try readAll() } / Double(slices.count) * 1_000_000
}

extension ReplaySlice {
  fileprivate init(of account: Name) {
    self.init()
    self.account = account
  }

  /// Twenty positions.
  fileprivate init(from position: Int) {
    self.init()
    from = UInt64(position)
    to = from + 19
  }
}
