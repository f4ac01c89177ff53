import Foundation
import Testing

/// Appends of files that end early. They report this, and where.
@Suite("append, stopped", .serialized) struct AppendStoppedTests {
  private let ledger: TestLedger
  private let input: String
  private let count = 60_000

  init() throws {
    ledger = try TestLedger()
    input = ledger.folder.path("notes.jsonl")
    try Data(Sample.notes("note", count).utf8).write(to: URL(filePath: input))
  }

  /// Returns the line at which the program says it stopped.
  private func line(_ errors: String) throws -> Int {
    let match = try #require(
      errors.firstMatch(of: /notes\.jsonl: stopped at line ([0-9]+): .*run it again.*/), "\(errors)"
    )
    #expect(errors.contains("nothing is doubled"))
    return try #require(Int(match.1))
  }

  /// Runs `append` in a shell that limits it. Returns its status and its error output.
  private func run(_ before: String, _ started: (Process) throws -> Void = { _ in }) throws -> (
    status: Int32, errors: String
  ) {
    let process = try Program.process([], ledger: ledger.path)
    let program = try #require(process.executableURL).path
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "\(before) exec '\(program)' append '\(input)'"]
    let errors = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    try started(process)
    let said = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationReason == .exit)
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
  }

  private func appended() throws -> Int {
    try #require(Int(try ledger.run("events", "--count").lines.first ?? ""))
  }

  @Test("interrupted in a file, it keeps what it has read and says to run it again")
  func interrupted() throws {
    let (status, errors) = try run("") { process in
      while process.isRunning, try appended() == 0 {}
      kill(process.processIdentifier, SIGTERM)
    }
    #expect(status == 75)
    let line = try line(errors)
    #expect(line > 0 && line < count)
    #expect(try appended() == line)
    #expect(try ledger.run("append", input).status == 0)
    #expect(try appended() == count)
  }

  @Test("on a full disk it says where it stopped and to run it again") func full() throws {
    let (status, errors) = try run("trap '' XFSZ; ulimit -f 20000;")
    #expect(status == 74)
    let line = try line(errors)
    #expect(try appended() == line - 1)
    #expect(try ledger.run("append", input).status == 0)
    #expect(try appended() == count)
  }
}
