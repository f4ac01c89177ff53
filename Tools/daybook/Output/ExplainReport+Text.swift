import Audit
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

extension ExplainReport {
  func printText(asOf isPast: Bool) {
    Console.print(Console.bold(TextTable.printable(verdict)))
    let moment = isPast ? ", as of position \(explanation.position)," : ""
    Console.print(wrapped: reason(moment))
    for step in explanation.steps { print(step) { "without it: \(without($0))" } }
    printDevices()
    printFindings()
    printAdvice()
    guard let learned = explanation.learned else { return }
    Console.print("")
    Console.print(
      wrapped:
        "learned since, up to position \(learned.position): \(Self.text(learned.holdings)) at "
        + "that time\(learned.steps.isEmpty ? "" : ", because of these events:")")
    for step in learned.steps { print(step) { _ in nil } }
  }

  private typealias Step = Explanation.Step
  private typealias Holding = Explanation.Holding

  private func print(_ step: Step, _ last: (Step) -> String?) {
    let event = step.event.event
    Console.print("")
    Console.print(
      wrapped: "\(step.event.position)  \(event.occurredAt.shown)  recorded "
        + "\(step.event.recordedAt.shown)  \((event.source ?? EventSource(.app)).text)")
    let indent = "    "
    Console.print(wrapped: step.text, indent: indent)
    if step.before != step.after {
      Console.print(
        wrapped: "\(Self.text(step.before)) → \(Self.text(step.after))", indent: indent)
    }
    if let line = last(step) { Console.print(wrapped: line, indent: indent) }
  }

  private func printDevices() {
    guard !circumstances.devices.isEmpty else { return }
    Console.print("")
    for device in circumstances.devices { Console.print(wrapped: device.text) }
  }

  private func printFindings() {
    guard !circumstances.findings.isEmpty else { return }
    Console.print("")
    Console.print("findings:")
    TextTable.findings(circumstances.findings).lines(indent: "  ").forEach(Console.print)
  }

  private func printAdvice() {
    guard !advice.isEmpty else { return }
    Console.print("")
    Console.print("what to do:")
    for line in advice { Console.print(wrapped: line, indent: "  ") }
  }

  private var verdict: String {
    let (account, name) = (explanation.account.text, explanation.name.text)
    let holdings = explanation.holdings
    let what = holdings.isEmpty ? "" : ": \(Self.text(holdings))"
    return "\(account) is \(explanation.isHeld ? "" : "not ")entitled to \(name)\(what)"
  }

  /// The reason for the verdict, in a sentence.
  ///
  /// - Parameter moment: The position in the ledger to which it applies, between commas; may be
  ///   empty.
  private func reason(_ moment: String) -> String {
    let at = "at \(explanation.at.shown)\(moment)"
    if !circumstances.isAccountKnown {
      let near = circumstances.nearAccount.map { "; did you mean \($0.text)?" } ?? "."
      return "because no event of the ledger states this account\(near)"
    }
    if !circumstances.isNameKnown {
      let near = circumstances.nearName.map { "; did you mean \($0.text)?" } ?? "."
      return "because the ledger knows no product and no entitlement of this name\(near)"
    }
    switch explanation.ground {
    case .listed: return "\(at) because of these events:"
    case .takenAway: return "\(at) because these events took it away or gave it to somebody else:"
    case .over(let end): return "because the operator's grant ended at \(end.shown):"
    case .elsewhere(let environment):
      let there = Self.text(explanation.steps.last?.after ?? [])
      return "in this environment; in \(environment.text) it is \(there):"
    case .consumable:
      return "because it is a consumable: purchases credit a balance, see `daybook entitlements`."
    case .balance(let left): return "because it is a balance, of which \(left) is left."
    case .attempted: return "because the last attempt to buy it led to no purchase:"
    case .nothing:
      return "because this customer has not bought it, was not given it, and did not try to buy it."
    case .unknownAccount: return "because no event of the ledger states this account."
    }
  }

  private func without(_ step: Step) -> String {
    guard step.without == explanation.holdings else { return Self.text(step.without) }
    return step.without.isEmpty ? "still nothing" : "the same, because of other events"
  }

  private static func text(_ holdings: [Holding]) -> String {
    guard !holdings.isEmpty else { return "nothing" }
    return holdings.map { holding in
      var text = "\((holding.product ?? holding.entitlement)?.text ?? "-") \(holding.state.text)"
      text += " since \(holding.since.shown)"
      if let end = holding.expiresAt { text += " \(holding.state.words(ofEnd: end))" }
      if holding.isFromOperator { text += " by an operator" }
      return text
    }.joined(separator: ", ")
  }
}

extension Circumstances.Device {

  fileprivate var text: String {
    guard let installed else { return "\(product.text) is not installed on \(label)" }
    var text = "\(product.text) \(installed.contentVersion.text) is installed on \(label) since "
    text += installed.installedAt.shown
    if installed.updateAvailable { text += "; \(installed.available?.text ?? "-") is on offer" }
    return text
  }
}
