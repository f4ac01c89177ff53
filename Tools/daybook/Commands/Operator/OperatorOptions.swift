import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerStore

/// Who acts, why, and when: what every command of an operator states.
struct OperatorOptions: ParsableArguments {
  @OptionGroup var ledger: LedgerOptions

  @Option(
    name: .customLong("operator"),
    help: ArgumentHelp(
      "Who is acting: a name that colleagues know (default: $DAYBOOK_OPERATOR).",
      valueName: "who"),
    transform: Parse.words)
  var stated: String?

  @Option(
    help: ArgumentHelp("Why; recorded in the customer's history.", valueName: "why"),
    transform: Parse.words)
  var reason: String?

  @Option(
    help: "An id of your own, so that repeating the command changes nothing.",
    transform: Parse.name)
  var id: Name?

  @OptionGroup var time: StoreClockOptions

  @Option(help: "The environment that it applies to.")
  var environment: EnvironmentArgument?

  @Flag(
    name: .customLong("new-account"),
    help: "Accept an account that no event states: it is new, not a typing mistake.")
  var isNewAccount = false

  @Flag(
    name: .customLong("dry-run"),
    help: "Print the event, and on standard error what it would change; append nothing.")
  var dryRun = false

  @Flag(help: "Do not ask.")
  var yes = false

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  /// The operator's name from the option or the environment. The login is not used, because it may
  /// be shared.
  private var named: String? {
    [stated, ActorOptions.ofEnvironment].compactMap { $0 }.first { !Parse.isBlank($0) }
  }

  var actor: String { named ?? "" }

  func validate() throws {
    guard named != nil else {
      throw ValidationError(
        "name who is acting with --operator, or set the variable DAYBOOK_OPERATOR.")
    }
  }

  /// Creates an event, dated once, so that a preview and the append agree.
  func event(_ type: EventKind, account: Name) -> Event {
    let now = time.clock()
    return .act(
      type, id: id ?? Name.timedIdentifier(now), account: account,
      environment: environment?.environment, by: actor, because: reason, at: now)
  }

  func requireReason() throws {
    guard reason != nil else {
      throw ValidationError(
        "say why with --reason: it is kept in the customer's history.")
    }
  }
}
