import Audit
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

extension AnswerDifference {

  /// An entry before and after, in words: its state, what it opens, and when it ends. If all of
  /// that is the same, also its beginning.
  static func texts(
    _ before: EntitlementsAnswer.Entry?, _ after: EntitlementsAnswer.Entry?
  ) -> (before: String, after: String) {
    let texts = (text(before), text(after))
    guard texts.0 == texts.1, let before, let after, before.since != after.since else {
      return texts
    }
    return (
      "\(texts.0) since \(before.since.shown)", "\(texts.1) since \(after.since.shown)"
    )
  }

  private static func text(_ entry: EntitlementsAnswer.Entry?) -> String {
    guard let entry else { return "-" }
    let names = entry.entitlements.map(\.text).joined(separator: ", ")
    return entry.state.text + (names.isEmpty ? "" : " (\(names))")
      + (entry.expiresAt.map { " \(entry.state.words(ofEnd: $0))" } ?? "")
  }
}

extension EntitlementState {
  /// When something in this state ends, or did, or would have.
  func words(ofEnd end: Instant) -> String {
    switch self {
    case .pending, .active, .gracePeriod: "until \(end.shown)"
    case .billingRetry, .expired: "ended \(end.shown)"
    case .refunded, .revoked: "was until \(end.shown)"
    }
  }
}

extension CustomerDifference {
  /// A line for each change: whose it is, what changed, and its values before and after.
  var lines: [String] {
    let whose = account.text + (environment == .production ? "" : " in \(environment.text)")
    var lines: [String] = []
    for entry in answer?.entries ?? [] {
      let name = (entry.after ?? entry.before).flatMap { $0.product ?? $0.entitlement }
      let texts = AnswerDifference.texts(entry.before, entry.after)
      lines.append("\(whose)  \(name?.text ?? "-"): \(texts.before) → \(texts.after)")
    }
    for balance in answer?.balances ?? [] {
      lines.append("\(whose)  balance \(balance.unit.text): \(balance.before) → \(balance.after)")
    }
    for content in installed {
      let device = content.device.map { " on \($0.text)" } ?? ""
      lines.append(
        "\(whose)  installed \(content.product.text)\(device): \(content.before?.text ?? "-") → "
          + (content.after?.text ?? "-"))
    }
    return lines
  }
}
