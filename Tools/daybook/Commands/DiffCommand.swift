import ArgumentParser
import Audit
import LedgerAnswers
import LedgerEvents
import LedgerQueries

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "What changed between two positions or times.",
    discussion: """
      Prints what each customer gained and lost: products, entitlements, balances and installed \
      versions. Each side is what the ledger answered at that moment. With --at both sides are \
      judged at one store time, so that only what the ledger learned in between counts. With \
      --as-of ledger time is fixed and --from and --to are store times: the answer is \
      what changed between them, as the ledger knew it then. Example:

        daybook diff reader-1 --from 2026-02 --to 2026-03
        daybook diff --from 2026-03-01 --as-of yesterday
      """)

  @OptionGroup var options: LedgerOptions

  @OptionGroup var customer: OptionalCustomerOptions

  @Option(
    help: ArgumentHelp(
      "A position or time of the ledger (with --as-of a store time); 0 is before its first event.",
      valueName: "position|time"),
    transform: Parse.ledgerTime)
  var from: Clocks.LedgerTime

  @Option(
    help: ArgumentHelp(
      "A later position or time (default: the end of the ledger).", valueName: "position|time"),
    transform: Parse.ledgerTime)
  var to: Clocks.LedgerTime?

  @Option(
    help: ArgumentHelp("Judge both sides at this store time.", valueName: "time"),
    transform: Parse.instant)
  var at: Instant?

  @Option(
    name: .customLong("as-of"),
    help: ArgumentHelp(
      "Answer both sides, two store times, from what the ledger held at this position or time.",
      valueName: "position|time"),
    transform: Parse.ledgerTime)
  var asOf: Clocks.LedgerTime?

  @OptionGroup var environments: EnvironmentOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    guard asOf != nil else { return }
    guard at == nil else {
      throw ValidationError(
        "--at and --as-of cannot be combined: with both clocks fixed, nothing changes.")
    }
    for side in [from, to].compactMap({ $0 }) {
      guard case .instant = side else {
        throw ValidationError(
          "with --as-of both sides are store times, such as --from 2026-03-01T00:00:00Z.")
      }
    }
  }

  private var question: DiffQuestion { DiffQuestion(from: from, to: to, at: at, asOf: asOf) }

  func run() throws {
    try answering {
      var count = 0
      var unknown: Unknown?
      let ledger = try Ledger(at: options.path, access: .readOnly)
      try refuseTurned(ledger)
      Console.declare(columns: CustomerDifference.columns)
      try ledger.read { (view) throws(LedgerError) in
        let (before, after) = question.sides(view)
        var account: Name?
        if let customer = customer.reference {
          account = try view.account(of: customer, environments.environments, after)
          if try !view.isKnown(customer, after) { unknown = try find(customer, view) }
        }
        if format == .json { Console.print("[") }
        try view.differences(
          from: before, to: after, account: account, environments: environments.environments
        ) { difference in
          print(difference, isFirst: count == 0)
          count += 1
          return !Console.isOutputLost
        }
      }
      switch format {
      case .json: Console.print("]")
      case .table:
        if let unknown { Console.print(unknown.message) }
        guard unknown?.isKnownNow ?? (count == 0) else { break }
        if unknown == nil { Console.print("nothing changed") }
        Console.complain(otherClock(try ledger.log.lastPosition()))
      case .jsonl: break
      }
    }
  }

  /// Somebody who is not known at the end of what is compared.
  private struct Unknown {
    let message: String
    /// Whether the ledger knows them by now.
    let isKnownNow: Bool
  }

  private func find(
    _ customer: CustomerReference, _ view: LedgerView
  ) throws(LedgerError) -> Unknown {
    let name = customer.description
    guard try view.isKnown(customer, .now) else {
      return Unknown(message: "\(name) is not known to the ledger", isKnownNow: false)
    }
    let place: String
    if let asOf {
      place = "position \(try view.position(asOf))"
    } else {
      let last = try view.position(to ?? .position(view.position))
      place = "positions \(try view.position(from)) to \(last)"
    }
    return Unknown(
      message: "\(name) was not known to the ledger at that time (\(place))", isKnownNow: true)
  }

  /// What to ask if nothing changed on the requested clock, or nobody was known on it.
  private func otherClock(_ position: UInt64) -> String {
    if asOf != nil {
      return "With --as-of, --from and --to are store time: when things happened. Leave --as-of "
        + "out to ask what the ledger learned between two of its positions or times."
    }
    if at != nil {
      return "With --at, only what the ledger learned between --from and --to counts. To compare "
        + "two moments of store time, name them with --from and --to, and add --as-of \(position) "
        + "in place of --at."
    }
    return "--from and --to are ledger time: what the ledger held then. To compare two moments of "
      + "store time, when things happened, name them with --from and --to, and add --as-of "
      + "\(position)."
  }

  /// Refuses a beginning that is after the end.
  ///
  /// - Throws: `InputProblem` (exit 64), `LedgerError`.
  private func refuseTurned(_ ledger: Ledger) throws {
    guard
      let turned = try ledger.read({ (view) throws(LedgerError) in
        try question.turned(view)
      })
    else { return }
    throw InputProblem(
      "--from must not be later than --to: --from is \(shown(turned.from)), --to is "
        + "\(shown(turned.to)).",
      exitCode: ExitStatus.usage)
  }

  private func shown(_ end: Clocks.LedgerTime) -> String {
    switch end {
    case .position(let position): "\(position)"
    case .instant(let time): time.shown
    }
  }

  private func print(_ difference: CustomerDifference, isFirst: Bool) {
    switch format {
    case .table: for line in difference.lines { Console.print(wrapped: line) }
    case .json, .jsonl:
      var json = JSONText()
      difference.write(to: &json)
      Console.print((isFirst || format == .jsonl ? "" : ",") + json.text)
    }
  }
}
