import ArgumentParser
import Foundation
import LedgerAnswers
import LedgerEvents
import LedgerExport
import LedgerQueries

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes the ledger to a file for spreadsheets, databases and other ledgers.",
    discussion: """
      Writes one file: JSON Lines (events that can be appended elsewhere), CSV, or an SQLite file \
      with every table; docs/export.md describes the contents. The file is read back and compared \
      with the ledger before it gets its name, and the ledger records who exported it \
      (operator.acted). Example:

        daybook export march.sqlite --as-of 2026-04-02T00:00:00Z --reason "books of March"
        daybook export sales.csv --table postings --since 2026-03-01T00:00:00Z
        daybook export case.bundle --bundle --account reader-1 --key /media/safe/shop.key
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The file to write; - is standard output, which needs --format.")
  var file: String

  @Option(help: "The file's format: jsonl, csv or sqlite (default: from its name).")
  var format: CaseArgument<ExportFormat>?

  @Option(
    help: ArgumentHelp(
      "Only this table (repeatable for SQLite; CSV and JSON Lines have one, events by default).",
      valueName: "table"))
  var table: [CaseArgument<ExportTable>] = []

  @OptionGroup(title: "An incident") var bundle: BundleOptions
  @OptionGroup var range: ExportRangeOptions
  @OptionGroup var clocks: ClockOptions

  @Flag(help: "Replace an existing file.")
  var force = false

  @OptionGroup var actor: ActorOptions

  @Option(name: .customLong("answer"), help: "Output format: table, json, jsonl or csv.")
  var answer: OutputFormat = .table

  func validate() throws {
    if bundle.isAsked {
      _ = try bundleExport()
      return
    }
    let format = try chosenFormat()
    guard format == .sqlite || table.count <= 1 else {
      throw ValidationError(
        "a \(format.rawValue) file has one table: name one --table, or use sqlite.")
    }
    guard Set(table.map(\.value)).count == table.count else {
      throw ValidationError("a --table is named twice.")
    }
    let narrowing = range.ofMoments
    if let first = narrowing.first, !table.isEmpty, !table.contains(where: \.value.isOfMoments) {
      let all = ExportTable.allCases.filter(\.isOfMoments).map(\.rawValue).joined(separator: ", ")
      throw ValidationError(
        "\(first) is for tables with a row for each moment (\(all)); \(table[0].value.rawValue) "
          + "describes the current state and has no time range: leave \(first) out, or ask about "
          + "another moment with --at and --as-of.")
    }
  }

  /// The export of a bundle.
  private func bundleExport() throws -> BundleExport {
    var others: [String] = []
    if format != nil { others.append("--format") }
    if !table.isEmpty { others.append("--table") }
    if range.period.since != nil { others.append("--since") }
    if range.period.until != nil { others.append("--until") }
    if range.environment != nil { others.append("--environment") }
    if clocks.at != nil { others.append("--at") }
    if clocks.asOf != nil { others.append("--as-of") }
    return try bundle.export(to: file, range, others: others, overwrites: force)
  }

  func run() throws {
    if bundle.isAsked {
      return try answering { try bundleExport().run(options, actor, answer) }
    }
    try answering {
      if !isToStandardOutput {
        try OutputDestination(path: file, replaces: force, ledger: options.path).check()
      }
      let stop = StopSignal()
      let ledger = try actor.open(options)
      do {
        try export(ledger, stop)
      } catch let error as ExportError {
        throw InputProblem(error.message, exitCode: ExitStatus.code(for: error))
      }
    }
  }

  private func export(_ ledger: Ledger, _ stop: StopSignal) throws {
    let question = try question()
    let bar = ProgressBar("exporting", unit: "events")
    let check = ProgressBar("checking", unit: "rows")
    let export = try LedgerExport(ledger, question, to: file)
    let summary = try export.write { progress in
      switch progress.phase {
      case .reading: bar.show(progress.done, progress.total)
      case .checking:
        bar.end()
        check.show(progress.done, progress.total)
      }
      return !stop.isReceived
    }
    bar.end()
    check.end()
    let position: UInt64
    do {
      position = try actor.record(action: "exported", detail: detail(summary, question), in: ledger)
    } catch {
      export.discard()
      throw error
    }
    try export.publish(replacing: force)
    let lines = summary.lines(file, recordedAt: position, answer)
    // Keep the summary out of the rows on standard output.
    lines.forEach(isToStandardOutput ? Console.complain(_:) : Console.print)
  }

  private var isToStandardOutput: Bool { file == ExportFile.standardOutput }

  private func question() throws -> ExportQuestion {
    let format = try chosenFormat()
    var tables = table.map(\.value)
    if table.isEmpty { tables = format == .sqlite ? ExportTable.allCases : [.events] }
    var question = ExportQuestion(format, tables, now: EventLog.systemClock())
    question.clocks = clocks.clocks
    range.apply(to: &question)
    return question
  }

  private func chosenFormat() throws -> ExportFormat {
    if let format { return format.value }
    guard !isToStandardOutput else {
      throw ValidationError("standard output needs a format: add --format jsonl, csv or sqlite.")
    }
    switch URL(fileURLWithPath: file).pathExtension.lowercased() {
    case "jsonl", "ndjson": return .jsonl
    case "csv": return .csv
    case "sqlite", "sqlite3", "db": return .sqlite
    default:
      throw ValidationError(
        "\(file): the name does not say the format: end it in .jsonl, .csv or .sqlite, or add "
          + "--format (or --bundle, for one customer's incident).")
    }
  }

  /// What the ledger records about the export.
  private func detail(
    _ summary: ExportSummary, _ question: ExportQuestion
  ) -> [(name: String, value: JSONValue)] {
    var detail: [(name: String, value: JSONValue)] = [
      ("file", .string(URL(fileURLWithPath: file).lastPathComponent)),
      ("format", .string(question.format.rawValue)),
      ("sha256", .string(summary.digest)), ("bytes", .number("\(summary.bytes)")),
      ("position", .number("\(summary.position)")),
    ]
    detail += range.detail
    if let at = clocks.at { detail.append(("at", .string(at.rfc3339))) }
    detail.append(
      ("rows", .object(summary.totals.map { ($0.table.rawValue, .number("\($0.totals.rows)")) })))
    return detail
  }
}

/// Which part of the ledger is exported.
struct ExportRangeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Events from this position on.", valueName: "position"),
    transform: Parse.position)
  var from: UInt64?

  @Option(
    help: ArgumentHelp(
      "Up to this position; no table includes anything after it.", valueName: "position"),
    transform: Parse.position)
  var to: UInt64?

  @OptionGroup var period: PeriodOptions

  @Option(
    help: "Only this customer, by account.", completion: Completions.accounts, transform: Parse.name
  )
  var account: Name?

  @Option(help: "Only this environment (default: all).")
  var environment: EnvironmentArgument?

  func validate() throws {
    try Parse.refuseTurned(from: from, to: to)
  }

  /// The given options that restrict only tables of moments.
  var ofMoments: [String] {
    [("--from", from != nil), ("--since", period.since != nil), ("--until", period.until != nil)]
      .filter(\.1).map(\.0)
  }

  func apply(to question: inout ExportQuestion) {
    if let from { question.from = from }
    if let to { question.to = to }
    question.since = period.since
    question.until = period.until
    question.account = account
    question.environment = environment?.environment
  }

  /// The options that were given, for the ledger's record.
  var detail: [(name: String, value: JSONValue)] {
    var detail: [(name: String, value: JSONValue)] = []
    if let from { detail.append(("from", .number("\(from)"))) }
    if let since = period.since { detail.append(("since", .string(since.rfc3339))) }
    if let until = period.until { detail.append(("until", .string(until.rfc3339))) }
    if let account { detail.append(("account", .string(account.text))) }
    if let environment { detail.append(("environment", .string(environment.environment.text))) }
    return detail
  }
}

extension ExportTable {
  /// Whether each of its rows belongs to one moment. Rows of other tables describe a state.
  fileprivate var isOfMoments: Bool {
    switch self {
    case .events, .postings, .findings: true
    case .accounts, .entitlements, .balances, .installed, .transactions: false
    }
  }
}

/// A case of a library's enumeration, by its raw value.
struct CaseArgument<Case: RawRepresentable & CaseIterable>: ExpressibleByArgument
where Case.RawValue == String {
  let value: Case

  init?(argument: String) {
    guard let value = Case(rawValue: argument) else { return nil }
    self.value = value
  }

  static var allValueStrings: [String] { Case.allCases.map(\.rawValue) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension ExitStatus {
  static func code(for error: ExportError) -> ExitCode {
    switch error.code {
    case .exists, .cannotCreate: cannotCreate
    case .file: inputOutput
    case .mismatch: found
    case .limit: badInput
    case .interrupted: tryAgain
    }
  }
}

extension ExportSummary {
  fileprivate func lines(
    _ file: String, recordedAt: UInt64, _ format: OutputFormat
  ) -> [String] {
    switch format {
    case .table:
      var table = TextTable(["table", "rows", "total"], amounts: ["rows"])
      for (name, totals) in totals {
        table.add([name.rawValue, "\(totals.rows)", ""])
        for (name, sum) in totals.sums.sorted(by: { $0.key < $1.key }) {
          table.add(["", "", "\(name) = \(sum.text)"])
        }
      }
      return [
        "\(file): \(bytes) bytes, as of position \(position), recorded at position \(recordedAt)",
        "sha256 \(digest)",
      ] + table.lines
    case .json, .jsonl:
      var json = JSONText()
      json.object { json in
        json.member("file", file)
        json.member("bytes", bytes)
        json.member("sha256", digest)
        json.member("position", position)
        json.member("recordedAtPosition", recordedAt)
        json.member(
          "tables",
          object: { json in
            for (table, totals) in totals {
              json.member(table.rawValue, object: totals.write)
            }
          })
      }
      return [json.text]
    }
  }
}

extension ControlTotals {
  fileprivate func write(to json: inout JSONText) {
    json.member("rows", rows)
    json.member(
      "totals",
      object: { json in
        for (name, sum) in sums.sorted(by: { $0.key < $1.key }) { json.member(name, sum.text) }
      })
  }
}
