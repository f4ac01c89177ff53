import ArgumentParser
import Audit
import LedgerEvents
import LedgerModel
import LedgerStore

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Why a customer has, or has not, a product or an entitlement.",
    discussion: """
      Reads the ledger and writes the events that decide it, in order: what each says, what \
      changed with it, and what there would be without it. With --as-of it is also said what the \
      ledger has learned since about the same store time. Example:

        daybook explain reader-1 pro --at 2026-02-01T12:00:00Z --as-of 1200
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The customer's account.", transform: Parse.name)
  var account: Name

  @Argument(help: "A product, or an entitlement.", transform: Parse.name)
  var product: Name

  @OptionGroup var clocks: ClockOptions
  @OptionGroup var environments: EnvironmentOptions

  @Option(help: "How to answer: table or json.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let found = try options.read { (view) throws(LedgerError) in
        try view.explain(
          product, for: account, environments: environments.environments, clocks: clocks.clocks,
          now: EventLog.systemClock())
      }
      switch format {
      case .table: found.printText(asOf: clocks.asOf != nil)
      case .json, .jsonl: Console.print(found.json)
      }
    }
  }
}

extension Explanation {
  fileprivate func printText(asOf isPast: Bool) {
    Console.print(Console.bold(TextTable.printable(verdict)))
    Console.print(TextTable.printable(reason(isPast ? ", as of position \(position)," : ",")))
    for step in steps { print(step) { step in "without it: \(without(step))" } }
    guard let learned else { return }
    Console.print("")
    Console.print(
      TextTable.printable(
        "since learned, up to position \(learned.position): \(Self.text(learned.holdings)) at that "
          + "time\(learned.steps.isEmpty ? "" : ", by these events:")"))
    for step in learned.steps { print(step) { _ in nil } }
  }

  private func print(_ step: Step, _ last: (Step) -> String?) {
    let event = step.event.event
    Console.print("")
    Console.print(
      TextTable.printable(
        "\(step.event.position)  \(event.occurredAt.rfc3339)  recorded "
          + "\(step.event.recordedAt.rfc3339)  \((event.source ?? EventSource(.app)).text)"))
    Console.print("    " + TextTable.printable(step.text))
    if step.before != step.after {
      Console.print(
        "    " + TextTable.printable("\(Self.text(step.before)) → \(Self.text(step.after))"))
    }
    if let line = last(step) { Console.print("    " + TextTable.printable(line)) }
  }

  private var verdict: String {
    let what = holdings.isEmpty ? "" : ": \(Self.text(holdings))"
    return "\(account.text) \(isHeld ? "has" : "has not") \(name.text)\(what)"
  }

  /// What the verdict rests on, in a sentence; `asOf` says of which place in the ledger.
  private func reason(_ asOf: String) -> String {
    switch ground {
    case .listed: "at \(at.rfc3339)\(asOf) by these events:"
    case .takenAway:
      "at \(at.rfc3339)\(asOf) because these events took it away or gave it elsewhere:"
    case .over(let end): "because the operator's grant ended at \(end.rfc3339):"
    case .elsewhere(let environment):
      "in this environment; in \(environment.text) it is \(Self.text(steps.last?.after ?? [])):"
    case .consumable: "because it is a consumable: it is credited, see the balances."
    case .balance(let left): "because it is a balance, of which \(left) is left."
    case .attempted: "because no purchase came of the last attempt:"
    case .nothing: "because this customer has not bought it, was not given it, and did not try to."
    case .unknownAccount: "because no event of the ledger states this account."
    }
  }

  private func without(_ step: Step) -> String {
    guard step.without == holdings else { return Self.text(step.without) }
    return holdings.isEmpty ? "nothing still" : "the same, by other events"
  }

  private static func text(_ holdings: [Holding]) -> String {
    guard !holdings.isEmpty else { return "nothing" }
    return holdings.map { holding in
      var text = "\((holding.product ?? holding.entitlement)?.text ?? "-") \(holding.state.text)"
      text += " since \(holding.since.rfc3339)"
      if let end = holding.expiresAt { text += " \(holding.state.words(ofEnd: end))" }
      if holding.isFromOperator { text += " by an operator" }
      return text
    }.joined(separator: ", ")
  }

  fileprivate var json: String {
    var json = JSONText()
    json.object { json in
      json.member("account", account)
      json.member("name", name)
      json.member("at", at)
      json.member("position", position)
      json.member("environment", environments)
      json.member("has", isHeld)
      json.member("because", ground.word)
      Self.write("holdings", holdings, to: &json)
      json.member("events", array: { json in for step in steps { Self.write(step, to: &json) } })
      json.key("learned")
      guard let learned else { return json.raw(nil) }
      json.object { json in
        json.member("position", learned.position)
        json.member("has", learned.isHeld)
        Self.write("holdings", learned.holdings, to: &json)
        json.member(
          "events", array: { json in for step in learned.steps { Self.write(step, to: &json) } })
      }
    }
    return json.text
  }

  private static func write(_ step: Step, to json: inout JSONText) {
    json.object { json in
      json.member("position", step.event.position)
      json.member("occurredAt", step.event.event.occurredAt)
      json.member("recordedAt", step.event.recordedAt)
      json.member("source", (step.event.event.source ?? EventSource(.app)).text)
      json.member("type", step.event.event.type.text)
      json.member("text", step.text)
      write("before", step.before, to: &json)
      write("after", step.after, to: &json)
      write("without", step.without, to: &json)
    }
  }

  private static func write(_ name: String, _ holdings: [Holding], to json: inout JSONText) {
    json.member(
      name,
      array: { json in
        for holding in holdings {
          json.object { json in
            json.member("product", holding.product)
            json.member("entitlement", holding.entitlement)
            json.member("state", holding.state.text)
            json.member("since", holding.since)
            json.member("expiresAt", holding.expiresAt)
            json.member("originalTransaction", holding.original)
            json.member("source", holding.isFromOperator ? "operator" : "store")
            json.member("environment", holding.environment.text)
          }
        }
      })
  }
}

extension Explanation.Ground {
  /// One word for programs.
  fileprivate var word: String {
    switch self {
    case .listed: "listed"
    case .takenAway: "takenAway"
    case .over: "over"
    case .elsewhere: "elsewhere"
    case .consumable: "consumable"
    case .balance: "balance"
    case .attempted: "attempted"
    case .nothing: "nothing"
    case .unknownAccount: "unknownAccount"
    }
  }
}
