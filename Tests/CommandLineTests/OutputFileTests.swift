import Foundation
import Testing

/// Files that commands write: existing ones are kept, and nobody else can read them.
@Suite("Files that commands write") struct OutputFileTests {
  private let ledger: TestLedger
  private var key: String { path("book.key") }

  /// Commands that write a file, with `OUT` in place of its name.
  static let writers = [
    ["checkpoint", "--key", "KEY", "--out", "OUT"],
    ["prove", "1", "--key", "KEY", "--out", "OUT"],
    ["prove", "--from", "1", "--key", "KEY", "--out", "OUT"],
    ["append", "IN", "--on-error", "skip", "--rejects", "OUT"],
    ["rebuild", "--check", "--report", "OUT"],
    ["replay", "--account", "ada", "--html", "OUT"],
    ["export", "OUT", "--format", "jsonl"],
    ["export", "OUT", "--bundle", "--account", "ada", "--key", "KEY"],
  ]

  init() throws {
    ledger = try TestLedger(events: [Sample.purchase("t1", of: "ada")])
    let made = try ledger.run(
      "key", "new", "--name", "a.example/b", "--out", ledger.folder.path("book.key"))
    try #require(made.status == 0, "\(made.errors)")
    try Data("{\"id\":1}\n".utf8).write(to: ledger.folder.file("in.jsonl"))
  }

  private func path(_ name: String) -> String { ledger.folder.path(name) }

