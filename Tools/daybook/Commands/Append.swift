import ArgumentParser
import LedgerEvents
import LedgerQueries

struct Append: ParsableCommand {
  /// What happens to the lines after a bad one.
  enum OnError: String, ExpressibleByArgument, CaseIterable {
    case stop
    case skip
  }

  static let configuration = CommandConfiguration(
    abstract: "Reads JSON Lines and appends them durably.",
    discussion: """
      Reads events from files or standard input, one JSON object per line, and prints how many \
      were appended. Running it again is safe: an event that is already in the ledger counts as a \
      duplicate. Example:

        daybook append Tools/samples/incidents/*.jsonl --format json
      """)

  @OptionGroup var options: LedgerOptions

  @Option(help: "The environment for lines that do not state one.")
  var environment: EnvironmentArgument?

  @Option(name: .customLong("on-error"), help: "What to do at a bad line: stop or skip.")
  var onError: OnError = .stop

  @Option(help: "With --on-error skip: the file to write the bad lines to.")
  var rejects: String?

  @Flag(help: "With --rejects: replace an existing file.")
  var force = false

  @Option(help: "Refuse the whole input if there is a matching event after this position.")
  var expect: UInt64?

  @Option(
    help: "With --expect: events of this account.", completion: Completions.accounts,
    transform: Parse.name)
  var account: Name?

  @Option(help: "With --expect: events of this transaction.", transform: Parse.name)
  var transaction: Name?

  @Option(help: "With --expect: events of this original transaction.", transform: Parse.name)
  var original: Name?

  @Option(
    help: "With --expect: events of this product.", completion: Completions.products,
    transform: Parse.name)
  var product: Name?

  @Option(
    help: "With --expect: events of this type.", completion: Completions.types,
    transform: TypePatternArgument.type)
  var type: String?

  @Flag(
    help: "Reject lines with misspelled fields, unknown sources or unknown types; not just warn.")
  var strict = false

  @Flag(
    name: .customLong("allow-unknown"),
    help: "Append events of unknown types even where the type is nearly that of a known one.")
  var allowsUnknown = false

  @Flag(
    name: .customLong("dry-run"),
    help: "Check everything, append nothing, and print what would be appended.")
  var dryRun = false

  @Option(
    help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  @Argument(help: "Files of JSON Lines; - or no file is standard input.")
  var files: [String] = []

  func validate() throws {
    let names = [account, transaction, original, product].compactMap { $0 }
    if expect == nil && (!names.isEmpty || type != nil) {
      throw ValidationError(
        "--account, --transaction, --original, --product and --type describe what --expect looks "
          + "for: add --expect POSITION.")
    }
    if dryRun && expect != nil {
      throw ValidationError(
        "--dry-run cannot be combined with --expect: a condition is judged when something is "
          + "appended.")
    }
    if rejects != nil && onError != .skip {
      throw ValidationError("--rejects needs --on-error skip.")
    }
    if force && rejects == nil { throw ValidationError("--force needs --rejects.") }
    if files.isEmpty && Console.isInputTerminal {
      throw ValidationError("name a file of JSON Lines, or pipe one in.")
    }
    if files.filter({ $0 == "-" }).count > 1 {
      throw ValidationError("standard input (-) can only be read once.")
    }
  }

  func run() throws {
    try answering {
      let sources = try (files.isEmpty ? ["-"] : files).map(AppendSource.init(checking:))
      let ledger = try ledger()
      if let type, let ledger {
        // A condition on a type that no event has is always met, and guards nothing.
        var only = EventsQuery()
        only.type = type
        try FilterWords.refuseUnknown(only, isLasting: false, ledger)
      }
      let rejects = try rejects.map { name in
        try OutputFile(
          OutputDestination(path: name, replaces: force, ledger: options.path, inputs: files),
          .asWritten)
      }
      let target: AppendRun.Target =
        if let ledger, !dryRun { .ledger(ledger) } else { .trial(AppendTrial(ledger)) }
      var run = AppendRun(
        to: target, decoder: EventDecoder(defaultEnvironment: environment?.environment),
        options: AppendRun.Options(
          condition: condition, skips: onError == .skip, isStrict: strict,
          allowsUnknownTypes: allowsUnknown, format: format),
        rejects: rejects)
      do { try run.append(sources) } catch let error as LedgerError {
        run.summary.rootFailure = ledger?.rootFailure
        run.summary.print(format)
        throw run.stopped(by: error)
      }
      if let ledger, !dryRun {
        try ledger.foldBeforeLeaving()
        run.summary.foldFailure = ledger.foldFailure
        run.summary.rootFailure = ledger.rootFailure
        run.summary.repairedDamage = ledger.repairedDamage
      }
      run.summary.print(format)
      if let problem = run.interruption { throw problem }
      if run.summary.rejected > 0 { throw ExitStatus.badInput }
    }
  }

  /// The ledger. For a dry run, it is read-only, and `nil` if it does not exist yet.
  private func ledger() throws -> Ledger? {
    guard dryRun else { return try options.openOrMake() }
    do throws(LedgerError) { return try Ledger(at: options.path, access: .readOnly) } catch {
      guard error.code == .noLedger, !options.isNamed else { throw error }
      return nil
    }
  }

  private var condition: AppendCondition? {
    expect.map { position in
      AppendCondition.noEvent(
        matching: EventFilter(
          account: account, transaction: transaction, originalTransaction: original,
          product: product,
          type: type.map { EventType(text: $0) }),
        after: position)
    }
  }
}
