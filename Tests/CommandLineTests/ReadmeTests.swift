import Foundation
import LedgerHistories
import Testing

/// Compares the README's first screen with the output of the program.
/// `UPDATE_GOLDEN=1 swift test --filter ReadmeTests` updates it.
@Suite("The README") struct ReadmeTests {
  private static let customer = "87e41ba5-a8ff-4e59-ad18-f729a2f6eb07"

  @Test("its sample is the program's output")
  func sample() throws {
    let root = try #require(packageRoot())
    let readme = root.appending(path: "README.md")
    let text = try String(contentsOf: readme, encoding: .utf8)
    let ledger = try TestLedger()
    var said = ""
    for command in [
      "append Tools/samples/incidents/copied-too-late.jsonl",
      "entitlements \(Self.customer) --at 2023-07-01T00:00:00Z",
      "findings",
    ] {
      let answer = try ledger.run(command.split(separator: " ").map(String.init))
      #expect(answer.status == 0, "\(command): \(answer.errors)")
      said += "$ daybook \(command)\n\(answer.output)"
    }
    let begin = "<!-- sample: quickstart -->\n"
    let start = try #require(text.range(of: begin))
    let stop = try #require(
      text.range(of: "<!-- end of sample -->", range: start.upperBound..<text.endIndex))
    let shown = text.replacingCharacters(
      in: start.upperBound..<stop.lowerBound, with: "```console\n\(said)```\n")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(shown.utf8).write(to: readme)
    }
    #expect(
      shown == (try String(contentsOf: readme, encoding: .utf8)),
      "README.md shows something else: write it anew with UPDATE_GOLDEN=1")
  }
}
