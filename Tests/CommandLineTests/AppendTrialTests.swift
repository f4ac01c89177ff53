import Foundation
import Testing

@Suite("append --dry-run") struct AppendTrialTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    _ = try ledger.run("append", input: Sample.notes("old", 2))
  }

  @Test("it says what an append would say, and writes nothing") func agrees() throws {
    let lines = [
      Sample.event("old-0"), Sample.event("new"), Sample.event("new"),
      Sample.event("new", at: 7), Sample.event("old-1", at: 900), #"{"id":"x"}"#,
      Sample.event("odd", "weather.changed"),
      Sample.event("warn", "session.started", #","data":{"appversion":"1"}"#),
    ].joined(separator: "\n")
    let arguments = ["append", "--on-error", "skip", "--format", "json"]
    let before = try ledger.events()
    let trial = try ledger.run(arguments + ["--dry-run"], input: lines)
    #expect(try ledger.events() == before)
    let real = try ledger.run(arguments, input: lines)
    #expect(trial.status == real.status)
    let (said, done) = (try trial.object(), try real.object())
    #expect(said["dryRun"] as? Bool == true)
    for name in ["appended", "duplicates", "rejected", "unknownTypes"] {
      #expect(said[name] as? Int == done[name] as? Int, "\(name)")
    }
    #expect(said["firstPosition"] is NSNull)
    let errorLines = { (answer: [String: Any]) in
      (answer["errors"] as? [[String: Any]])?.map { $0["line"] as? Int }
    }
    #expect(errorLines(said) == errorLines(done))
    // One for the unknown type, and one for the misspelled field.
    #expect((said["warnings"] as? [Any])?.count == 2)
    #expect((done["warnings"] as? [Any])?.count == 2)
  }

  @Test("people and streams are told apart what would be") func formats() throws {
    let table = try ledger.run("append", "--dry-run", input: Sample.notes("old", 3))
    #expect(
      table.output == "would append 1, duplicates 2, rejected 0; nothing was written\n",
      "\(table.errors)")
    let lines = try ledger.run(
      "append", "--dry-run", "--format", "jsonl", input: Sample.notes("old", 3)
    ).lines
    #expect(lines.map { $0.contains("duplicate") } == [true, true, false])
    #expect(lines.last?.contains(#""position":null,"status":"accepted""#) == true)
  }

  @Test("it makes no ledger, and needs none") func withoutLedger() throws {
    let folder = try TemporaryFolder()
    let process = try Program.process(["append", "--dry-run"])
    process.currentDirectoryURL = folder.url
    let input = Pipe()
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(Sample.event("a").utf8))
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test("a condition is not judged without an append") func condition() throws {
    let answer = try ledger.run("append", "--dry-run", "--expect", "1", "--account", "ada")
    #expect(answer.status == 64)
  }
}
