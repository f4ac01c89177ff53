import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import Replay

extension ReplayPrinter {
  /// Prints the edits, and how the outcome differs because of them.
  func print(_ difference: OutcomeDifference, of edited: EditedEvents) {
    switch format {
    case .table: printText(difference, edited)
    case .json: Console.print(ReplayDocument.text(of: difference, edited))
    case .jsonl: Console.print(difference.json(of: edited))
    }
  }

  private func printText(_ difference: OutcomeDifference, _ edited: EditedEvents) {
    Console.print("")
    Console.print(Console.bold("what if"))
    for note in edited.notes {
      let positions = note.positions.map { "\($0.position) at \($0.occurredAt.shown)" }
      let now = positions.isEmpty ? "" : ": now \(positions.joined(separator: ", "))"
      Console.print("    \(note.text)\(now)")
    }
    Console.print(Console.bold("what would have changed"))
    if difference.isEmpty { Console.print("    nothing") }
    for finding in difference.gone { printText("gone", finding, nil) }
    for finding in difference.new {
      printText("new ", finding, edited.formerPositions[finding.position])
    }
    for change in difference.changes { Console.print("    " + change.text) }
  }

  private func printText(_ verb: String, _ finding: FindingAnswer, _ former: UInt64?) {
    var line = "\(verb) \(finding.rule.id) @ \(finding.position)"
    if let former { line += " (was \(former))" }
    line += " (\(finding.severity.text))"
    if finding.concerns != "-" { line += ": \(finding.concerns)" }
    Console.print("    ! " + line.printable)
  }
}
