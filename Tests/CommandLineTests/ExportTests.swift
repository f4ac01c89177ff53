import Foundation
import Testing

@Suite("The command export") struct ExportCommandTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    func sale(_ transaction: String, _ source: String, at second: Int, _ data: String) -> String {
      Sample.event(
        "\(transaction)-\(source)", "transaction.purchased", at: second,
        #","source":"\#(source)","account":"ada","transaction":"\#(transaction)","product":"map","#
          + #""data":{\#(data)}"#)
    }
    let lines = [
      sale("t1", "storekit1", at: 1, #""quantity":1"#),
      sale("t1", "notification", at: 2, #""price":"9.99","currency":"EUR""#),
      sale("t2", "notification", at: 3, #""price":"0.10","currency":"EUR""#),
      sale("t3", "notification", at: 4, #""price":"1200","currency":"JPY""#),
      Sample.event(
        "refund", "transaction.refunded", at: 5,
        #","source":"notification","transaction":"t1","data":{"percent":50}"#),
      Sample.event("formula", at: 6, #","account":"=cmd|' /C calc'!A0""#),
    ]
    let appended = try ledger.run("append", input: lines.joined(separator: "\n"))
    try #require(appended.status == 0, "\(appended.errors)")
  }

  private func path(_ name: String) -> String { ledger.folder.path(name) }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: path(name), encoding: .utf8)
  }

  private func acted() throws -> [[String: Any]] {
    try ledger.run("events", "--type", "operator.acted").lines.map { line in
      let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return event?["data"] as? [String: Any] ?? [:]
    }
  }

  @Test("- is standard output, which gets the rows and nothing else", arguments: ["jsonl", "csv"])
  func standardOutput(_ format: String) throws {
    let file = path("events.\(format)")
    #expect(try ledger.run("export", file, "--operator", "kim").status == 0)
    let answer = try ledger.run(
      "export", "-", "--format", format, "--operator", "kim", "--to", "6")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.output == (try text("events.\(format)")))
    #expect(answer.errors.contains("sha256"))
    let left = try Program.packageFolder().appending(path: "-").path
    #expect(!FileManager.default.fileExists(atPath: left))
    #expect(try ledger.run("export", "-").errors.contains("--format"))
  }

  @Test("- is no file for commands that write one") func noFile() throws {
    let key = path("a.key")
    #expect(try ledger.run("key", "new", "--name", "a.example/b", "--out", key).status == 0)
    for arguments in [
      ["checkpoint", "--key", key, "--out", "-"], ["prove", "1", "--key", key, "--out", "-"],
    ] {
      let answer = try ledger.run(arguments)
      #expect(answer.status == 73)
      #expect(answer.errors.contains("cannot write to standard output"), "\(answer.errors)")
    }
  }

  @Test("sums count a transaction once, and never mix currencies") func sums() throws {
    let sums = try ledger.run("events", "--sum", "price,quantity", "--format", "jsonl")
    #expect(sums.status == 0, "\(sums.errors)")
    #expect(
      sums.lines == [
        #"{"posting":"sale","currency":"EUR","transactions":2,"quantity":2,"amount":"10.09","withoutAmount":0}"#,
        #"{"posting":"sale","currency":"JPY","transactions":1,"quantity":1,"amount":"1200","withoutAmount":0}"#,
        #"{"posting":"refund","currency":"EUR","transactions":1,"quantity":1,"amount":"4.995","withoutAmount":0}"#,
      ])
    let then = try ledger.run("events", "--sum", "price", "--as-of", "1", "--format", "jsonl")
    #expect(
      then.lines == [
        #"{"posting":"sale","currency":null,"transactions":1,"amount":null,"withoutAmount":1}"#
      ])
  }

  @Test("quantities of several currencies are one exact number, however many digits it has")
  func quantities() throws {
    func sale(_ transaction: String, _ currency: String) -> String {
      Sample.event(
        transaction, "transaction.purchased", at: 20,
        #","transaction":"\#(transaction)","product":"coins","data":{"price":"1","#
          + #""currency":"\#(currency)","quantity":5000000000000000000}"#)
    }
    let appended = try ledger.run("append", input: sale("c1", "EUR") + "\n" + sale("c2", "JPY"))
    #expect(appended.status == 0, "\(appended.errors)")
    let sums = try ledger.run(
      "events", "--sum", "quantity", "--product", "coins", "--format", "jsonl")
    #expect(
      sums.lines == [
        #"{"posting":"sale","transactions":2,"quantity":"10000000000000000000"}"#
      ])
    let apart = try ledger.run(
      "events", "--sum", "quantity", "--by", "currency", "--product", "coins")
    #expect(apart.status == 0, "\(apart.errors)")
  }

