import Foundation
import Testing
import TracedProcesses

/// Ledgers in which somebody has put a pipe in the place of a file.
@Suite("A pipe in the place of a file of the ledger")
struct SpecialFileTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [Sample.purchase("t1", of: "ada")])
  }

  @Test("is refused with its name, and nobody waits for it", arguments: ["keys", "root"])
  func refused(name: String) throws {
    try putPipe(name)
    for words in [["customers"], ["verify"], ["note", "ada", "hello", "--operator", "kim"]] {
      let answer = try run(words)
      #expect(answer.status != 0 && answer.status != 137, "\(words[0]): \(answer.status)")
      #expect("\(answer.output)\(answer.errors)".contains("/\(name) is a pipe"), "\(words[0])")
    }
  }

  @Test("is refused in the place of the log") func log() throws {
    try putPipe("log/data.mdb")
    for words in [["customers"], ["verify"], ["note", "ada", "hello", "--operator", "kim"]] {
      let answer = try run(words)
      #expect(answer.status != 0 && answer.status != 137, "\(words[0]): \(answer.status)")
      #expect(answer.errors.contains("data.mdb is a pipe"), "\(words[0]): \(answer.errors)")
    }
  }

  private func putPipe(_ name: String) throws {
    let path = "\(ledger.path)/\(name)"
    try FileManager.default.removeItem(atPath: path)
    try #require(try TracedProcess.run("/usr/bin/mkfifo", [path]).status == 0)
  }

  /// Runs a command, and ends it if it waits.
  private func run(_ words: [String]) throws -> ProcessEnding {
    try TracedProcess.run(
      "/usr/bin/timeout",
      ["-s", "KILL", "30", try Program.executable().path] + words + ["--ledger", ledger.path])
  }
}
