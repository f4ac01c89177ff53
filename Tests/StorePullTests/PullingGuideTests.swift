import Foundation
import SignedDataSamples
import Testing
import TracedProcesses

/// Compares the console blocks of `docs/pulling.md` with the output of the programs, run in order
/// on one ledger against the fake store. `UPDATE_GOLDEN=1 swift test --filter PullingGuideTests`
/// updates them.
@Suite("The guide to pulling") struct PullingGuideTests {
  @Test("shows the programs' output") func consoles() throws {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let page = "/\(root)/docs/pulling.md"
    let text = try String(contentsOfFile: page, encoding: .utf8)
    let program = try PullProgram()
    let purchases =
      try [1, 2].map { try program.transaction($0) }
      + [program.transaction(3, account: nil)]
    program.store.change { $0.history = ["2000000001": purchases, "2000000003": []] }
    let notifications = try (1...3).map { try program.notification($0 + 3) }
    program.store.change { $0.notifications = notifications }
    let first = try program.run(
      try TracedProcess.executable("daybook"),
      [
        "import", "notification", try program.file("one.jws", notifications[0]), "--app",
        SigningSamples.bundleID, "--app-apple-id", "\(SigningSamples.appAppleID)", "--root",
        program.folder.appending(path: "root.cer").path, "--ledger", program.ledger,
      ])
    #expect(first.status == 0, "\(first.errors)")
    var shown: [String] = []
    var isConsole = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line == "```console" || line == "```" { isConsole = line == "```console" }
      if !isConsole || line == "```console" {
        shown.append(line)
      } else if line.hasPrefix("$ daybook ") {
        shown.append(line)
        shown += try output(of: line, program)
      }
    }
    let expected = shown.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(expected.utf8).write(to: URL(fileURLWithPath: page))
    }
    let there = try String(contentsOfFile: page, encoding: .utf8)
    #expect(expected == there, "docs/pulling.md shows something else: UPDATE_GOLDEN=1")
  }

  private func output(of line: String, _ program: PullProgram) throws -> [String] {
    var words = line.split(separator: " ").dropFirst(2).map(String.init)
    if words[0] == "pull" {
      // The options that point at the fake store, and the tests' root. The app is on the page.
      words += program.storeWords(importing: words[1] != "set-token").dropFirst(2)
    } else {
      words += ["--ledger", program.ledger]
    }
    let answer = try program.run(try TracedProcess.executable("daybook"), words)
    #expect([0, 1].contains(answer.status), "\(line): \(answer.errors)")
    return answer.output.split(separator: "\n").map(String.init)
  }
}