  @Test("counts go by several values") func counts() throws {
    let counts = try ledger.run(
      "events", "--by", "type,currency", "--type", "transaction.*", "--format", "jsonl")
    #expect(
      counts.lines == [
        #"{"type":"transaction.purchased","currency":null,"count":1}"#,
        #"{"type":"transaction.purchased","currency":"EUR","count":2}"#,
        #"{"type":"transaction.purchased","currency":"JPY","count":1}"#,
        #"{"type":"transaction.refunded","currency":null,"count":1}"#,
      ])
    #expect(try ledger.run("events", "--by", "day,day").status == 64)
    #expect(try ledger.run("findings", "--by", "rule,day").status == 0)
  }

  @Test("an export tells the ledger who made it, of what and why") func recorded() throws {
    let made = try ledger.run(
      "export", path("events.csv"), "--to", "4", "--operator", "kim", "--reason", "audit")
    #expect(made.status == 0, "\(made.errors)")
    let data = try #require(try acted().first)
    #expect(data["action"] as? String == "exported")
    #expect(data["operator"] as? String == "kim")
    #expect(data["reason"] as? String == "audit")
    let detail = try #require(data["detail"] as? [String: Any])
    #expect(detail["file"] as? String == "events.csv")
    #expect(detail["position"] as? Int == 4)
    #expect((detail["rows"] as? [String: Int]) == ["events": 4])
    #expect(made.output.contains(try #require(detail["sha256"] as? String)))
    #expect(try text("events.csv").split(separator: "\r\n").count == 5)
  }

  @Test("the operator is who the environment says, else who is logged in") func operators() throws {
    let named = try Program.run(
      ["export", path("one.jsonl")], ledger: ledger.path, environment: ["DAYBOOK_OPERATOR": "eve"])
    #expect(named.status == 0, "\(named.errors)")
    #expect(try ledger.run("export", path("two.jsonl")).status == 0)
    let operators = try acted().map { $0["operator"] as? String }
    #expect(operators == ["eve", NSUserName()])
  }

  @Test("JSON Lines can be appended elsewhere and are the same events") func elsewhere() throws {
    #expect(try ledger.run("export", path("events.jsonl"), "--to", "6").status == 0)
    let other = try TestLedger()
    #expect(try other.run("append", path("events.jsonl")).status == 0)
    #expect(try other.events() == ledger.events().prefix(6).map { $0 })
  }

  @Test("a spreadsheet runs no formula of anybody's") func formulas() throws {
    #expect(try ledger.run("export", path("events.csv")).status == 0)
    #expect(try text("events.csv").contains(",'=cmd|' /C calc'!A0,"))
  }

  @Test("a file that is there stays, unless it is to be replaced") func existing() throws {
    try Data("mine".utf8).write(to: ledger.folder.file("events.csv"))
    let refused = try ledger.run("export", path("events.csv"))
    #expect(refused.status == 73)
    #expect(refused.errors.contains("--force"))
    #expect(try text("events.csv") == "mine")
    #expect(try acted().isEmpty)
    #expect(try ledger.run("export", path("events.csv"), "--force").status == 0)
    #expect(try text("events.csv").hasPrefix("position,"))
  }

  @Test(
    "interrupted or killed at any moment it leaves a whole file or none of the name",
    arguments: [SIGINT, SIGTERM, SIGKILL])
  func interrupted(_ signal: Int32) throws {
    #expect(try ledger.run("append", input: Sample.notes("n", 4_000)).status == 0)
    var wasKilled = false
    for milliseconds in [5, 60, 120, 250, 500] {
      let name = path("\(signal)-\(milliseconds).csv")
      let process = try Program.process(["export", name], ledger: ledger.path)
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      let isThere = FileManager.default.fileExists(atPath: name)
      if process.terminationReason == .exit {
        #expect([0, 75].contains(process.terminationStatus))
        #expect(isThere == (process.terminationStatus == 0))
      } else {
        wasKilled = true
      }
      if isThere {
        let text = try String(contentsOfFile: name, encoding: .utf8)
        #expect(text.hasSuffix("\r\n"))
        #expect(text.split(separator: "\r\n").count > 4_000)
      }
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: ledger.folder.url.path)
      .filter { $0.hasSuffix(".partial") }
    #expect(left.isEmpty || wasKilled)
  }

  @Test(
    "what cannot be asked is said",
    arguments: [
      ["export", "x.txt"], ["export"], ["export", "x.csv", "--table", "nothing"],
      ["export", "x.csv", "--table", "events", "--table", "postings"],
      ["export", "x.sqlite", "--table", "events", "--table", "events"],
      ["export", "x.csv", "--from", "5", "--to", "4"], ["export", "x.csv", "--operator", ""],
      ["events", "--sum", "price", "--limit", "3"], ["events", "--sum", "price", "--reverse"],
      ["events", "--sum", "weight"],
    ])
  func usage(_ arguments: [String]) throws {
    #expect(try ledger.run(arguments).status == 64)
    #expect(try acted().isEmpty)
  }

  @Test("a folder that cannot be written is said, and nothing is recorded") func noFolder() throws {
    let failed = try ledger.run("export", path("missing/x.csv"))
    #expect(failed.status == 73)
    #expect(failed.errors.contains("missing"))
    #expect(try acted().isEmpty)
    #expect(try ledger.run("export", path("x.csv"), "--as-of", "99").status == 65)
  }
}
