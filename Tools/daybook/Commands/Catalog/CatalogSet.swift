import ArgumentParser
import Foundation
import LedgerEvents
import LedgerQueries
import ProductCatalogue

struct CatalogSet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Sets what products are, and first says which customers that affects.",
    discussion: """
      Reads a catalogue (Schemas/catalogue.schema.json) or a .storekit file, prints which products \
      and which customers' answers change, and appends one catalog.set. The same file again \
      appends nothing. A change that takes something from a customer, or a grant or the store's \
      hosting from a product that somebody has bought, asks first; if nobody can be asked, it \
      needs --yes. \
      Example:

        daybook catalog set Tools/samples/catalogue.json --dry-run
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The catalogue; - is standard input.")
  var file: String

  @Option(
    help: ArgumentHelp(
      "From when it counts (default: what the file says, else now).", valueName: "time"),
    transform: Parse.instant)
  var effective: Instant?

  @Option(help: "The bundle identifier, where the file names none.", transform: Parse.name)
  var app: Name?

  @Option(help: "The environment, where the file names none (default: every one).")
  var environment: EnvironmentArgument?

  @Option(help: "Who sets it.")
  var `operator`: String?

  @Flag(name: .customLong("dry-run"), help: "Says what would change and appends nothing.")
  var dryRun = false

  @Flag(help: "Takes away what customers have, and what they have bought, without asking.")
  var yes = false

  @Option(help: "How many customers a table or a JSON document shows; jsonl shows all.")
  var limit: Int = 20

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    guard limit >= 0 else { throw ValidationError("--limit is a whole number from 0.") }
    guard `operator`.map({ !$0.isEmpty }) ?? true else {
      throw ValidationError("expected a name for --operator, found nothing.")
    }
  }

  func run() throws {
    try answering {
      let document = try document()
      let ledger =
        try dryRun ? Ledger(at: options.path, access: .readOnly) : options.openForChanges()
      let now = EventLog.systemClock()
      let setting = CatalogueSetting(
        document: document, effective: effective ?? document.effective ?? now, actor: `operator`)
      try setting.checkTime(now: now, file: file)
      var report = CatalogueReport(format, limit: limit, isDryRun: dryRun)
      let proposal = try setting.proposal(to: ledger, now: now, &report)
      let losses = proposal.losses
      var isRefused = losses != nil && !yes
      if isRefused, !dryRun, Consent.canAsk, let losses {
        report.previewBeforeQuestion(proposal.plan)
        isRefused = !Consent.isGiven(to: "\(losses). Set it?")
      }
      var appended: UInt64?
      if let event = proposal.plan.event, !dryRun, !isRefused {
        let result = try CatalogueSetting.append([event], after: proposal.position, to: ledger)
        appended = result.positions?.lowerBound
      }
      report.end(proposal.plan, position: appended, isRefused: isRefused)
      if isRefused, !dryRun, let losses {
        throw InputProblem(
          "nothing was appended, because \(losses). Run it again with --yes to set it.")
      }
    }
  }

  /// - Throws: `InputProblem`: exit 66 if there is no such file; 65, with the path in the document,
  ///   if it is not a catalogue or contradicts the options.
  private func document() throws -> CatalogueDocument {
    let what = "a catalogue"
    let handle =
      file == "-"
      ? try FileHandle.readableStandardInput(as: what)
      : try FileHandle(readingInput: file, as: what)
    let bytes: [UInt8]
    do { bytes = Array(try handle.readToEnd() ?? Data()) } catch {
      throw InputProblem(
        "\(file) cannot be read: \(error.systemReason)", exitCode: ExitStatus.inputOutput)
    }
    var document: CatalogueDocument
    do throws(CatalogueError) { document = try CatalogueDocument(bytes, name: file) } catch {
      throw InputProblem("\(file): \(error)")
    }
    if let app {
      guard document.scope.app.map({ $0 == app }) ?? true else {
        throw InputProblem("\(file): app: the file and --app name two apps: leave one out")
      }
      document.scope.app = app
    }
    if let environment = environment?.environment {
      guard document.scope.environment.map({ $0 == environment }) ?? true else {
        throw InputProblem(
          "\(file): environment: the file and --environment name two: leave one out")
      }
      document.scope.environment = environment
    }
    return document
  }
}
