import LedgerEvents
import LedgerModel
package import LedgerQueries

extension FindingAnswer {
  /// The names of the members, in their order.
  ///
  /// - Parameter explains: Whether the meaning and the advice of the rule are among them.
  package static func columns(explains: Bool) -> [String] {
    [
      "rule", "severity", "position", "occurredAt", "environment", "account", "device",
      "transaction", "product", "download", "detail",
    ] + (explains ? ["meaning", "advice"] : [])
  }

  /// Writes the finding.
  package func write(to json: inout JSONText) {
    json.object { json in writeMembers(to: &json) }
  }

  private func writeMembers(to json: inout JSONText) {
    json.member("rule", rule.id)
    json.member("severity", severity.text)
    json.member("position", position)
    json.member("occurredAt", occurredAt)
    json.member("environment", environment.text)
    json.member("account", account)
    json.member("device", device)
    json.member("transaction", transaction)
    json.member("product", product)
    json.member("download", download)
    json.member("detail", detail)
  }

  /// The finding, with what it means and what to do.
  package func writeWithAdvice(to json: inout JSONText) {
    json.object { json in
      writeMembers(to: &json)
      json.member("meaning", rule.explanation.meaning)
      json.member("advice", rule.explanation.advice)
    }
  }
}

extension FindingIncident {
  /// The names of the members, in their order.
  ///
  /// - Parameter explains: Whether the meaning and the advice of the rule are among them.
  package static func columns(explains: Bool) -> [String] {
    [
      "rule", "severity", "rules", "environment", "since", "until", "accounts", "devices",
      "transactions", "products",
    ] + (explains ? ["meaning", "advice"] : []) + ["count", "findings"]
  }

  /// Writes the incident with its findings.
  ///
  /// - Parameters:
  ///   - json: Where to.
  ///   - explains: Whether the meaning and the advice of the rule are included.
  package func write(to json: inout JSONText, explains: Bool) {
    json.object { json in
      json.member("rule", head.rule.id)
      json.member("severity", head.severity.text)
      json.member("rules", strings: rules.map(\.id))
      json.member("environment", head.environment.text)
      json.member("since", since)
      json.member("until", until)
      json.member("accounts", names: accounts)
      json.member("devices", names: devices)
      json.member("transactions", names: transactions)
      json.member("products", names: products)
      if explains {
        json.member("meaning", head.rule.explanation.meaning)
        json.member("advice", head.rule.explanation.advice)
      }
      json.member("count", findings.count)
      json.member("findings", each: findings) { $1.write(to: &$0) }
    }
  }
}
