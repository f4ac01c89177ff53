import Foundation
import LedgerHistories
import Testing

/// Compares the console blocks of the guides with the output of the program, run in order on one
/// ledger. `UPDATE_GOLDEN=1 swift test --filter GuideTests` updates them.
@Suite("The guides") struct GuideTests {
  /// The files that a guide creates are in a folder that is removed after the test.
  private static let written = [
    "dolomites.json", "dolomites.bundle", "shop.key", "atlas-1.0.pkg", "atlas-1.1.pkg",
    "phone-content",
  ]

  @Test(
    "their consoles show the program's output",
    arguments: ["from-ticket-to-test", "catalogue", "selling-content", "export"])
  func consoles(_ name: String) throws {
    let root = try #require(packageRoot())
    let page = root.appending(path: "docs/\(name).md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let ledger = try TestLedger()
    var steady = SteadyText()
    var shown: [Substring] = []
    var isConsole = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```console" {
        isConsole = true
        shown.append(line)
      } else if line == "```" {
        isConsole = false
        shown.append(line)
      } else if !isConsole {
        shown.append(line)
      } else if line.hasPrefix("$ daybook ") {
        shown.append(line)
        shown += try output(of: line, ledger, &steady).split(separator: "\n")
      }
    }
    let expected = shown.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(expected.utf8).write(to: page)
    }
    #expect(
      expected == (try String(contentsOf: page, encoding: .utf8)),
      "docs/\(name).md shows something else: write it anew with UPDATE_GOLDEN=1")
  }

  private func output(
    of line: Substring, _ ledger: TestLedger, _ steady: inout SteadyText
  ) throws -> String {
    let words = line.dropFirst("$ daybook ".count).split(separator: " ").map { word in
      Self.written.contains(String(word)) ? ledger.folder.path(String(word)) : String(word)
    }
    let outcome = try ledger.run(words)
    #expect([0, 1].contains(outcome.status), "\(line): \(outcome.errors)")
    // `key new` prints the location of the secret only to people.
    #expect(outcome.errors == "" || words.starts(with: ["key", "new"]), "\(line)")
    return steady.replacing(outcome.output.replacing(ledger.folder.url.path + "/", with: ""))
  }
}
