import Foundation
import Testing

@Suite("customers and customer") struct CustomerTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [
      Sample.purchase("t1", of: "ada", at: 0), Sample.purchase("t2", of: "bob", at: 10),
      Sample.event(
        "finish", "transaction.finished", at: 20, #","device":"phone-ada","transaction":"t1""#),
      Sample.event(
        "again", "transaction.finished", at: 21, #","device":"phone-ada","transaction":"t1""#),
      Sample.event(
        "shared", "transaction.purchased", at: 30,
        #","account":"bob","device":"phone-ada","transaction":"t3","product":"atlas""#),
    ])
  }

  @Test("any id leads to the customer") func ids() throws {
    for id in ["ada", "t1"] {
      let customer = try ledger.run("customer", id, "--format", "json").object()
      #expect(customer["accounts"] as? [String] == ["ada"])
      #expect(customer["active"] as? [String] == ["map"])
      let findings = try #require(customer["findings"] as? [[String: Any]])
      #expect(findings.map { $0["rule"] as? String } == ["finished-twice"])
      #expect((findings[0]["advice"] as? String)?.isEmpty == false)
      #expect((customer["lastEvents"] as? [Any])?.count == customer["events"] as? Int)
    }
    let text = try ledger.run("customer", "t1").output
    for part in ["customer ada", "found by transaction t1", "finished-twice: Harmless"] {
      #expect(text.contains(part), "\(text)")
    }
  }

  @Test("an id of several customers names them, and an unknown one those that are near")
  func several() throws {
    let shared = try ledger.run("customer", "phone-ada")
    #expect(shared.status == 64)
    #expect(shared.errors.contains("ada: device phone-ada"), "\(shared.errors)")
    #expect(shared.errors.contains("bob: device phone-ada"))
    let unknown = try ledger.run("customer", "phone-adda")
    #expect(unknown.status == 0)
    #expect(unknown.lines.first == "no event states the id phone-adda")
    #expect(unknown.output.contains("device phone-ada (similar)"))
    let json = try ledger.run("customer", "zebra", "--format", "json").object()
    #expect(json["known"] as? Bool == false)
  }

  @Test("customers are listed, and found by part of an id") func listed() throws {
    let all = try ledger.run("customers", "--format", "json").objects()
    #expect(all.map { $0["accounts"] as? [String] } == [["ada"], ["bob"]])
    #expect(all.map { $0["openTransactions"] as? Int } == [0, 2])
    #expect(try ledger.run("customers", "--limit", "1", "--format", "jsonl").lines.count == 1)
    let more = "there are more: --limit shows more"
    #expect(try ledger.run("customers", "--limit", "1").lines.last == more)
    #expect(try ledger.run("customers", "--search", "phone", "--limit", "1").lines.last == more)
    #expect(try ledger.run("customers", "--limit", "2").lines.last != more)
    let short = try ledger.run("customers", "--search", "ph").output
    #expect(short == "no customer has the id ph; a part of an id needs at least 3 letters\n")
    let part = try ledger.run("customers", "--search", "PHONE-B", "--format", "json").objects()
    #expect(part.map { $0["accounts"] as? [String] } == [["bob"]])
  }

  @Test("questions take a transaction in place of the account") func byTransaction() throws {
    let pairs: [([String], [String])] = [
      (["installed", "ada"], ["installed", "--transaction", "t1"]),
      (["findings", "--account", "ada"], ["findings", "--transaction", "t1"]),
      (["diff", "ada", "--from", "0"], ["diff", "--transaction", "t1", "--from", "0"]),
      (["diff", "ada", "--from", "0"], ["diff", "--original", "t1", "--from", "0"]),
      (
        ["explain", "ada", "map", "--at", "2026-02-01T12:01:00Z"],
        ["explain", "--transaction", "t1", "--at", "2026-02-01T12:01:00Z"]
      ),
    ]
    for (byAccount, byTransaction) in pairs {
      let expected = try ledger.run(byAccount)
      let reported = try ledger.run(byTransaction)
      #expect(reported.status == 0, "\(byTransaction): \(reported.errors)")
      #expect(reported.output == expected.output, "\(byTransaction)")
    }
    #expect(try ledger.run("findings", "--transaction", "t2").output == "no findings\n")
    #expect(
      try ledger.run("findings", "--account", "nobody").output
        == "account nobody is not known to the ledger\n")
    #expect(try ledger.run("explain", "--transaction", "t9").status == 65)
    #expect(try ledger.run("findings", "--account", "ada", "--transaction", "t1").status == 64)
    #expect(try ledger.run("explain", "ada").status == 64)
  }
}

@Suite("Findings that people can act on") struct FindingListTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    let lines =
      (1...3).flatMap { number in
        [
          Sample.purchase("t\(number)", of: number == 3 ? "bob" : "ada", at: number),
          Sample.event(
            "finish-\(number)", "transaction.finished", at: 10 + number,
            #","device":"phone-\#(number == 3 ? "bob" : "ada")","transaction":"t\#(number)""#),
          Sample.event(
            "again-\(number)", "transaction.finished", at: 20 + number,
            #","device":"phone-\#(number == 3 ? "bob" : "ada")","transaction":"t\#(number)""#),
        ]
      }
    let appended = try ledger.run("append", input: lines.joined(separator: "\n"))
    try #require(appended.status == 0, "\(appended.errors)")
  }

  @Test("a table has a line for each incident, JSON an entry for each finding") func grouped()
    throws
  {
    #expect(try ledger.run("findings").lines.count == 3)
    #expect(try ledger.run("findings", "--no-incidents").lines.count == 4)
    #expect(try ledger.run("findings", "--format", "json").objects().count == 3)
    let incidents = try ledger.run("findings", "--incidents", "--format", "json").objects()
    #expect(incidents.map { $0["count"] as? Int } == [2, 1])
    #expect(incidents.map { $0["accounts"] as? [String] } == [["ada"], ["bob"]])
    #expect(incidents[0]["transactions"] as? [String] == ["t1", "t2"])
    #expect(try ledger.run("findings", "--incidents", "--count").output == "2\n")
    #expect(try ledger.run("findings", "--count").output == "3\n")
  }

  @Test("they are explained, cut and turned round") func explained() throws {
    let text = try ledger.run("findings", "--explain").output
    #expect(text.contains("What to do: Harmless to the customer."))
    let json = try ledger.run("findings", "--explain", "--format", "json").objects()
    #expect((json[0]["advice"] as? String)?.hasPrefix("Harmless") == true)
    let newest = try ledger.run("findings", "--reverse", "--limit", "1", "--format", "json")
      .objects()
    #expect(newest.map { $0["account"] as? String } == ["bob"])
    let cut = try ledger.run("findings", "--limit", "1")
    #expect(cut.lines.last == "1 of 2 incidents: --limit shows more")
    #expect(try ledger.run("findings", "--limit", "0", "--fail-on", "info").status == 1)
  }
}
