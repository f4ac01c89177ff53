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

  /// In the order of environments, each once.
  var environments: [StoreEnvironment] {
    stated.isEmpty ? [.production] : Array(Set(stated.map(\.environment))).sorted()
  }
}

/// Whose answer is asked for: one of an account, a transaction or an original.
struct CustomerOptions: ParsableArguments {
  @Argument(help: "The account.", completion: Completions.accounts, transform: Parse.name)
  var account: Name?

  @Option(
    help: "Instead of the account: the holder of this transaction.", transform: Parse.name)
  var transaction: Name?

  @Option(
    help: "Instead of the account: the holder of the chain of this original transaction.",
    transform: Parse.name)
  var original: Name?

  /// All that are named.
  var references: [CustomerReference] {
    [
      account.map { .account($0) }, transaction.map { .transaction($0) },
      original.map { .original($0) },
    ].compactMap { $0 }
  }

  func validate() throws {
    guard references.count <= 1 else {
      throw ValidationError("name one of: an account, --transaction, --original.")
    }
    guard !references.isEmpty else {
      throw ValidationError("name an account, or --transaction or --original instead.")
    }
  }

  /// The one that is named.
  var reference: CustomerReference {
    let references = references
    precondition(references.count == 1, "whoever asks names one customer")
    return references[0]
  }
}

/// Whose answer is asked for, where it need not be one customer's.
struct OptionalCustomerOptions: ParsableArguments {
  @Argument(
    help: "The account (default: everybody).", completion: Completions.accounts,
    transform: Parse.name)
  var account: Name?

  @Option(
    help: "Instead of the account: the holder of this transaction.", transform: Parse.name)
  var transaction: Name?

  @Option(
    help: "Instead of the account: the holder of the chain of this original transaction.",
    transform: Parse.name)
  var original: Name?

  func validate() throws {
    guard [account, transaction, original].compactMap({ $0 }).count <= 1 else {
      throw ValidationError("name one of: an account, --transaction, --original.")
    }
  }

  var reference: CustomerReference? {
    account.map { .account($0) } ?? transaction.map { .transaction($0) }
      ?? original.map { .original($0) }
  }
}

extension CustomerReference {
  /// What was asked for, as a member of an answer.
  func write(to json: inout JSONText) {
    switch self {
    case .account(let name): json.member("account", name.text)
    case .transaction(let name):
      json.member("account", nil as String?)
      json.member("transaction", name.text)
    case .original(let name):
      json.member("account", nil as String?)
      json.member("original", name.text)
    }
  }

  var description: String {
    switch self {
    case .account(let name): "account \(TextTable.printable(name.text))"
    case .transaction(let name): "transaction \(TextTable.printable(name.text))"
    case .original(let name): "original \(TextTable.printable(name.text))"
    }
  }
}

extension LedgerView {
  /// Whether an event of the ledger states the account, transaction or original.
  func isKnown(_ customer: CustomerReference, _ clocks: Clocks) throws(LedgerError) -> Bool {
    try entitlements(of: customer, clocks: clocks, now: EventLog.systemClock()).isKnown
  }

  /// The account of whom a question is about, for questions that only an account answers.
  ///
  /// - Throws: `LedgerError`, `notFound` where nobody known holds what is named.
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
