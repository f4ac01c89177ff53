import Foundation
import Testing
import TracedProcesses

/// `daybook token`, as its users run it.
@Suite("Access tokens") struct TokenTests {
  private let ledger: TestLedger

  init() throws { ledger = try TestLedger(events: [Sample.purchase("t1", of: "ada")]) }

  private func create(_ words: String...) throws -> String {
    let made = try ledger.run(["token", "create"] + words)
    try #require(made.status == 0, "\(made.errors)")
    return try #require(made.lines.first)
  }

  private func names() throws -> [String] {
    let listed = try ledger.run("token", "list", "--format", "jsonl")
    try #require(listed.status == 0, "\(listed.errors)")
    return try listed.lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(object?["name"] as? String)
    }
  }

  private var file: URL { URL(filePath: ledger.path + "/service/tokens.json") }

  @Test("standard output has the token and nothing else, and standard error what to do with it")
  func create() throws {
    let made = try ledger.run("token", "create", "shop", "--scope", "append")
    #expect(made.status == 0)
    #expect(
      made.output.wholeMatch(of: /daybook_[a-z2-7]{8}_[A-Za-z0-9_-]{43}\n/) != nil, "\(made.output)"
    )
    #expect(made.errors.contains("it is not shown again"))
    #expect(made.errors.contains("`daybook token revoke shop`"))
    #expect(!made.errors.contains(made.output.dropLast()))
    // The help tells how to find tokens, and this is one.
    let help = try ledger.run("token", "create", "--help").output
    #expect(help.contains("daybook_[a-z2-7]{8}_[A-Za-z0-9_-]{43}"))
  }

  @Test("a shell gets the token into a variable") func shell() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c",
      #"T=$("$0" token create shop --scope read --ledger "$1" 2>/dev/null); printf '[%s]' "$T""#,
      try Program.executable().path, ledger.path,
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(said.wholeMatch(of: /\[daybook_[a-z2-7]{8}_[A-Za-z0-9_-]{43}\]/) != nil, "\(said)")
  }

  @Test("the list says what each token allows, in every format, and never its text or hash")
  func list() throws {
    #expect(try ledger.run("token", "list").output == "no tokens\n")
    #expect(try ledger.run("token", "list", "--format", "json").output == "[]\n")
    #expect(!FileManager.default.fileExists(atPath: ledger.path + "/service"))
    let texts = [
      try create("shop", "--scope", "append", "--app", "com.example.a", "--app", "com.example.b"),
      try create("support", "--scope", "operate", "--scope", "read", "--operator", "kim k"),
      try create("page", "--scope", "read", "--account", "ada", "--expires", "2999-01-01"),
    ]
    let json = try ledger.run("token", "list", "--format", "json")
    let objects = try json.objects()
    #expect(objects.map { $0["name"] as? String } == ["shop", "support", "page"])
    #expect(
      objects.map { $0["scopes"] as? [String] } == [["append"], ["read", "operate"], ["read"]])
    #expect(objects.map { $0["account"] as? String } == [nil, nil, "ada"])
    #expect(objects[0]["apps"] as? [String] == ["com.example.a", "com.example.b"])
    #expect(objects[1]["operator"] as? String == "kim k")
    #expect(objects[2]["expiresAt"] as? String == "2999-01-01T00:00:00Z")
    #expect(objects.allSatisfy { $0["state"] as? String == "valid" && $0["createdAt"] is String })
    let table = try ledger.run("token", "list")
    #expect(table.lines.count == 4)
    #expect(table.lines[1].contains("com.example.a, com.example.b"))
    #expect(table.lines[2].contains("read, operate") && table.lines[2].contains("every app"))
    let csv = try ledger.run("token", "list", "--format", "csv")
    #expect(
      csv.output.hasPrefix("name,scopes,account,apps,operator,createdAt,expiresAt,state\r\n"))
    let hashes = try String(contentsOf: file, encoding: .utf8).matches(of: /[0-9a-f]{64}/)
    #expect(hashes.count == 3)
    for answer in [json, table, csv, try ledger.run("token", "list", "--format", "jsonl")] {
      for text in texts { #expect(!answer.output.contains(text.suffix(43))) }
      for hash in hashes { #expect(!answer.output.contains(hash.output)) }
    }
  }

  @Test("an expired token is listed as such, and its name is taken until it is revoked")
  func expired() throws {
    _ = try create("shop", "--scope", "append")
    let text = try String(contentsOf: file, encoding: .utf8)
      .replacing(/"createdAt" : "[^"]*"/, with: "\"createdAt\" : \"2020-01-01T00:00:00Z\"")
      .replacing("\"expiresAt\" : null", with: "\"expiresAt\" : \"2020-01-02T00:00:00Z\"")
    try Data(text.utf8).write(to: file)
    #expect(try ledger.run("token", "list").lines[1].hasSuffix("expired"))
    let again = try ledger.run("token", "create", "shop", "--scope", "append")
    #expect(again.status == 73 && again.errors.contains("shop, which has expired"))
    #expect(try ledger.run("token", "revoke", "shop").output == "revoked shop\n")
    _ = try create("shop", "--scope", "append")
  }

  @Test("the answers of create and revoke come in every format") func formats() throws {
    let words = ["token", "create", "a", "--scope", "append", "--format"]
    let json = try ledger.run(words + ["json"])
    let object = try json.object()
    #expect((object["token"] as? String)?.hasPrefix("daybook_") == true)
    #expect(object["name"] as? String == "a" && object["scopes"] as? [String] == ["append"])
    let revoked = try ledger.run("token", "revoke", "a", "--format", "json")
    #expect(revoked.output == "{\"revoked\":\"a\"}\n")
    let csv = try ledger.run(words + ["csv"])
    #expect(csv.output.hasPrefix("token,name,scopes,account,apps,operator,createdAt,expiresAt\r\n"))
    #expect(csv.output.split(separator: "\r\n").count == 2)
    #expect(try ledger.run("token", "revoke", "a", "--format", "csv").output == "revoked\r\na\r\n")
  }

  @Test("a missing ledger, a name that is taken, an unknown name and a damaged file are told apart")
  func failures() throws {
    for words in [["create", "a", "--scope", "append"], ["list"], ["revoke", "a"]] {
      let missing = try Program.run(
        ["token"] + words, ledger: ledger.folder.path("missing"))
      #expect(missing.status == 66 && missing.output == "")
      #expect(missing.errors.contains("There is no ledger at"), "\(missing.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: ledger.folder.path("missing")))
    _ = try create("shop-server", "--scope", "append")
    let taken = try ledger.run("token", "create", "shop-server", "--scope", "read")
    #expect(taken.status == 73 && taken.output == "")
    let unknown = try ledger.run("token", "revoke", "shop-sever")
    #expect(unknown.status == 65 && unknown.errors.contains("did you mean shop-server?"))
    let good = try Data(contentsOf: file)
    for (text, words) in [("{", "is damaged"), ("{\"version\":7}", "is of version 7")] {
      try Data(text.utf8).write(to: file)
      for command in [["create", "a", "--scope", "append"], ["list"], ["revoke", "shop-server"]] {
        let refused = try ledger.run(["token"] + command)
        #expect(refused.status == 65 && refused.output == "", "\(command)")
        #expect(refused.errors.contains(words), "\(refused.errors)")
      }
      #expect(try Data(contentsOf: file) == Data(text.utf8))
    }
    try good.write(to: file)
    #expect(try names() == ["shop-server"])
  }

  @Test(
    "arguments that mean nothing or do not go together are refused with what was expected",
    arguments: [
      ("a", "Missing expected argument '--scope"), ("a --scope write", "one of 'append', 'read'"),
      ("--scope append", "Missing expected argument '<name>'"), ("a/b --scope append", "letters"),
      ("a --scope operate", "name one with --operator WHO."),
      ("a --scope admin", "name one with --operator WHO."),
      ("a --scope read --operator kim", "--operator needs --scope operate"),
      ("a --scope append --account ada", "can only read"),
      ("a --scope read --scope append --account ada", "can only read"),
      ("a --scope append --app com/x", "bundle id"),
      ("a --scope append --app x --app x", "named twice"),
      ("a --scope append --expires 2020-01-01", "expected"),
      ("a --scope append --expires soon", "expected"),
    ])
  func usage(_ words: String, _ hint: String) throws {
    let refused = try ledger.run(
      ["token", "create"] + words.split(separator: " ").map(String.init))
    #expect(refused.status == 64 && refused.output == "", "\(refused.errors)")
    #expect(refused.errors.contains(hint), "\(refused.errors)")
    #expect(refused.errors.contains("Usage: daybook token create "), "\(refused.errors)")
    #expect(refused.errors.contains("See 'daybook token create --help'"), "\(refused.errors)")
    #expect(!FileManager.default.fileExists(atPath: ledger.path + "/service"))
  }

  @Test("processes at the same time do not lose one another's tokens") func atOnce() throws {
    let processes = try (0..<8).map { number in
      let process = try Program.process(
        ["token", "create", "t\(number)", "--scope", "append"], ledger: ledger.path)
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      return process
    }
    for process in processes { try process.run() }
    for process in processes {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    #expect(try Set(names()) == Set((0..<8).map { "t\($0)" }))
  }

  @Test(
    "a kill at any call leaves the tokens from before or after the change, and the next one works",
    .enabled(if: TracedProcess.canTrace, "needs strace (apt-get install strace)"))
  func killed() throws {
    _ = try create("old", "--scope", "append")
    let program = try Program.executable().path
    func words(_ name: String) -> [String] {
      ["token", "create", name, "--scope", "append", "--ledger", ledger.path]
    }
    let trace = try CallTrace(
      program, words("traced"), about: ledger.path, in: ledger.folder.file("trace"))
    #expect(try ledger.run("token", "revoke", "traced").status == 0)
    var (before, after) = (0, 0)
    for call in ["openat", "flock", "write", "fsync", "close", "renameat", "unlinkat"] {
      for number in trace.ranges[call] ?? 1...1 {
        let name = "new-\(call)-\(number)"
        let ending = try TracedProcess.run(
          program, words(name), injecting: "signal=KILL", into: call, at: "\(number)")
        let there = try names()
        #expect(there == ["old"] || there == ["old", name], "\(there)")
        // A token that was printed is there.
        if ending.output.contains("daybook_") { #expect(there.contains(name)) }
        if there.contains(name) {
          after += 1
          #expect(try ledger.run("token", "revoke", name).status == 0)
        } else {
          before += 1
        }
      }
    }
    #expect(before > 0 && after > 0, "\(before) before the change, \(after) after it")
    _ = try create("last", "--scope", "append")
    #expect(try names() == ["old", "last"])
  }

  @Test(
    "the file is durable before it has its name, and its name before the token is printed",
    .enabled(if: TracedProcess.canTrace, "needs strace (apt-get install strace)"))
  func durable() throws {
    _ = try create("old", "--scope", "append")
    let traced = try TracedProcess.record(
      ["token", "create", "new", "--scope", "append", "--ledger", ledger.path],
      calls: ["write", "fsync", "renameat"], in: ledger.folder.path("trace"))
    #expect(traced.ending.status == 0, "\(traced.ending.errors)")
    let steps = traced.calls.compactMap { call -> String? in
      let name = String(call.prefix { $0 != "(" })
      if call.contains(".tokens.json.partial") { return "\(name) file" }
      if call.hasPrefix("fsync(") && call.contains("/service>") { return "fsync folder" }
      return call.hasPrefix("write(1<") ? "answer" : nil
    }
    #expect(
      steps == ["write file", "fsync file", "renameat file", "fsync folder", "answer"], "\(steps)")
    // A disk that fails loses nothing, and nobody is told a token that may not be there.
    for call in ["write", "fsync", "renameat"] {
      let failed = try TracedProcess.record(
        ["token", "create", call, "--scope", "append", "--ledger", ledger.path],
        calls: ["write", "fsync", "renameat"], injecting: "\(call):error=EIO:when=1",
        in: ledger.folder.path("trace"))
      #expect(failed.ending.status == 74 && failed.ending.output == "", "\(failed.ending)")
    }
    #expect(try names() == ["old", "new"])
  }

  @Test(
    "a token that could not be printed is revoked again",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: ["table", "json", "csv"])
  func unread(_ format: String) throws {
    let process = try Program.process(
      ["token", "create", "shop", "--scope", "append", "--format", format], ledger: ledger.path)
    let errors = Pipe()
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    process.standardOutput = full
    process.standardError = errors
    try process.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 74)
    #expect(said.contains("nobody could read the token, so it was revoked"), "\(said)")
    #expect(try names() == [])
  }

  @Test("no other command is disturbed by the tokens, and no copy of the ledger has them")
  func others() throws {
    let before = try ledger.run("stats", "--format", "json").output
    let text = try create("quaestor", "--scope", "append")
    #expect(try ledger.run("stats", "--format", "json").output == before)
    #expect(try ledger.run("verify").status == 0)
    let tokens = try Data(contentsOf: file)
    for words in [
      ["rebuild"], ["append"], ["init", ledger.path],
      [
        "backup", ledger.folder.path("copy"), "--keys", ledger.folder.path("keys"), "--operator",
        "k",
      ],
      ["salvage", ledger.path, "--into", ledger.folder.path("saved")],
      [
        "restore", ledger.folder.path("copy"), "--keys", ledger.folder.path("keys"), "--ledger",
        ledger.folder.path("restored"),
      ],
    ] {
      let done = try ledger.run(words)
      #expect(done.status == 0 || words[0] == "init" && done.status == 73, "\(done.errors)")
      #expect(try Data(contentsOf: file) == tokens, "\(words)")
    }
    let id = text.dropFirst(8).prefix(8)
    for copy in ["copy", "saved", "restored"] {
      let url = ledger.folder.file(copy)
      let found = try #require(
        FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil))
      for case let entry as URL in found {
        #expect(entry.lastPathComponent != "service" && entry.lastPathComponent != "tokens.json")
        guard try entry.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
          continue
        }
        #expect(try Data(contentsOf: entry).range(of: Data(id.utf8)) == nil, "\(entry.path)")
      }
    }
    // Their owners ask the copies in vain, and what is written there does not reach this ledger.
    for copy in ["saved", "restored"] {
      let listed = try Program.run(["token", "list"], ledger: ledger.folder.path(copy))
      #expect(listed.status == 0 && listed.output == "no tokens\n", "\(listed.errors)")
    }
    // Nothing about tokens is recorded, and no command writes its file among them.
    #expect(!(try ledger.run("events").output.contains("quaestor")))
    let refused = try ledger.run(
      "events", "--out", ledger.path + "/service/events.jsonl", "--format", "jsonl")
    #expect(refused.status != 0)
    #expect(try names() == ["quaestor"])
  }
}
