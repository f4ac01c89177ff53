import Foundation
import Testing
import TracedProcesses

@Suite("Wrong input") struct WrongInputTests {
  @Test("an unknown option is a usage error") func unknownOption() throws {
    let answer = try Program.run(["events", "--acount", "ada"])
    #expect(answer.status == 64)
    #expect(answer.errors.contains("--acount"))
  }

  @Test(
    "control characters of a name do not reach the terminal",
    arguments: [
      ["events", "--ledger", "no\u{1B}[31mthing"], ["events", "--no\u{1B}]0;title\u{7}"],
      ["ev\u{1B}[2Jents"], ["export", "no\u{1B}where/x.csv"], ["backup", "no\r\u{1B}where/x"],
      ["append", "no\u{9B}file"], ["stats", "--format", "\u{1B}[8m"],
    ])
  func controlCharacters(_ arguments: [String]) throws {
    let ledger = try TestLedger()
    let answer = try ledger.run(arguments)
    #expect(answer.status != 0)
    #expect(!answer.errors.isEmpty)
    let controls = (answer.output + answer.errors).unicodeScalars.filter {
      $0.properties.generalCategory == .control && $0 != "\n"
    }
    #expect(controls.isEmpty, "\(answer.errors.debugDescription)")
  }

  @Test(
    "bytes that are not UTF-8 are refused, and never read as another name",
    arguments: [
      (#"note "$(printf 'al\351')" x --new-account --operator kim"#, #"al\xe9"#),
      (#"erase "$(printf 'al\350')" --reason r --yes --operator kim"#, #"al\xe8"#),
      (#"backup "$(printf 'b\377')""#, #"b\xff"#),
      (#"append "$(printf 'caf\351.jsonl')""#, #"caf\xe9.jsonl"#),
    ])
  func notText(_ words: String, _ shown: String) throws {
    let ledger = try TestLedger()
    let answer = try shell("exec \"$DAYBOOK\" --ledger \"$L\" " + words, ledger.path)
    #expect(answer.status == 64)
    #expect(answer.errors.contains("daybook: argument 4 is not in UTF-8: \(shown). "))
    #expect(answer.output.isEmpty)
    #expect(try ledger.events().isEmpty)
  }

  @Test(
    "a variable that is not UTF-8 is refused", arguments: ["DAYBOOK_OPERATOR", "DAYBOOK_LEDGER"])
  func variableIsNotText(_ name: String) throws {
    let ledger = try TestLedger()
    let answer = try shell(
      #"\#(name)="$(printf 'k\351m')"; export \#(name); exec "$DAYBOOK" note ada x --ledger "$L""#,
      ledger.path)
    #expect(answer.status == 64)
    #expect(answer.errors.contains(#"a variable is not in UTF-8: \#(name)=k\xe9m. "#))
    #expect(try ledger.events().isEmpty)
  }

  /// Runs a command of the shell: `Process` passes on nothing but UTF-8.
  private func shell(_ script: String, _ ledger: String) throws -> ProcessEnding {
    let program = try Program.executable().path
    return try TracedProcess.run(
      "/usr/bin/env", ["DAYBOOK=\(program)", "L=\(ledger)", "/bin/sh", "-c", script])
  }

  @Test(
    "an empty path is no ledger's",
    arguments: [["stats", "--ledger", ""], ["--ledger=", "stats"], ["init", ""]])
  func emptyPath(_ arguments: [String]) throws {
    let answer = try Program.run(arguments)
    #expect(answer.status == 64)
    #expect(answer.errors.contains("empty") || answer.errors.contains("Missing value"))
    #expect(!answer.errors.contains("daybook init `"))
  }

  @Test("init leaves a folder alone that has a root or is an incremental backup")
  func initBesideOthers() throws {
    let folder = try TemporaryFolder()
    for (path, name) in [("q", "root/x"), ("r", "log/increment")] {
      let file = folder.file("\(path)/\(name)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: file)
      let answer = try Program.run(["init", folder.path(path)])
      #expect(answer.status == 73, "\(answer.errors)")
      #expect(answer.errors.contains(path == "r" ? "is an incremental backup" : "q/root"))
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("q/log")))
  }

  @Test("an unknown command is a usage error") func unknownCommand() throws {
    #expect(try Program.run(["evnts"]).status == 64)
  }

  @Test(
    "a missing ledger is said with what to do",
    arguments: [
      ["append"], ["events"], ["entitlements", "ada"], ["holders", "map"], ["installed", "ada"],
      ["transactions", "ada"], ["findings"], ["rebuild"], ["verify"], ["stats"],
      ["import", "storekit-config", "Tools/samples/sample.storekit"],
      ["replay", "--account", "ada"], ["explain", "ada", "map"], ["diff", "--from", "0"],
      ["grant", "ada", "--entitlement", "pro", "--operator", "kim", "--reason", "x"],
      ["note", "ada", "called", "--operator", "kim"], ["catalog"],
      ["catalog", "set", "Tools/samples/catalogue.json"], ["content", "updates"],
      ["content", "publish", "--product", "map", "--version", "1.0"],
      [
        "content", "install", "Tools/samples/atlas", "--into", "nowhere", "--account", "ada",
        "--device", "phone",
      ],
    ])
  func missingLedger(_ arguments: [String]) throws {
    let folder = try TemporaryFolder()
    let answer = try Program.run(arguments, ledger: folder.path("none"))
    #expect(answer.status == 66)
    #expect(answer.errors.contains("daybook init"))
    #expect(answer.output.isEmpty)
  }

  #if os(Linux)
    @Test("a file that the system does not read is named with the system's reason")
    func unreadable() throws {
      let ledger = try TestLedger()
      for arguments in [
        ["append", "/proc/self/mem"], ["catalog", "set", "/proc/self/mem"],
        ["import", "verify-receipt", "/proc/self/mem", "--account", "ada"],
      ] {
        let answer = try ledger.run(arguments)
        #expect(answer.status == 74)
        let reasons = ["Input/output error", "Invalid argument"]
        #expect(
          reasons.contains { answer.errors.contains("/proc/self/mem cannot be read: \($0)") })
      }
    }
  #endif

  @Test("a second ledger at one path is refused") func secondLedger() throws {
    let ledger = try TestLedger()
    #expect(try ledger.run("init").status == 73)
  }

  @Test("a missing file is named, and nothing is appended") func missingFile() throws {
    let ledger = try TestLedger()
    let answer = try ledger.run("append", "Tools/samples/sample.jsonl", "no-such-file.jsonl")
    #expect(answer.status == 66)
    let second = try ledger.run("append", "README.md", "no-such-file.jsonl")
    #expect(second.status == 66)
    #expect(second.errors.contains("no-such-file.jsonl"))
    #expect(try ledger.events().isEmpty)
  }

  @Test("a folder is no file") func folder() throws {
    let ledger = try TestLedger()
    #expect(try ledger.run("append", "Tools").status == 66)
  }

  @Test(
    "a value that means nothing is said with what was expected",
    arguments: [
      (["entitlements", "ada", "--at", "someday"], "RFC 3339"),
      (["entitlements", "ada", "--as-of", "-3x"], "position"),
      (["entitlements", "ada", "--environment", "prod"], "production"),
      (["findings", "--rule", "finished"], "finished-before-download"),
      (["findings", "--severity", "bad"], "critical"),
      (["findings", "--threshold", "never-finished=2"], "ISO 8601"),
      (["findings", "--threshold", "redelivered=PT1H"], "never-finished"),
      (["findings", "--by", "colour"], "appVersion"),
      (["events", "--from", "0"], "from 1"),
      (["events", "--format", "xml"], "jsonl"),
      (["replay", "trace.jsonl", "--until", "later"], "finding"),
      (["import", "tranzaction", "file"], "app-transaction"),
      (["import", "reciept", "file"], "verify-receipt"),
      (["events", "--type", "Foo"], "subject.verb"), (["events", "--type", ""], "subject.verb"),
      (["events", "--type", "finished"], "subject.verb"),
      (["events", "--type", "*_ed"], "subject.verb"), (["events", "--type", "a.*.b"], "subject"),
      (["events", "--source", ""], "expected a name"),
      (["append", "--expect", "1", "--type", "note.*"], "subject.verb"),
      (["append", "--expect", "1", "--account", ""], "expected a name"),
      (["key", "new", "--name", "a b", "--out", "a.key"], "without spaces"),
      (["prove", "0", "--key", "a.key"], "from 1"),
      (["prove", "1", "--size", "0", "--key", "a.key"], "from 1"),
      (["note", "ada", " ", "--operator", "kim"], "empty"),
    ])
  func wrongValue(_ arguments: [String], expected: String) throws {
    let answer = try Program.run(arguments)
    #expect(answer.status == 64)
    #expect(answer.errors.contains(expected), "\(answer.errors)")
  }

  @Test(
    "options that do not go together are a usage error",
    arguments: [
      ["entitlements"], ["entitlements", "ada", "--transaction", "t"], ["installed"],
      ["events", "--follow", "--reverse"], ["events", "--follow", "--count"],
      ["events", "--follow", "--by", "type"], ["events", "--follow", "--to", "3"],
      ["events", "--follow", "--until", "2026-02-01T12:00:00Z"],
      ["append", "--account", "ada", "file"], ["append", "--rejects", "file", "file"],
      ["append", "--force", "file"], ["rebuild", "--force"], ["replay", "trace.jsonl", "--force"],
      ["checkpoint", "--key", "a.key", "--force"],
      ["export", "x.csv", "--table", "entitlements", "--from", "2"],
      ["export", "x.csv", "--table", "balances", "--since", "2026-02-01T12:00:00Z"],
      ["export", "x.sqlite", "--table", "accounts", "--until", "2026-02-01T12:00:00Z"],
      ["append", "-", "-"], ["replay"], ["replay", "trace.jsonl", "--account", "ada"],
      [
        "import", "verify-receipt", "file", "--effective", "2026-02-01T12:00:00Z",
      ],
    ])
  func together(_ arguments: [String]) throws {
    #expect(try Program.run(arguments).status == 64)
  }

  @Test(
    "a range whose ends are turned round is refused, and not answered with nothing",
    arguments: [
      ["events"], ["export", "x.jsonl"], ["replay"], ["prove", "--key", "a.key"],
      ["export", "x.bundle", "--bundle", "--account", "ada", "--key", "a.key"],
    ])
  func turnedPositions(_ arguments: [String]) throws {
    let answer = try Program.run(arguments + ["--from", "10", "--to", "5"])
    #expect(answer.status == 64)
    #expect(answer.errors.contains("--from must not be later than --to"), "\(answer.errors)")
  }

  @Test(
    "times that are turned round are refused",
    arguments: [["events"], ["export", "x.jsonl"], ["findings"]])
  func turnedTimes(_ arguments: [String]) throws {
    let answer = try Program.run(
      arguments + ["--since", "2026-03-01T00:00:00Z", "--until", "2026-02-01T00:00:00Z"])
    #expect(answer.status == 64)
    #expect(answer.errors.contains("--since must not be later than --until"), "\(answer.errors)")
  }

  @Test(
    "who acts and why are words",
    arguments: [
      ["grant", "ada", "--entitlement", "pro"], ["withdraw", "ada", "--entitlement", "pro"],
      ["link", "ada", "eve"], ["transfer", "ada", "eve"], ["erase", "ada"], ["export", "x.csv"],
      ["backup", "x"], ["key", "new", "--name", "a", "--out", "a.key"],
    ])
  func blank(_ arguments: [String]) throws {
    let nobody = try Program.run(arguments + ["--operator", " ", "--reason", "ticket"])
    #expect(nobody.status == 64)
    let nothing = try Program.run(arguments + ["--operator", "kim", "--reason", "\t\u{200B} "])
    #expect(nothing.status == 64)
    #expect(nothing.errors.contains("expected words"), "\(nothing.errors)")
  }

  @Test(
    "a question that lacks its customer is answered with its own usage",
    arguments: ["entitlements", "transactions"])
  func ownUsage(_ command: String) throws {
    let answer = try Program.run([command])
    #expect(answer.status == 64)
    #expect(answer.errors.contains("Usage: daybook \(command)"), "\(answer.errors)")
  }

  @Test(
    "what is found wrong while a command runs comes with the command's own usage",
    arguments: [
      ["create", "a/b", "--url", "https://example.com", "--type", "entitlement.changed"],
      ["create", "a", "--url", "gopher://example.com", "--type", "entitlement.changed"],
      ["create", "a", "--url", "https://example.com", "--type", "entitlement.chnged"],
      ["create", "a", "--url", "https://example.com", "--type", "*", "--app", "maps!"],
    ])
  func usageOfRunning(_ arguments: [String]) throws {
    let ledger = try TestLedger()
    let answer = try ledger.run(["webhook"] + arguments)
    #expect(answer.status == 64)
    #expect(answer.errors.hasPrefix("Error: "), "\(answer.errors)")
    #expect(answer.errors.contains("\nUsage: daybook webhook create "), "\(answer.errors)")
    #expect(answer.errors.contains("\n  See 'daybook webhook create --help'"), "\(answer.errors)")
  }

  @Test("a position that the ledger has not reached is said") func futurePosition() throws {
    let ledger = try TestLedger()
    let answer = try ledger.run("entitlements", "ada", "--as-of", "7")
    #expect(answer.status == 65)
    #expect(answer.errors.contains("position 7"))
  }

  @Test("a trace with a bad line names the line") func badTrace() throws {
    let answer = try Program.run(["replay", "-"], input: Sample.event("a") + "\n{\"id\":1}\n")
    #expect(answer.status == 65)
    #expect(answer.errors.contains("line 2"))
  }

  @Test("a name with control characters does not reach the terminal") func control() throws {
    let ledger = try TestLedger()
    _ = try ledger.run("append", input: Sample.purchase(#"t\u001b[31m"#, of: "ada"))
    let answer = try ledger.run("transactions", "ada")
    #expect(answer.status == 0)
    #expect(!answer.output.contains("\u{1B}"))
  }
}
