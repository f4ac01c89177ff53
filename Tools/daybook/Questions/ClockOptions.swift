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

extension LedgerView {
  /// Whether an event of the ledger states the account, transaction or original.
  func isKnown(_ customer: CustomerReference, _ clocks: Clocks) throws(LedgerError) -> Bool {
    try entitlements(of: customer, clocks: clocks, now: EventLog.systemClock()).isKnown
  }

  /// The account that a question is about, for questions that need an account.
  ///
  /// - Throws: `LedgerError`, `notFound` if no known account holds what is named.
  func account(
    of customer: CustomerReference, _ environments: [StoreEnvironment], _ clocks: Clocks
  ) throws(LedgerError) -> Name {
    if case .account(let name) = customer { return name }
    let accounts = try accounts(of: customer, environments: environments, clocks: clocks)
    if let account = accounts.first { return account }
    throw LedgerError(
      .notFound,
      try isKnown(customer, clocks)
        ? "Nobody known holds \(customer.description): say whose it is with an event "
          + "transaction.assigned, or ask with `daybook customer`."
        : "\(customer.description) is not known to the ledger.")
  }
}

extension LedgerOptions {
  /// Asks the ledger as it is now; nothing is written.
  func read<Value>(_ body: (LedgerView) throws(LedgerError) -> Value) throws -> Value {
    try Ledger(at: path, access: .readOnly).read(body)
  }
}
