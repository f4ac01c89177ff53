import Foundation
import Testing

/// Standard output that cannot be written: a full disk, a closed pipe, a slow reader.
@Suite("Output that does not arrive") struct LostOutputTests {
  private let ledger: TestLedger
  private var input: String { ledger.folder.path("notes.jsonl") }

  init() throws {
    ledger = try TestLedger(events: [
      Sample.purchase("t1", of: "ada"),
      Sample.event("f1", "transaction.finished", at: 3, #","transaction":"t1""#),
      Sample.event("f2", "transaction.finished", at: 4, #","transaction":"t1""#),
    ])
    try Data("{\"id\":1}\n".utf8).write(to: ledger.folder.file("bad.jsonl"))
  }

  /// Runs a command whose standard output is `output`. Returns its status and its error output.
  private func run(
    _ arguments: [String], into output: FileHandle
  ) throws -> (status: Int32, errors: String) {
    let process = try Program.process(arguments, ledger: ledger.path)
    let errors = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let said = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationReason == .exit)
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
  }

  private func runUnread(_ arguments: String...) throws -> (status: Int32, errors: String) {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    return try run(arguments, into: pipe.fileHandleForWriting)
  }

  @Test(
    "an answer that a full disk cuts short is an error that says so, whatever it would have been",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: [
      ["events"], ["events", "--format", "json"], ["findings", "--fail-on", "warning"], ["verify"],
      ["append", "bad.jsonl", "--format", "json"], ["stats"], ["--help"], ["events", "--help"],
      ["--generate-completion-script", "bash"],
    ])
  func fullDisk(_ arguments: [String]) throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let named = arguments.map { $0 == "bad.jsonl" ? ledger.folder.path($0) : $0 }
    let answer = try run(named, into: full)
    #expect(answer.status == 74)
    #expect(answer.errors.contains("standard output cannot be written: No space left on device"))
  }

  @Test("a check whose reader has gone still says what it found, and nothing else") func check()
    throws
  {
    let found = try runUnread("findings", "--fail-on", "warning")
    #expect(found.status == 1)
    #expect(found.errors.isEmpty)
    #expect(try runUnread("append", ledger.folder.path("bad.jsonl")).status == 65)
    let events = try runUnread("events")
    #expect(events.status == 0)
    #expect(events.errors.isEmpty)
  }

  @Test("what was asked for is done whether its summary is read or not") func done() throws {
    try Data(Sample.notes("note", 12_000).utf8).write(to: URL(filePath: input))
    #expect(try runUnread("append", input).status == 0)
    #expect(try ledger.run("events", "--count").output == "12003\n")
  }

  @Test("lines are not read on where nobody hears what became of them") func answers() throws {
    try Data(Sample.notes("note", 40_000).utf8).write(to: URL(filePath: input))
    let stopped = try runUnread("append", input, "--format", "jsonl")
    #expect(stopped.status == 74)
    #expect(stopped.errors.contains("run it again"))
    let count = try #require(Int(try ledger.run("events", "--count").lines.first ?? ""))
    #expect(count > 3 && count < 40_003)
    #expect(try ledger.run("append", input).status == 0)
    #expect(try ledger.run("events", "--count").output == "40003\n")
  }

  @Test("a slow reader of a pipe that does not block gets the whole answer") func slow() throws {
    #expect(try ledger.run("append", input: Sample.notes("note", 4_000)).status == 0)
    let pipe = Pipe()
    let number = pipe.fileHandleForWriting.fileDescriptor
    #expect(fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) == 0)
    let process = try Program.process(["events"], ledger: ledger.path)
    process.standardOutput = pipe
    try process.run()
    // A pipe holds 64 KiB, and the answer is longer. If the program takes longer than this to fill
    // it, the test checks less but still passes.
    Thread.sleep(forTimeInterval: 0.3)
    let answer = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(answer.count { $0 == UInt8(ascii: "\n") } == 4_003)
  }
}
