import LedgerEvents
import LedgerQueries
import Replay

/// The file that a replay's page is written to.
struct ReplayPageFile {
  private let name: String
  private let output: OutputFile?

  /// - Parameter destination: The file to write; `-` is standard output.
  /// - Throws: `InputProblem` (exit 73) if the file cannot be created.
  init(_ destination: OutputDestination) throws {
    name = destination.path
    output = name == "-" ? nil : try OutputFile(destination)
  }

  /// Writes the complete page or nothing, and prints what it contains.
  ///
  /// - Throws: `InputProblem`.
  func write(_ title: String, _ events: ReplayEvents, _ history: ReplayHistory) throws {
    let page = TimelinePage(title: title, history: history, events: events)
    guard let output else {
      Console.print(bytes: Array(page.html.utf8.dropLast()))
      return
    }
    defer { output.discard() }
    try output.write(Array(page.html.utf8))
    try output.publish()
    let outcome = history.outcome
    Console.print(
      "\(name): \(outcome.steps.counted("step")), "
        + (outcome.findings.count + outcome.findingsAtTheEnd.count).counted("finding"))
  }
}