  private func run(_ arguments: [String], out: String, _ more: String...) throws -> Outcome {
    try ledger.run(
      arguments.map { ["OUT": out, "KEY": key, "IN": path("in.jsonl")][$0] ?? $0 } + more)
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  /// For the file with the bad line, `append` exits with 65.
  private func isGood(_ outcome: Outcome) -> Bool { [0, 65].contains(outcome.status) }

  private func leavesNothing() throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: ledger.folder.url.path)
      .allSatisfy { !$0.hasSuffix(".partial") }
  }

  @Test("what a killed process has left of a file is removed by the next export beside it")
  func abandoned() throws {
    // A number that no process can have, and that of this one, which is alive.
    let dead = ".monday.csv.999999999.daybook.partial"
    let own = ".tuesday.csv.\(ProcessInfo.processInfo.processIdentifier).daybook.partial"
    for name in [dead, own, ".somebody.999999999.partial"] {
      try Data("ada".utf8).write(to: ledger.folder.file(name))
    }
    #expect(try ledger.run("export", path("out.jsonl"), "--format", "jsonl").status == 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: ledger.folder.url.path)
    #expect(
      left.filter { $0.hasSuffix("partial") }.sorted() == [".somebody.999999999.partial", own])
  }

  /// Runs a system tool that creates something other than a regular file. Returns whether it
  /// succeeded.
  private func makes(_ tool: String...) throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = tool
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test("a file that is there is kept, unless it is to be replaced", arguments: writers)
  func existing(_ arguments: [String]) throws {
    let out = path("mine")
    try Data("mine".utf8).write(to: URL(filePath: out))
    let before = try ledger.run("events", "--count").output
    let refused = try run(arguments, out: out)
    #expect(refused.status == 73)
    #expect(refused.errors.contains(out) && refused.errors.contains("--force"))
    #expect(try text(out) == "mine")
    #expect(try ledger.run("events", "--count").output == before)
    let forced = try run(arguments, out: out, "--force")
    #expect(isGood(forced), "\(forced.errors)")
    #expect(try text(out) != "mine")
    #expect(try leavesNothing())
  }

  @Test("what is made is its owner's alone", arguments: writers)
  func rights(_ arguments: [String]) throws {
    let out = path("new")
    let made = try run(arguments, out: out)
    #expect(isGood(made), "\(made.errors)")
    let mode = try FileManager.default.attributesOfItem(atPath: out)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("nothing is written into the ledger's folder, by whatever way", arguments: writers)
  func ledgerFolder(_ arguments: [String]) throws {
    let before = try ledger.run("events", "--count").output
    let link = path("link")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: ledger.path + "/log/data.mdb")
    let folder = path("folder")
    try FileManager.default.createSymbolicLink(
      atPath: folder, withDestinationPath: ledger.path + "/log")
    var paths = [ledger.path + "/new", link]
    // All commands write files in the same way, so only one of them tries every kind.
    if arguments == Self.writers[0] {
      paths += [
        ledger.path + "/keys", ledger.path + "/log/data.mdb", folder + "/new",
        ledger.path + "/log/../new",
      ]
    }
    for destination in paths {
      let refused = try run(arguments, out: destination, "--force")
      #expect(refused.status == 73, "\(destination)")
      #expect(refused.errors.contains("folder of the ledger"), "\(refused.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: ledger.path + "/new"))
    #expect(try ledger.run("events", "--count").output == before)
    #expect(try ledger.run("verify").status == 0)
  }

  @Test("a pipe is written through, and stays one", arguments: writers)
  func pipes(_ arguments: [String]) throws {
    let out = path("pipe")
    try #require(try makes("mkfifo", out))
    // Opened for reading and writing, so that neither side waits for the other.
    let reader = try #require(FileHandle(forUpdatingAtPath: out))
    // Read concurrently, because a pipe holds less than a replay's page.
    let received = DispatchSemaphore(value: 0)
    reader.readabilityHandler = { if !$0.availableData.isEmpty { received.signal() } }
    defer { reader.readabilityHandler = nil }
    let made = try run(arguments, out: out)
    #expect(isGood(made), "\(made.errors)")
    let type = try FileManager.default.attributesOfItem(atPath: out)[.type] as? FileAttributeType
    #expect(type == .typeUnknown || type == nil)
    #expect(received.wait(timeout: .now() + .seconds(60)) == .success)
    #expect(try leavesNothing())
  }

  @Test("a device is written through and never replaced: a full one is said by its name")
  func devices() throws {
    let out = path("full")
    let isNode = try makes("mknod", out, "c", "1", "7")
    // Only root can create a device, and not everywhere. The pipe has been tested in any case.
    guard isNode, FileHandle(forWritingAtPath: out) != nil else { return }
    for arguments in Self.writers {
      for more in [[], ["--force"]] {
        let answer = try run(arguments + more, out: out)
        #expect(answer.status == 74, "\(arguments)")
        #expect(answer.errors.contains("\(out) cannot be written"), "\(answer.errors)")
      }
      let type = try FileManager.default.attributesOfItem(atPath: out)[.type]
      #expect(type as? FileAttributeType == .typeCharacterSpecial)
    }
  }

  @Test("a link stays a link") func links() throws {
    let out = path("target")
    try Data("mine".utf8).write(to: URL(filePath: out))
    try FileManager.default.createSymbolicLink(atPath: path("to"), withDestinationPath: out)
    let arguments = ["export", path("to"), "--format", "jsonl"]
    #expect(try ledger.run(arguments).status == 73)
    #expect(try ledger.run(arguments + ["--force"]).status == 0)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("to")) == out)
    #expect(try text(out) != "mine")
  }

  @Test("what a command reads is not lost to what it writes, even with --force") func inputs()
    throws
  {
    let secret = try text(key)
    for arguments in [Self.writers[0], Self.writers[1], Self.writers[2], Self.writers[7]] {
      #expect(try run(arguments, out: key, "--force").status == 73)
      #expect(try text(key) == secret)
    }
    let input = path("in.jsonl")
    #expect(try run(Self.writers[3], out: input, "--force").status == 73)
    #expect(try text(input) == "{\"id\":1}\n")
    let trace = path("trace.jsonl")
    try Data(Sample.event("a").utf8).write(to: URL(filePath: trace))
    #expect(try ledger.run("replay", trace, "--html", trace, "--force").status == 73)
    #expect(try text(trace) == Sample.event("a"))
  }

  @Test("what cannot be made there is said by its name", arguments: writers)
  func nowhere(_ arguments: [String]) throws {
    let before = try ledger.run("events", "--count").output
    let long = path(String(repeating: "n", count: 256))
    for out in [path("missing/x"), ledger.folder.url.path, long] {
      let answer = try run(arguments, out: out)
      #expect(answer.status == 73, "\(out)")
      #expect(answer.errors.contains(out), "\(answer.errors)")
    }
    #expect(try run(arguments, out: long).errors.contains("File name too long"))
    #expect(try ledger.run("events", "--count").output == before)
    let longest = path(String(repeating: "n", count: 255))
    #expect(isGood(try run(arguments, out: longest)))
  }

  @Test("a full disk leaves no key that is none") func keyOnFullDisk() throws {
    let out = path("other.key")
    let process = try Program.process([])
    let program = try #require(process.executableURL).path
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c",
      "trap '' XFSZ; ulimit -f 0; exec '\(program)' key new --name a.example/b --out '\(out)'",
    ]
    process.currentDirectoryURL = ledger.folder.url
    process.environment?["DAYBOOK_LEDGER"] = nil
    let errors = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let said = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 73)
    #expect(String(decoding: said, as: UTF8.self).contains("\(out) cannot be written"))
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  @Test("a key is not made in the ledger's folder") func keyInLedger() throws {
    let made = try ledger.run(
      "key", "new", "--name", "a.example/b", "--out", ledger.path + "/a.key")
    #expect(made.status == 73)
    #expect(!FileManager.default.fileExists(atPath: ledger.path + "/a.key"))
  }
}
