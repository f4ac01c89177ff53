package import Audit
package import LedgerEvents
package import LedgerModel
package import LedgerQueries

/// Answers in words for people, the same on the command line and on the pages of the service.
package struct AnswerWords: Sendable {
  /// How a time is written.
  let time: @Sendable (Instant) -> String
  /// Where balances are shown, for sentences that refer to them.
  let balances: String

  /// - Parameters:
  ///   - balances: Where balances are shown: the end of a sentence that begins with “see”.
  ///   - time: How a time is written.
  package init(balances: String, time: @escaping @Sendable (Instant) -> String) {
    self.balances = balances
    self.time = time
  }

  /// When something in a state ends, or did, or would have.
  package func end(of state: EntitlementState, _ end: Instant) -> String {
    switch state {
    case .pending, .active, .gracePeriod: "until \(time(end))"
    case .billingRetry, .expired: "ended \(time(end))"
    case .refunded, .revoked: "was until \(time(end))"
    }
  }

  // MARK: - Differences

  /// An entry before and after: its state, what it opens, and when it ends. If all of that is the
  /// same, also its beginning.
  package func texts(
    _ before: EntitlementsAnswer.Entry?, _ after: EntitlementsAnswer.Entry?
  ) -> (before: String, after: String) {
    let texts = (text(before), text(after))
    guard texts.0 == texts.1, let before, let after, before.since != after.since else {
      return texts
    }
    return (
      "\(texts.0) since \(time(before.since))", "\(texts.1) since \(time(after.since))"
    )
  }

  private func text(_ entry: EntitlementsAnswer.Entry?) -> String {
    guard let entry else { return "-" }
    let names = entry.entitlements.map(\.text).joined(separator: ", ")
    return entry.state.text + (names.isEmpty ? "" : " (\(names))")
      + (entry.expiresAt.map { " \(end(of: entry.state, $0))" } ?? "")
  }

  // MARK: - Explanations

  /// Whether somebody is entitled to something, in a sentence.
  package func verdict(_ report: ExplainReport) -> String {
    let explanation = report.explanation
    let (account, name) = (explanation.account.text, explanation.name.text)
    let holdings = explanation.holdings
    let what = holdings.isEmpty ? "" : ": \(text(holdings))"
    return "\(account) is \(explanation.isHeld ? "" : "not ")entitled to \(name)\(what)"
  }

  /// The reason for the verdict, in a sentence.
  ///
  /// - Parameters:
  ///   - report: The explanation.
  ///   - moment: The position in the ledger to which it applies, between commas; may be empty.
  package func reason(_ report: ExplainReport, _ moment: String) -> String {
    let (explanation, circumstances) = (report.explanation, report.circumstances)
    let at = "at \(time(explanation.at))\(moment)"
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
    case .over(let end): return "because the operator's grant ended at \(time(end)):"
    case .elsewhere(let environment):
      let there = text(explanation.steps.last?.after ?? [])
      return "in this environment; in \(environment.text) it is \(there):"
    case .consumable:
      return "because it is a consumable: purchases credit a balance, see \(balances)."
    case .balance(let left): return "because it is a balance, of which \(left) is left."
    case .attempted: return "because the last attempt to buy it led to no purchase:"
    case .nothing:
      return "because this customer has not bought it, was not given it, and did not try to buy it."
    case .unknownAccount: return "because no event of the ledger states this account."
    }
  }

  /// What would follow without an event of an explanation.
  package func without(_ step: Explanation.Step, _ report: ExplainReport) -> String {
    guard step.without == report.explanation.holdings else { return text(step.without) }
    return step.without.isEmpty ? "still nothing" : "the same, because of other events"
  }

  /// What somebody holds.
  package func text(_ holdings: [Explanation.Holding]) -> String {
    guard !holdings.isEmpty else { return "nothing" }
    return holdings.map { holding in
      var text = "\((holding.product ?? holding.entitlement)?.text ?? "-") \(holding.state.text)"
      text += " since \(time(holding.since))"
      if let end = holding.expiresAt { text += " \(self.end(of: holding.state, end))" }
      if holding.isFromOperator { text += " by an operator" }
      return text
    }.joined(separator: ", ")
  }

  /// What a device has of a product.
  package func text(_ device: Circumstances.Device) -> String {
    guard let installed = device.installed else {
      return "\(device.product.text) is not installed on \(device.label)"
    }
    var text =
      "\(device.product.text) \(installed.contentVersion.text) is installed on \(device.label) "
    text += "since \(time(installed.installedAt))"
    if installed.updateAvailable { text += "; \(installed.available?.text ?? "-") is on offer" }
    return text
  }
}
