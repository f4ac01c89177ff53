import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

struct Stats: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows how much the ledger holds, and how up to date its projections are.",
    discussion: """
      Prints the number of events, accounts and bytes, events by type, findings by rule, the \
      positions of the log and the projections, and the oldest reader. Example:

        daybook stats --format json
      """)

  @OptionGroup var options: LedgerOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let ledger = try Self.open(options.path)
      let statistics = try ledger.statistics()
      let byRule = try ledger.read { (view) throws(LedgerError) in
        try view.findings().countsByRule
      }
      let failure = ledger.foldFailure
      switch format {
      case .table: Self.printTable(statistics, byRule)
      case .json, .jsonl:
        Console.print(statistics.json(findings: byRule, foldFailure: failure))
      }
      if let failure { Console.complain(foldFailure: failure) }
    }
  }

  /// Opens the ledger, even if readers that do not end have taken every slot.
  private static func open(_ path: String) throws(LedgerError) -> Ledger {
    do throws(LedgerError) { return try Ledger(at: path, access: .readOnly) } catch {
      guard error.isForLackOfReaders else { throw error }
      Console.complain(
        "daybook: \(error.message) The figures are read without a slot: while somebody appends, "
          + "they may be wrong.")
      return try Ledger.withoutReaderSlot(at: path)
    }
  }

  private static func printTable(_ statistics: LedgerStatistics, _ findings: [Rule: Int]) {
    var table = TextTable(["what", "how much"])
    table.add(["events", "\(statistics.events)"])
    table.add(["accounts", "\(statistics.accounts)"])
    table.add(["log, bytes", "\(statistics.logBytes)"])
    table.add(["projections, bytes", "\(statistics.projectionBytes)"])
    table.add(["log, position", "\(statistics.events)"])
    table.add([
      "projections, position", statistics.projectionPosition.map { "\($0)" } ?? "none",
    ])
    table.add([
      "oldest reader",
      statistics.oldestReader.map { "process \($0.process), \($0.commitsBehind) commits behind" }
        ?? "none",
    ])
    table.lines.forEach(Console.print)
    for (title, counts) in [
      ("type", statistics.eventsByType),
      ("rule", Dictionary(uniqueKeysWithValues: findings.map { ($0.key.id, $0.value) })),
    ] where !counts.isEmpty {
      var table = TextTable([title, "count"], amounts: ["count"])
      for (name, count) in LedgerStatistics.sorted(counts) { table.add([name, "\(count)"]) }
      Console.print("")
      table.lines.forEach(Console.print)
    }
  }
}
