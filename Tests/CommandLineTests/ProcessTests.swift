import Foundation
import Testing

/// The program as one process among others: killed, interrupted, concurrent, and with a slow pipe.
@Suite("Processes", .serialized) struct ProcessTests {
  private let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  private func write(_ text: String, to name: String) throws -> String {
    let path = ledger.folder.path(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("killed in the middle and run again, the log is as after one run") func killed() throws {
    let count = 60_000
    let file = try write(Sample.notes("note", count), to: "notes.jsonl")
    let process = try Program.process(["append", file], ledger: ledger.path)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Part of it must be in the log, but not everything.
    var positions = 0
    while process.isRunning && positions == 0 {
      positions = try ledger.run("events", "--reverse", "--limit", "1").lines.count
    }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    let left = Int(try ledger.run("events", "--count").lines.first ?? "") ?? -1
    #expect(left > 0 && left <= count)
    let again = try ledger.run("append", file, "--format", "json")
    #expect(again.status == 0)
    #expect(try again.object()["duplicates"] as? Int == left)
    #expect(try again.object()["appended"] as? Int == count - left)
    let other = try TestLedger()
    #expect(try other.run("append", file).status == 0)
    #expect(try other.events() == ledger.events())
    #expect(try ledger.run("verify").status == 0)
  }

  @Test("two processes append at the same time, each event once") func together() throws {
    let files = [
      try write(Sample.notes("one", 4_000) + Sample.notes("both", 1_000), to: "one.jsonl"),
      try write(Sample.notes("both", 1_000) + Sample.notes("two", 4_000), to: "two.jsonl"),
    ]
    let processes = try files.map { file in
      let process = try Program.process(["append", file], ledger: ledger.path)
      process.standardOutput = FileHandle.nullDevice
      return process
    }
    for process in processes { try process.run() }
    for process in processes {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    let ids = try ledger.events().map { $0.prefix { $0 != "," } }
    #expect(ids.count == 9_000)
    #expect(Set(ids).count == 9_000)
    #expect(try ledger.run("verify").status == 0)
  }

  @Test("a closed standard input is an empty one, and a folder is refused")
  func oddInput() throws {
    func append(_ redirection: String) throws -> Int32 {
      let process = try Program.process([], ledger: ledger.path)
      let program = try #require(process.executableURL).path
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "'\(program)' append - \(redirection)"]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus
    }
    #expect(try append("<&-") == 0)
    #expect(try append("< /") == 66)
    #expect(try append(">&- 2>&- < /dev/null") == 0)
    #expect(try ledger.run("verify").status == 0)
    #expect(try ledger.run("events", "--count").output == "0\n")
  }

  @Test("a line of a pipe is answered before the pipe ends") func slowPipe() throws {
    let conversation = try Conversation(["append", "-", "--format", "jsonl"], ledger)
    for number in 1...3 {
      try conversation.say(Sample.event("slow-\(number)"))
      let answer = try #require(conversation.line())
      #expect(answer.contains(#""position":\#(number),"status":"appended""#))
      // Acknowledged events are durable: another process sees them.
      #expect(try ledger.run("events", "--count").output == "\(number)\n")
    }
    #expect(try conversation.end() == 0)
  }

  @Test("lines that come steadily are answered, too") func steadyPipe() throws {
    let conversation = try Conversation(["append", "--format", "jsonl"], ledger)
    for number in 1...20 {
      try conversation.say(Sample.event("steady-\(number)"))
      Thread.sleep(forTimeInterval: 0.03)
    }
    #expect(conversation.line()?.contains(#""position":1,"#) == true)
    #expect(try conversation.end() == 0)
  }

  @Test("interrupted, it keeps and answers what it has read", arguments: [SIGINT, SIGTERM])
  func interrupted(_ signal: Int32) throws {
    let conversation = try Conversation(["append", "--format", "jsonl"], ledger)
    try conversation.say(Sample.event("first"))
    #expect(conversation.line() != nil)
    try conversation.say(Sample.event("second"))
    Thread.sleep(forTimeInterval: 0.02)
    kill(conversation.process.processIdentifier, signal)
    conversation.process.waitUntilExit()
    #expect(conversation.process.terminationReason == .exit)
    #expect(conversation.process.terminationStatus == 0)
    let answered = 1 + conversation.rest().count
    #expect(try ledger.run("events", "--count").output == "\(answered)\n")
  }

  @Test("following prints what others append") func follow() throws {
    _ = try ledger.run("append", input: Sample.event("a"))
    let conversation = try Conversation(["events", "--follow", "--limit", "3"], ledger)
    #expect(conversation.line()?.contains(#""id":"a""#) == true)
    for id in ["b", "c"] {
      _ = try ledger.run("append", input: Sample.event(id))
      #expect(conversation.line()?.contains(#""id":"\#(id)""#) == true)
    }
    conversation.process.waitUntilExit()
    #expect(conversation.process.terminationStatus == 0)
  }

  @Test("a reader that goes away ends the program quietly") func brokenPipe() throws {
    _ = try ledger.run("append", input: Sample.notes("note", 3_000))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let daybook = try Program.executable().path
    process.arguments = ["-c", "'\(daybook)' events --ledger '\(ledger.path)' | head -n 1"]
    let errors = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
  }
}

/// A running program whose standard input and output a test controls.
final class Conversation {
  let process: Process
  private let input = Pipe()
  private let output = Pipe()
  private var read: [UInt8] = []

  init(_ arguments: [String], _ ledger: TestLedger) throws {
    process = try Program.process(arguments, ledger: ledger.path)
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  func say(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Returns the next line; nil at the end.
  func line() -> String? {
    while true {
      if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
        defer { read.removeFirst(end + 1) }
        return String(decoding: read[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      read += more
    }
  }

  /// Returns all remaining lines.
  func rest() -> [String] {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    return lines
  }

  /// Closes the input and returns the exit code.
  func end() throws -> Int32 {
    try input.fileHandleForWriting.close()
    _ = rest()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
