import Foundation
import Testing

@Suite("The words of the command line") struct CommandWordsTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    _ = try ledger.run("append", input: Sample.purchase("t1", of: "ada"))
  }

  @Test("options may stand before the command") func order() throws {
    let expected = try ledger.run("events", "--count").output
    for words in [
      ["--ledger", ledger.path, "events", "--count"],
      ["--ledger=\(ledger.path)", "events", "--count"],
      ["--ledger", ledger.path, "--count", "events"],
      ["--tz", "UTC", "--ledger", ledger.path, "events", "--count"],
    ] {
      let answer = try Program.run(words)
      #expect(answer.output == expected, "\(words): \(answer.errors)")
    }
    let nested = try Program.run(["--ledger", ledger.path, "content", "updates", "--count"])
    #expect(nested.status == 0, "\(nested.errors)")
    let between = try Program.run(["content", "--ledger", ledger.path, "updates", "--count"])
    #expect(between.output == nested.output, "\(between.errors)")
    #expect(between.status == 0)
  }

  @Test("a value that is the name of a command is a value") func values() throws {
    let answer = try Program.run(["--ledger", "events", "stats"])
    #expect(answer.status == 66, "\(answer.errors)")
    #expect(answer.errors.contains("no ledger at events"))
  }

  @Test(
    "a command that there is none of is refused, with the one that was meant",
    arguments: [
      (["entitlemnts", "ada"], "did you mean entitlements?"),
      (["--ledger", "x", "evnts"], "did you mean events?"), (["help", "statz"], "mean stats?"),
      (["content", "instal"], "did you mean content install?"), (["frobnicate"], "no command frob"),
      (["help", "content", "updtes"], "did you mean content updates?"),
      (["events", "--acount", "ada"], "--account"), (["--ledger", "x"], "name a command"),
    ])
  func unknown(_ words: [String], said: String) throws {
    let answer = try Program.run(words)
    #expect(answer.status == 64)
    #expect(answer.errors.contains(said), "\(answer.errors)")
    #expect(answer.output.isEmpty)
  }

  @Test("the version, and help on a command, can be asked for") func help() throws {
    let version = try Program.run(["--version"])
    #expect(version.status == 0)
    #expect(version.output == "daybook 0.1.0\n")
    let events = try Program.run(["help", "events"])
    #expect(events.status == 0)
    #expect(events.output == (try Program.run(["events", "--help"]).output))
    #expect(try Program.run(["help", "content", "install"]).output.contains("content install"))
  }

  @Test("the operator may be named by the environment") func environment() throws {
    let grant = ["grant", "ada", "--entitlement", "pro", "--dry-run"]
    let named = try ledger.run(
      grant + ["--reason", "ticket"], environment: ["DAYBOOK_OPERATOR": "kim"])
    #expect(named.output.contains(#""operator":"kim""#), "\(named.errors)")
    let nobody = try ledger.run(grant + ["--reason", "ticket"])
    #expect(nobody.status == 64)
    #expect(nobody.errors.contains("DAYBOOK_OPERATOR"))
    let silent = try ledger.run(grant, environment: ["DAYBOOK_OPERATOR": "kim"])
    #expect(silent.status == 64)
    #expect(silent.errors.contains("--reason <why>"), "\(silent.errors)")
  }

  @Test("the usual ledger is made by the first append or import, and that is said")
  func firstLedger() throws {
    let folder = try TemporaryFolder()
    func run(_ words: [String], _ input: String = "") throws -> Outcome {
      try Program.run(words, input: input, in: folder.url)
    }
    #expect(try run(["events"]).status == 66)
    let first = try run(["append"], Sample.event("a"))
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.errors == "made an empty ledger in daybook.ledger\n")
    let second = try run(["append"], Sample.event("b"))
    #expect(second.errors.isEmpty)
    #expect(try run(["events", "--count"]).output == "2\n")
  }

  @Test("shells complete what the program and the ledger know") func completions() throws {
    let rules = try Program.run(["--generate-completion-script", "bash"]).output
    for word in ["finished-before-install", "transaction.purchased", "gracePeriod", "critical"] {
      #expect(rules.contains(word), "\(word)")
    }
    let custom = try #require(rules.firstMatch(of: /---completion holders -- positional@0/))
    let words = custom.output.split(separator: " ").map(String.init)
    let offered = try Program.run(
      words + ["2", "2", "daybook", "holders", "ma"],
      ledger: ledger.path, environment: ["SAP_SHELL": "bash"])
    #expect(offered.lines.contains("map"), "\(words) \(offered.output) \(offered.errors)")
  }
}
