import Foundation
import LedgerHistories
import Testing

/// Compares the consoles in `docs/proofs.md` with the output of the program, except for values that
/// differ each time. `UPDATE_GOLDEN=1 swift test --filter ProofPageTests` updates them.
@Suite("The page about proofs") struct ProofPageTests {
  /// The files that the page creates are in a folder that is removed after the test.
  private static let written = [
    "shop.key", "monday.checkpoint", "tuesday.checkpoint", "15.tlog-proof", "withheld.tlog-proof",
    "since-monday.consistency", "w1.key", "w2.key", "w1.checkpoints", "tuesday.request",
    "tuesday.w1", "seen.checkpoints", "monday-to-tuesday.consistency",
  ]

  @Test("its consoles show the program's output") func consoles() throws {
    let page = try #require(packageRoot()).appending(path: "docs/proofs.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let ledger = try TestLedger()
    var steady = SteadyText()
    var shown: [Substring] = []
    var isConsole = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```console" || line == "```" {
        isConsole = line == "```console"
        shown.append(line)
      } else if !isConsole {
        shown.append(line)
      } else if line.hasPrefix("$ daybook ") {
        shown.append(line)
        let outcome = try ledger.run(
          line.dropFirst("$ daybook ".count).split(separator: " ").map { word in
            let word = steady.original(String(word))
            return Self.written.contains(word) ? ledger.folder.path(word) : word
          })
        #expect(outcome.status == 0, "\(line): \(outcome.errors)")
        let said = outcome.output.replacing(ledger.folder.url.path + "/", with: "")
        shown += steady.replacing(said).split(separator: "\n", omittingEmptySubsequences: false)
          .dropLast()
      }
    }
    let expected = shown.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(expected.utf8).write(to: page)
    }
    #expect(
      expected == (try String(contentsOf: page, encoding: .utf8)),
      "docs/proofs.md shows something else: write it anew with UPDATE_GOLDEN=1")
  }
}
