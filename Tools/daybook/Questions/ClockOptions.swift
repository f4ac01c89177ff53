import ArgumentParser
import LedgerEvents
import LedgerQueries

/// The two clocks of a question.
struct ClockOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Store time: what had occurred by then, judged at that time (default: now).",
      valueName: "time"),
    transform: Parse.instant)
  var at: Instant?

  @Option(
    name: .customLong("as-of"),
    help: ArgumentHelp(
      "Ledger time: what the ledger held at this position or time.",
      valueName: "position|time"),
    transform: Parse.ledgerTime)
  var asOf: Clocks.LedgerTime?

  var clocks: Clocks { Clocks(at: at, asOf: asOf) }
}

/// The environments of a question.
struct EnvironmentOptions: ParsableArguments {
  @Option(
    name: .customLong("environment"),
    help: ArgumentHelp("The environment (default: production; repeatable)."))
  var stated: [EnvironmentArgument] = []

  /// The environments in their order, each once.
  var environments: [StoreEnvironment] {
    stated.isEmpty ? [.production] : Array(Set(stated.map(\.environment))).sorted()
  }
}

extension LedgerOptions {
  /// Asks the ledger as it is now; nothing is written.
  func read<Value>(_ body: (LedgerView) throws(LedgerError) -> Value) throws -> Value {
    try Ledger(at: path, access: .readOnly).read(body)
  }
}
