import Foundation
import Testing
import TracedProcesses

/// Systems that start no thread, because their limit of processes is used up.
@Suite(
  "Where no thread can be started",
  .enabled(if: FewThreads.isPossible, "needs prlimit, and setpriv to limit root"))
struct NoThreadTests {
  private let folder: TemporaryFolder
  private let ledger: String
  private let user = FewThreads()

  init() throws {
    folder = try TemporaryFolder()
    ledger = folder.path("ledger")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o777], ofItemAtPath: folder.path(""))
    let made = try run(threads: nil, "init")
    try #require(made.status == 0, "\(made.errors)")
  }

  @Test("the limit holds: a shell cannot start another process") func control() throws {
    let script = ["/bin/sh", "-c", "/bin/true; exit 0"]
    #expect(try user.run(threads: nil, script).status == 0)
    #expect(try user.run(threads: 1, script).status != 0)
  }

  @Test("batches are appended and folded, small and large ones", arguments: [1, 2, 3])
  func append(threads: Int) throws {
    for (name, count) in [("few", 3), ("many", 30_000)] {
      try Data(Sample.notes(name, count).utf8).write(to: folder.file("\(name).jsonl"))
      let answer = try run(threads: threads, "append", folder.path("\(name).jsonl"))
      #expect(answer.status == 0, "\(answer.errors)")
      #expect(answer.output.contains("appended \(count), duplicates 0, rejected 0"))
    }
    let verified = try run(threads: threads, "verify")
    #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
    #expect(verified.output.contains("30003 events"))
    let stats = try run(threads: threads, "stats")
    #expect(stats.output.contains(/projections, position +30003/), "\(stats.output)")
  }

  @Test("an act is recorded") func act() throws {
    let answer = try run(
      threads: 1, "note", "ada", "hello", "--operator", "kim", "--new-account")
    #expect(answer.status == 0, "\(answer.errors)")
  }

  @Test("a backup, and a table for SQLite, are refused with the reason") func refused() throws {
    for words in [["backup", folder.path("copy")], ["export", folder.path("tables.sqlite")]] {
      let answer = try run(threads: 1, words + ["--operator", "kim"])
      #expect(answer.status == 74, "\(words[0]): \(answer.errors)")
      #expect(answer.errors.contains("can be started: raise the limit of processes"))
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
    #expect(left == ["ledger"])
  }

  private func run(threads: Int?, _ words: String...) throws -> ProcessEnding {
    try run(threads: threads, words)
  }

  private func run(threads: Int?, _ words: [String]) throws -> ProcessEnding {
    try user.run(
      threads: threads, [try Program.executable().path] + words + ["--ledger", ledger])
  }
}
