import Foundation
import LedgerHistories
import Testing

/// The consoles of `docs/proofs.md` are what the program says, but for what is another each time;
/// `UPDATE_GOLDEN=1 swift test --filter ProofPageTests` writes them anew.
@Suite("The page about proofs") struct ProofPageTests {
  /// What the page writes stands in a folder that goes with the test.
  private static let written = [
    "shop.key", "monday.checkpoint", "tuesday.checkpoint", "15.tlog-proof", "withheld.tlog-proof",
    "since-monday.consistency",
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

/// Stands samples in the place of keys, hashes, signatures and times, the same one for the same.
struct SteadyText {
  private var samples: [String: String] = [:]
  private var originals: [String: String] = [:]

  /// What was replaced by this sample, or the text itself.
  func original(_ sample: String) -> String {
    originals.reduce(sample) { $0.replacing($1.key, with: $1.value) }
  }

  mutating func replacing(_ text: String) -> String {
    var text = text.replacing(/"recordedAt":"[^"]*"/, with: #""recordedAt":"2026-02-01T12:00:00Z""#)
      .replacing(
        /root [0-9a-f]{64}/,
        with: "root 5d1c0a7e2b94f3861c5f0d9be27a4c8836fb19d2e05a7c4491b8e36d2f70ac15"
      )
      .replacing(/extra [A-Za-z0-9+\/=]+/, with: "extra eyJmb3JtYXQiOiJkYXlib29rL2V2ZW50QHYxIiwi…")
    text = replacing(in: text, /\+[0-9a-f]{8}\+[A-Za-z0-9+\/]{44}/) { _, number in
      "+\(Self.letters("0123456789abcdef", 8, number))+A\(Self.letters(Self.base64, 43, number))"
    }
    // Signatures are the longer ones.
    return replacing(in: text, /[A-Za-z0-9+\/]{91}=|[A-Za-z0-9+\/]{43}=/) { found, number in
      Self.letters(Self.base64, found.count - 1, number) + "="
    }
  }

  private mutating func replacing(
    in text: String, _ expression: Regex<Substring>, with sample: (String, Int) -> String
  ) -> String {
    var replaced = ""
    var rest = text[...]
    while let match = rest.firstMatch(of: expression) {
      replaced += rest[..<match.range.lowerBound]
      let found = String(match.output)
      let stands = samples[found] ?? sample(found, samples.count + 1)
      (samples[found], originals[stands]) = (stands, found)
      replaced += stands
      rest = rest[match.range.upperBound...]
    }
    return replaced + rest
  }

  private static let base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  /// As many letters as are wanted, others for each number.
  private static func letters(_ alphabet: String, _ count: Int, _ number: Int) -> String {
    let alphabet = Array(alphabet)
    var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
    return String(
      (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return alphabet[Int(state >> 33) % alphabet.count]
      })
  }
}
