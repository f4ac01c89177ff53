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

  /// Starts an append from standard input, lets it read all of `text`, and ends it with SIGTERM.
  private func stopped(_ arguments: [String], after text: String) throws -> Process {
    let process = try Program.process(["append", "-"] + arguments, ledger: ledger.path)
    let (input, errors) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    // Of its own, because running a process closes the child's end of the pipe here.
    let reading = dup(input.fileHandleForReading.fileDescriptor)
    defer { close(reading) }
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    var waiting: CInt = 1
    while waiting > 0, process.isRunning {
      try #require(unsafe ioctl(reading, UInt(FIONREAD), &waiting) == 0)
    }
    process.terminate()
    process.waitUntilExit()
    try input.fileHandleForWriting.close()
    return process
  }

  @Test("interrupted in a stream, it appends all that it has taken out of the pipe")
  func stream() throws {
    let notes = 20_000
    for _ in 0..<50 {
      let process = try stopped([], after: Sample.notes("part", notes))
      if process.terminationReason != .exit { continue }
      #expect(process.terminationStatus == 0)
      let count = try appended()
      #expect(count == notes)
      return
    }
    Issue.record("the program was ended each time before it listened to signals")
  }

  @Test("interrupted in a stream with a condition, it appends nothing of it") func condition()
    throws
  {
    // A signal that comes before the program listens ends it at once, which shows nothing.
    for _ in 0..<50 {
      let process = try stopped(
        ["--expect", "0", "--account", "ada"], after: Sample.notes("part", 5))
      if process.terminationReason != .exit { continue }
      #expect(process.terminationStatus == 75)
      #expect(try appended() == 0)
      return
    }
    Issue.record("the program was ended each time before it listened to signals")
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
