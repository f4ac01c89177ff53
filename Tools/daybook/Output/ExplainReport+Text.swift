import Audit
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

extension ExplainReport {
  func printText(asOf isPast: Bool) {
    let words = AnswerWords.shown
    Console.print(Console.bold(words.verdict(self).printable))
    let moment = isPast ? ", as of position \(explanation.position)," : ""
    Console.print(wrapped: words.reason(self, moment))
    for step in explanation.steps { print(step) { "without it: \(words.without($0, self))" } }
    printDevices()
    printFindings()
    printAdvice()
    guard let learned = explanation.learned else { return }
    Console.print("")
    Console.print(
      wrapped:
        "learned since, up to position \(learned.position): \(words.text(learned.holdings)) at "
        + "that time\(learned.steps.isEmpty ? "" : ", because of these events:")")
    for step in learned.steps { print(step) { _ in nil } }
  }

  private typealias Step = Explanation.Step

  private func print(_ step: Step, _ last: (Step) -> String?) {
    let event = step.event.event
    Console.print("")
    Console.print(
      wrapped: "\(step.event.position)  \(event.occurredAt.shown)  recorded "
        + "\(step.event.recordedAt.shown)  \((event.source ?? EventSource(.app)).text)")
    let indent = "    "
    Console.print(wrapped: step.text, indent: indent)
    if step.before != step.after {
      let (before, after) = (
        AnswerWords.shown.text(step.before), AnswerWords.shown.text(step.after)
      )
      Console.print(wrapped: "\(before) → \(after)", indent: indent)
    }
    if let line = last(step) { Console.print(wrapped: line, indent: indent) }
  }

  private func printDevices() {
    guard !circumstances.devices.isEmpty else { return }
    Console.print("")
    for device in circumstances.devices { Console.print(wrapped: AnswerWords.shown.text(device)) }
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
}

extension AnswerWords {
  /// The words of this run, with times in its zone.
  static let shown = AnswerWords(balances: "`daybook entitlements`") { $0.shown }
}
