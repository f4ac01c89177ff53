import Foundation
import Testing

@Suite("An operator's commands") struct OperatorTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [
      Sample.purchase("t1", of: "ada", at: 0), Sample.purchase("t2", of: "eve", at: 10),
    ])
  }

  private func active(_ account: String) throws -> [String] {
    let answer = try ledger.run("entitlements", account, "--format", "json")
    return try #require(try answer.object()["active"] as? [String])
  }

  private func act(_ arguments: String...) throws -> Outcome {
    try ledger.run(arguments + ["--operator", "kim", "--reason", "ticket 4711"])
  }

  @Test("a grant is there at once, and a withdrawal takes it back and nothing else")
  func grant() throws {
    let granted = try act("grant", "ada", "--entitlement", "pro")
    #expect(granted.status == 0, "\(granted.errors)")
    #expect(granted.lines == ["appended at position 3", "ada  pro: - → active"])
    #expect(try active("ada") == ["map", "pro"])
    let withdrawn = try act("withdraw", "ada", "--entitlement", "pro", "--format", "json")
    let change = try #require(try withdrawn.object()["changes"] as? [[String: Any]]).first
    #expect(change?["lost"] as? [String] == ["pro"])
    #expect(try active("ada") == ["map"])
    let nothing = try act("withdraw", "ada", "--product", "map")
    #expect(nothing.lines.last == "no customer's entitlements changed")
    #expect(try active("ada") == ["map"])
  }

  @Test("a grant of a product ends when it was said to") func until() throws {
    #expect(
      try act(
        "grant", "ada", "--product", "atlas", "--allow-unknown", "--until", "2099-01-01T00:00:00Z"
      ).status == 0)
    #expect(try active("ada") == ["atlas", "map"])
    let later = try ledger.run(
      "entitlements", "ada", "--at", "2099-01-01T00:00:00Z", "--format", "json")
    #expect(try later.object()["active"] as? [String] == ["map"])
  }

  @Test("a link joins what both hold, a transfer moves it") func accounts() throws {
    #expect(try act("transfer", "ada", "eve-2", "--new-account").status == 0)
    #expect(try active("ada").isEmpty)
    #expect(try active("eve-2") == ["map"])
    let linked = try act("link", "eve", "eve-2")
    #expect(linked.status == 0, "\(linked.errors)")
    #expect(try active("eve") == ["map"])
  }

  @Test("a note stands in the history with who wrote it") func note() throws {
    let noted = try ledger.run("note", "ada", "called", "--operator", "kim", "--transaction", "t1")
    #expect(noted.status == 0, "\(noted.errors)")
    let history = try ledger.run("events", "--account", "ada", "--type", "note.added")
    #expect(history.output.contains(#""data":{"operator":"kim","text":"called"}"#))
    #expect(history.output.contains(#""source":"operator""#))
  }

  @Test("an account that nobody knows is a typing mistake until it is said to be new")
  func unknown() throws {
    let refused = try act("grant", "adda", "--entitlement", "pro")
    #expect(refused.status == 65)
    #expect(refused.errors.contains("no event states the account adda"))
    #expect(try act("link", "ada", "nobody").status == 65)
    #expect(try ledger.run("events", "--count").lines == ["2"])
    #expect(try act("grant", "adda", "--entitlement", "pro", "--new-account").status == 0)
  }

  @Test("the same command with an id of one's own is one event") func again() throws {
    let arguments = ["grant", "ada", "--entitlement", "pro", "--id", "ticket-4711"]
    let operators = ["--operator", "kim", "--reason", "it broke"]
    let first = try ledger.run(arguments + operators)
    let second = try ledger.run(arguments + operators)
    #expect(second.status == 0, "\(second.errors)")
    #expect(first.lines.first == "appended at position 3")
    #expect(second.lines.first == "already done, at position 3")
    let other = try ledger.run(["withdraw"] + arguments.dropFirst() + operators)
    #expect(other.status == 65)
  }

  @Test("a preview prints the event and appends nothing") func preview() throws {
    let shown = try act("transfer", "ada", "eve", "--dry-run")
    #expect(shown.status == 0)
    #expect(shown.output.contains(#""type":"account.transferred""#))
    #expect(try ledger.run("events", "--count").lines == ["2"])
  }

  @Test(
    "who acts and why is asked for, and what is given is named once",
    arguments: [
      ["grant", "ada", "--entitlement", "pro", "--operator", "kim"],
      ["grant", "ada", "--entitlement", "pro", "--reason", "x"],
      ["grant", "ada", "--operator", "kim", "--reason", "x"],
      [
        "grant", "ada", "--entitlement", "a", "--product", "b", "--operator", "kim", "--reason",
        "x",
      ],
      ["link", "ada", "ada", "--operator", "kim", "--reason", "x"],
      ["note", "ada", "", "--operator", "kim"],
      ["note", "ada", "hello", "--operator", "kim", "--reason", "x"],
    ])
  func usage(_ arguments: [String]) throws {
    #expect(try ledger.run(arguments).status == 64)
    #expect(try ledger.run("events", "--count").lines == ["2"])
  }
}
