import EventMix
import Foundation
import LedgerEvents
import LedgerStore

/// Durable appends, one after the other: each call returns when its events are on the disk.
func appendBenchmark(batch: Int) -> Benchmark {
  Benchmark(name: "append.\(batch)", about: "durable appends of \(batch) events a call") {
    context in
    let full = [1: 4_000, 100: 1_000, 1_000: 500][batch] ?? 100
    let commits = context.isQuick ? max(full / 20, 10) : full
    return try context.withFolder { folder in
      var mix = Mix()
      let batches = (0..<commits).map { _ in mix.next(batch) }
      let path = folder.appending(path: "ledger").path
      let log = try EventLog.create(at: path)
      // The first append reads what is there and makes the writer's thread.
      try log.appendAndWait(mix.next(1))
      let time = try seconds {
        for batch in batches { try log.appendAndWait(batch, options: checked) }
      }
      try log.close()
      let lines = try context.baseline.run(
        "append", path + "/" + EventLog.folderName, folder.appending(path: "c").path,
        "\(batch)", "\(commits)")
      return [
        Figure(
          name: "append.\(batch)", unit: "events/s", daybook: Double(commits * batch) / time,
          baseline: lines.first?.rate, floor: .ratioAtLeast(0.5))
      ]
    }
  }
}

/// A long run of appends by the thousand, at the rate that it has fallen to at each power of ten.
let sustainedBenchmark = Benchmark(
  name: "sustained", about: "appends by the thousand, up to --events; the log alone"
) { context in
  try context.withFolder { folder in
    var figures: [Figure] = []
    var mix = Mix()
    let path = folder.appending(path: "ledger").path
    let log = try EventLog.create(at: path)
    var written = 0
    var mark = 100_000
    var time = 0.0
    var marked = 0
    while written < context.events {
      // Events are made outside the measured time, a piece of the run after the other.
      let piece = min(100_000, context.events - written)
      let batches = (0..<(piece / 1_000)).map { _ in mix.next(1_000) }
      time += try seconds { try appendInFlight(batches, to: log) }
      written += piece
      guard written >= mark || written == context.events else { continue }
      figures.append(
        Figure(
          name: "sustained.\(rounded(Double(written)))", unit: "events/s",
          daybook: Double(written - marked) / time))
      complain("sustained: \(written) events, \(rounded(figures[figures.count - 1].daybook))/s")
      (marked, time, mark) = (written, 0, mark * 10)
    }
    try log.close()
    try addBaseline(to: &figures, path, folder, context)
    return figures
  }
}

/// Two batches on their way at any time, as a caller that reads a file has.
private func appendInFlight(_ batches: [[EventInput]], to log: EventLog) throws {
  var before: AppendTicket?
  for batch in batches {
    let ticket = try log.submit(batch, options: checked)
    _ = try before?.wait()
    before = ticket
  }
  _ = try before?.wait()
}

private func addBaseline(
  to figures: inout [Figure], _ path: String, _ folder: URL, _ context: BenchmarkContext
) throws {
  let log = path + "/" + EventLog.folderName
  let lines = try context.baseline.run(
    "sustained", log, folder.appending(path: "c").path, "1000")
  for (index, line) in zip(figures.indices, lines) { figures[index].baseline = line.rate }
  if let first = figures.first, let last = figures.last, figures.count > 1 {
    figures.append(
      Figure(
        name: "sustained.last/first", unit: "", daybook: last.daybook / first.daybook,
        baseline: (last.baseline ?? 0) / (first.baseline ?? 1), floor: .atLeast(0.6)))
  }
  let sizes = try context.baseline.run("size", log)
  let bytes = sizes.reduce(0) { $0 + ($1.bytes ?? 0) }
  figures.append(
    Figure(
      name: "bytes.log", unit: "bytes/event", daybook: Double(bytes) / Double(context.events),
      baseline: (lines.last?.bytes).map { Double($0) / Double(context.events) }))
}

/// Every record read in place with its checksum, as a rebuild does it first.
let scanBenchmark = Benchmark(name: "scan", about: "every record in place, checksum compared") {
  context in
  try context.withFolder { folder in
    let events = context.isQuick ? 100_000 : 1_000_000
    var mix = Mix()
    let path = folder.appending(path: "ledger").path
    let log = try EventLog.create(at: path)
    for _ in 0..<(events / 10_000) { try log.appendAndWait(mix.next(10_000), options: checked) }
    var sum = 0
    // Twice, so that neither side pays for the first touch of a page.
    var time = 0.0
    for _ in 0..<2 { time = try seconds { sum = try kinds(of: log) } }
    guard sum > 0 else { throw Baseline.Failed(description: "the scan saw nothing") }
    try log.close()
    let lines = try context.baseline.run("scan", path + "/" + EventLog.folderName)
    return [
      Figure(
        name: "scan", unit: "events/s", daybook: Double(events) / time,
        baseline: lines.first?.rate)
    ]
  }
}

private func kinds(of log: EventLog) throws -> Int {
  try log.read { (view) throws(LedgerError) in
    var sum = 0
    var cursor = try view.records(in: 1...view.lastPosition)
    while try cursor.next() { sum += Int(try cursor.record().kind.rawValue) }
    return sum
  }
}
