import Foundation
import LedgerHistories
import Testing

/// Compares the consoles in `docs/audit.md` with the output of the program, run in order on one
/// ledger. Keys, hashes and the ledger's clock are replaced.
/// `UPDATE_GOLDEN=1 swift test --filter AuditGuideTests` updates them.
@Suite("The audit guide") struct AuditGuideTests {
  /// The files that the guide creates are in a folder that is removed after the test.
  private static let written = [
    "maps.key", "april.checkpoint", "refund.tlog-proof", "another.ledger", "march.csv",
  ]

  @Test("its consoles show the program's output") func consoles() throws {
    let page = try #require(packageRoot()).appending(path: "docs/audit.md")
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
        let said = try output(of: line, ledger, &steady)
        shown += said.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      }
    }
    let expected = shown.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(expected.utf8).write(to: page)
    }
    #expect(
      expected == (try String(contentsOf: page, encoding: .utf8)),
      "docs/audit.md shows something else: write it anew with UPDATE_GOLDEN=1")
  }

  private func output(
    of line: Substring, _ ledger: TestLedger, _ steady: inout SteadyText
  ) throws -> String {
    let words = line.dropFirst("$ daybook ".count).split(separator: " ").map { word in
      let word = steady.original(String(word))
      return Self.written.contains(word) ? ledger.folder.path(word) : word
    }
    let outcome = try ledger.run(words)
    // Exit code 1 means that a check found something.
    #expect([0, 1].contains(outcome.status), "\(line): \(outcome.errors)")
    let said = outcome.output.replacing(ledger.folder.url.path + "/", with: "")
    return Self.replacingTimes(in: steady.replacing(said))
      .replacing(/sha256 [0-9a-f]{64}/) { _ in
        "sha256 7d0a3c5b1e9f42867b6f0c1d2e3a4b5968778695a4b3c2d1e0f9a8b7c6d5e4f3"
      }
      .replacing(/: [0-9]+ bytes,/, with: ": 1153 bytes,")
  }

  /// Puts in when the invented shop heard of its events, which the test records at one moment. A
  /// time follows the position of its event, for people and in JSON.
  private static func replacingTimes(in text: String) -> String {
    text.replacing(/([0-9]+)(  [0-9TZ:.\-]+  recorded )[0-9TZ:.\-]+/) {
      "\($0.output.1)\($0.output.2)\(time(at: $0.output.1))"
    }
    .replacing(/("position":)([0-9]+)(,"recordedAt":")[^"]*/) {
      "\($0.output.1)\($0.output.2)\($0.output.3)\(time(at: $0.output.2))"
    }
  }

  /// The ledger time of a position: eight events were heard of by the evening of April 2nd.
  private static func time(at position: Substring) -> String {
    (Int(position) ?? 0) <= 8 ? "2026-04-02T06:00:00Z" : "2026-04-03T06:00:00Z"
  }
}
