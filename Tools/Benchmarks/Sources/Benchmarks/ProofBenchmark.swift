import Audit
import EventMix
import Foundation
import LedgerEvents
import LedgerStore

/// The path from an event to the root, and everything that a proof of the event holds, out of logs
/// that grow tenfold: they cost what the tree is high.
let proofBenchmark = Benchmark(
  name: "proof.inclusion",
  about: "inclusion paths and whole proofs in logs of 10^5, 10^6 … up to --events"
) { context in
  try context.withFolder { folder in
    let log = try EventLog.create(at: folder.appending(path: "log").path)
    var mix = Mix()
    var figures: [Figure] = []
    var first: Double?
    var (written, mark) = (0, 100_000)
    while written < context.events {
      let batch = mix.next(1_000)
      try log.appendAndWait(batch)
      written += batch.count
      guard written == mark || written >= context.events else { continue }
      let path = try time(log) { (view, position) throws(LedgerError) in
        try view.inclusionProof(of: position, at: view.lastPosition).path.count
      }
      let whole = try time(log) { (view, position) throws(LedgerError) in
        try view.evidence(of: position, at: view.lastPosition).extra.count
      }
      let name = "proof.inclusion"
      figures.append(Figure(name: "\(name).\(rounded(Double(written)))", unit: "µs", daybook: path))
      figures.append(
        Figure(name: "\(name).event.\(rounded(Double(written)))", unit: "µs", daybook: whole))
      if let first, written >= context.events {
        figures.append(
          Figure(
            name: "\(name).last/first", unit: "", daybook: path / first, floor: .atMost(2)))
      }
      if first == nil { first = path }
      mark *= 10
    }
    return figures
  }
}

/// In microseconds a question, about positions all over a log.
private func time(
  _ log: EventLog, _ ask: (LogView, UInt64) throws(LedgerError) -> Int
) throws -> Double {
  let questions: UInt64 = 1_000
  var answers = 0
  let taken = try seconds {
    answers = try log.read { (view) throws(LedgerError) in
      var answers = 0
      for question in 0..<questions {
        // A prime apart, so that no two neighbours share what they look up.
        answers += try ask(view, question * 7_919 % view.lastPosition + 1)
      }
      return answers
    }
  }
  precondition(answers > 0, "the proofs are empty")
  return taken / Double(questions) * 1_000_000
}
