import ArgumentParser
import LedgerEvents
import LedgerStore

/// Who acts, why, and when: what every command of an operator states.
struct OperatorOptions: ParsableArguments {
  @OptionGroup var ledger: LedgerOptions

  @Option(
    name: .customLong("operator"),
    help: ArgumentHelp("Who is acting: a name that colleagues know.", valueName: "who"),
    transform: Parse.words)
  var actor: String

  @Option(help: "Why; recorded in the customer's history.", transform: Parse.words)
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

  @Flag(name: .customLong("dry-run"), help: "Print the event and append nothing.")
  var dryRun = false

  @Option(help: "Output format: table or json.")
  var format: OutputFormat = .table

  /// Events of these commands are dated once, so that a preview and the append agree.
  func event(_ type: EventKind, account: Name) -> Event {
    let now = time.clock()
    var data = EventData.Builder()
    data.set("operator", actor)
    data.set("reason", reason)
    return Event(
      id: id ?? Name.timedIdentifier(now), type: EventType(type), occurredAt: now,
      source: EventSource(.operator), environment: environment?.environment, account: account,
      data: data.build())
  }

  func requireReason() throws {
    guard reason != nil else {
      throw ValidationError(
        "say why with --reason: whoever reads the history next year was not there.")
    }
  }
}
