import ArgumentParser
import Foundation
import LedgerStore
import Replay

/// The file that a replay's page is written to.
struct ReplayPageFile {
  private let name: String

  init(_ name: String) { self.name = name }

  /// Writes the page whole or not at all, and says what is in it; `-` is standard output.
  ///
  /// - Throws: `InputProblem` (exit 73) where the file cannot be made.
  func write(_ title: String, _ events: ReplayEvents, until end: ReplayEnd?) throws {
    let history = ReplayHistory(Replay(events), until: end)
    let page = TimelinePage(title: title, history: history, events: events)
    if name == "-" {
      Console.print(bytes: Array(page.html.utf8.dropLast()))
      return
    }
    do {
      try Data(page.html.utf8).write(to: URL(fileURLWithPath: name), options: .atomic)
    } catch {
      throw InputProblem(
        "\(name) cannot be written: \(error.localizedDescription)",
        exitCode: ExitStatus.cannotCreate)
    }
    let outcome = history.outcome
    Console.print(
      "\(name): \(outcome.steps) steps, "
        + "\(outcome.findings.count + outcome.findingsAtTheEnd.count) findings")
  }
}
