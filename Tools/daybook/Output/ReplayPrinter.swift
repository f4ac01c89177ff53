import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import Replay

/// Prints a replay as it runs: for people, as one document, or one step per line.
final class ReplayPrinter {
  let format: OutputFormat
  /// The document that is printed as it grows; only for `json`.
  private var document = ReplayDocument()

  init(_ format: OutputFormat) { self.format = format }

  func begin() {
    if format == .json { Console.print(ReplayDocument.begin) }
  }

  func print(_ step: ReplayStep) {
    switch format {
    case .table:
      for line in step.textLines {
        let text = line.text.drop { $0 == " " }
        let indent = String(line.text[..<text.startIndex])
        for piece in Console.wrapped(String(text), indent: indent) {
          Console.print(line.styled(piece))
        }
      }
    case .jsonl: Console.print(step.json)
    case .json: Console.print(document.text(adding: step))
    }
  }

  func end(_ outcome: ReplayOutcome) {
    switch format {
    case .table:
      Console.print("")
      Console.print(
        "\(outcome.steps.counted("step")), \(outcome.findings.count.counted("finding"))")
      if !outcome.findings.isEmpty { FindingList.print(outcome.findings) }
      if !outcome.findingsAtTheEnd.isEmpty {
        Console.print("")
        Console.print("still broken at the end")
        FindingList.print(outcome.findingsAtTheEnd)
      }
    case .jsonl: break
    case .json: Console.print(document.text(of: outcome))
    }
  }

  /// Ends the document that `begin` opened.
  func close() {
    if format == .json { Console.print(ReplayDocument.end) }
  }
}
