import Audit
import EventMix
import Foundation
import LedgerEvents
import LedgerQueries

/// Questions about one customer of a thousand events, in a ledger that grows: the answer as of a
/// position and of a time, what was installed then, and what decides it. They cost what the
/// customer costs.
let auditBenchmark = Benchmark(
  name: "audit.customer",
  about:
    "as-of and explain for a customer of 1,000 events in ledgers of 10^5, 10^6 … up to --events"
) { context in
  try context.withFolder { folder in
    let ledger = try Ledger.create(at: folder.appending(path: "ledger").path)
    var mix = Mix()
    var figures: [Figure] = []
    var first: [String: Double] = [:]
    var (written, mark) = (0, 100_000)
    try ledger.appendAndWait(try AuditedCustomer.events(), options: checked)
    while written < context.events {
      let batch = mix.next(1_000)
      try ledger.appendAndWait(batch, options: checked)
      written += batch.count
      guard written == mark || written >= context.events else { continue }
      try ledger.fold()
      for (kind, value) in try AuditedCustomer.timeAll(ledger) {
        let name = "audit.customer.\(kind).\(rounded(Double(written)))"
        figures.append(Figure(name: name, unit: "µs", daybook: value))
        if let first = first[kind], written >= context.events {
          figures.append(ratio(kind, value / first))
        }
        first[kind] = first[kind] ?? value
      }
      mark *= 10
    }
    try ledger.close()
    return figures
  }
}

private func ratio(_ kind: String, _ value: Double) -> Figure {
  Figure(
    name: "audit.customer.\(kind).last/first", unit: "", daybook: value, floor: .atMost(3))
}

/// A customer who has bought a hundred maps, with ten events each.
private enum AuditedCustomer {
  private static let account: Name = "audited"
  private static let maps = 100
  private static let questions = 50

  static func events() throws -> [EventInput] {
    let types = [
      "payment.added", "transaction.purchasing", "transaction.purchased", "download.requested",
      "download.progressed", "download.progressed", "download.finished", "content.installStarted",
      "content.installed", "transaction.finished",
    ]
    var lines: [String] = []
    for map in 0..<maps {
      for (offset, type) in types.enumerated() {
        let second = (map * types.count + offset) % 60
        let minute = (map * types.count + offset) / 60
        var line = #"{"id":"audited-\#(map)-\#(offset)","type":"\#(type)","account":"audited""#
        line += #","device":"audited-phone","product":"map-\#(map)","payment":"audited-p\#(map)""#
        line += #","occurredAt":"2026-01-01T00:\#(two(minute)):\#(two(second))Z""#
        if offset > 1 { line += #","transaction":"audited-t\#(map)""# }
        if type.hasPrefix("download") || type.hasPrefix("content") {
          line += #","download":"map-\#(map)","data":{"contentVersion":"1.0"}"#
        }
        lines.append(line + "}")
      }
    }
    return try lines.map { line in
      EventInput(event: try EventDecoder().decode(line: Array(line.utf8), number: 1).event)
    }
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Each sort of question, in microseconds.
  static func timeAll(_ ledger: borrowing Ledger) throws -> [(String, Double)] {
    let times = try ledger.read { (view) throws(LedgerError) in
      try (0..<questions).map { (question) throws(LedgerError) in
        try view.event(at: position(of: question)).recordedAt
      }
    }
    return [
      ("as-of", try timeAsOf(ledger) { .position(position(of: $0)) }),
      ("as-of-time", try timeAsOf(ledger) { .instant(times[$0]) }),
      ("installed", try timeInstalled(ledger)), ("explain", try timeExplain(ledger)),
    ]
  }

  /// Positions all over the customer's history.
  private static func position(of question: Int) -> UInt64 {
    UInt64(1 + question * 997 / questions)
  }

  private static func timeAsOf(
    _ ledger: borrowing Ledger, _ moment: (Int) -> Clocks.LedgerTime
  ) throws -> Double {
    try time { question in
      try ledger.read { (view) throws(LedgerError) in
        try view.entitlements(
          of: .account(account), clocks: Clocks(asOf: moment(question)),
          now: EventLog.systemClock()
        ).entries.count
      }
    }
  }

  private static func timeInstalled(_ ledger: borrowing Ledger) throws -> Double {
    try time { question in
      try ledger.read { (view) throws(LedgerError) in
        try view.installed(
          of: .account(account), clocks: Clocks(asOf: .position(position(of: question)))
        ).count + 1
      }
    }
  }

  private static func timeExplain(_ ledger: borrowing Ledger) throws -> Double {
    try time { question in
      try ledger.read { (view) throws(LedgerError) in
        try view.explain(
          Name("map-\(question * maps / questions)"), for: account, now: EventLog.systemClock()
        ).steps.count
      }
    }
  }

  /// After one round that is not counted.
  private static func time(_ ask: (Int) throws -> Int) throws -> Double {
    var answers = 0
    for question in 0..<questions { answers += try ask(question) }
    precondition(answers >= questions - 1, "the answers are empty")
    return try seconds { for question in 0..<questions { _ = try ask(question) } }
      / Double(questions) * 1_000_000
  }
}
