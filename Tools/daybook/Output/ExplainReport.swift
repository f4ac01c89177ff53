import Audit
import LedgerEvents
import LedgerModel
import LedgerQueries

/// The answer of `explain`: what decides it, and its circumstances.
struct ExplainReport {
  let explanation: Explanation
  let circumstances: Circumstances

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

extension ExplainReport {
  /// What to do next, one sentence for each step.
  var advice: [String] {
    var advice: [String] = []
    let active = Set(
      explanation.holdings.filter(\.state.entitles).map(\.product))
    // For a grant without a product, every product that opens it counts.
    let devices = circumstances.devices.filter {
      active.contains($0.product) || active.contains(nil)
    }
    if explanation.isHeld, !circumstances.productsWithContent.isEmpty {
      if circumstances.devices.isEmpty {
        advice.append(
          "No device of this customer is known: have them open the app and restore purchases.")
      }
      for device in devices where device.installed == nil {
        advice.append(
          circumstances.openTransactions.isEmpty
            ? "Have the customer restore purchases on \(device.label), which downloads "
              + "\(device.product.text) again."
            : "Have the customer open the app on \(device.label): transaction "
              + "\(circumstances.openTransactions[0].text) is still on the queue.")
      }
      for device in devices {
        guard let installed = device.installed, installed.updateAvailable else { continue }
        advice.append(
          "Have the customer restore purchases on \(device.label) to get version "
            + "\(installed.available?.text ?? "-").")
      }
    }
    var rules: [Rule] = []
    for finding in circumstances.findings where !rules.contains(finding.rule) {
      rules.append(finding.rule)
    }
    return advice + rules.map { "\($0.id): \($0.explanation.advice)" }
  }

  var json: String {
    var json = JSONText()
    json.object { json in
      json.member("account", explanation.account)
      json.member("known", circumstances.isAccountKnown)
      json.member("nearAccount", circumstances.nearAccount)
      json.member("name", explanation.name)
      json.member("nameKnown", circumstances.isNameKnown)
      json.member("nearName", circumstances.nearName)
      json.member("at", explanation.at)
      json.member("position", explanation.position)
      json.member("environment", explanation.environments)
      json.member("has", explanation.isHeld)
      json.member("because", ground)
      Self.write("holdings", explanation.holdings, to: &json)
      json.member("events", each: explanation.steps) { json, step in Self.write(step, to: &json) }
      json.member("devices", each: circumstances.devices) { $1.write(to: &$0) }
      json.member("findings", each: circumstances.findings) { $1.write(to: &$0) }
      json.member("advice", strings: advice)
      json.key("learned")
      guard let learned = explanation.learned else { return json.raw(nil) }
      json.object { json in
        json.member("position", learned.position)
        json.member("has", learned.isHeld)
        Self.write("holdings", learned.holdings, to: &json)
        json.member("events", each: learned.steps) { json, step in Self.write(step, to: &json) }
      }
    }
    return json.text
  }

  private var ground: String {
    circumstances.isAccountKnown && !circumstances.isNameKnown
      ? "unknownName" : explanation.ground.word
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
    json.member(name, each: holdings) { json, holding in
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

extension Circumstances.Device {
  /// The device, for people.
  fileprivate var label: String { name?.text ?? "the device without a name" }

  fileprivate var text: String {
    guard let installed else { return "\(product.text) is not installed on \(label)" }
    var text = "\(product.text) \(installed.contentVersion.text) is installed on \(label) since "
    text += installed.installedAt.shown
    if installed.updateAvailable { text += "; \(installed.available?.text ?? "-") is on offer" }
    return text
  }

  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("device", name)
      json.member("product", product)
      json.member("contentVersion", installed?.contentVersion)
      json.member("installedAt", installed?.installedAt)
      json.member("available", installed?.available)
      json.member("updateAvailable", installed?.updateAvailable ?? false)
    }
  }
}
