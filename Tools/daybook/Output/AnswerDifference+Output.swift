import Audit
import LedgerAnswers
import LedgerEvents
import LedgerQueries

extension CustomerDifference {
  /// A line for each change: whose it is, what changed, and its values before and after.
  var lines: [String] {
    let whose = account.text + (environment == .production ? "" : " in \(environment.text)")
    var lines: [String] = []
    for entry in answer?.entries ?? [] {
      let name = (entry.after ?? entry.before).flatMap { $0.product ?? $0.entitlement }
      let texts = AnswerWords.shown.texts(entry.before, entry.after)
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
