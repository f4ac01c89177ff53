package import Audit
import LedgerEvents
import LedgerModel
import LedgerQueries

/// The answer of `explain`: what decides it, and its circumstances.
package struct ExplainReport {
  package let explanation: Explanation
  package let circumstances: Circumstances

  /// - Parameters:
  ///   - explanation: What decides it.
  ///   - circumstances: Its circumstances.
  package init(explanation: Explanation, circumstances: Circumstances) {
    self.explanation = explanation
    self.circumstances = circumstances
  }

  /// The columns of a table with a row for each event.
  package static let columns = [
    "account", "name", "at", "has", "because", "position", "occurredAt", "recordedAt", "source",
    "type", "text", "before", "after", "without",
  ]
}

extension ExplainReport {
  /// What to do next, one sentence for each step.
  package var advice: [String] {
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

  /// The document.
  package var json: String {
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

  private static func write(_ step: Explanation.Step, to json: inout JSONText) {
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

  private static func write(
    _ name: String, _ holdings: [Explanation.Holding], to json: inout JSONText
  ) {
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
  package var label: String { name?.text ?? "the device without a name" }

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
