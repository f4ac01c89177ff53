import Foundation
import SignedDataSamples
import Testing
import TracedProcesses

@testable import StorePull

/// From the store's answers to the ledger, by the programs and over HTTP.
@Suite("daybook pull", .serialized) struct PullProgramTests {
  private static let customer = "2000000001"
  private static let appleID = ["--app-apple-id", "\(SigningSamples.appAppleID)"]

  @Test("a customer's history arrives verified in the ledger, once") func history() throws {
    let program = try PullProgram()
    program.store.change { $0.history[Self.customer] = try! PullProgram.purchases(5) }
    let pulled = try program.pull(
      "history", "--transaction", Self.customer, "--format", "jsonl")
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(
      pulled.output
        == #"{"list":"history","transaction":"2000000001","environment":"production","pages":3,"#
        + #""signedTexts":5,"appended":13,"refused":0}"# + "\n")
    #expect(pulled.errors.isEmpty)
    let answer = try program.daybook("entitlements", "ada")
    #expect(answer.output.contains("map-5"), "\(answer.output)")
    let events = try program.events()
    #expect(events.contains { $0.contains(#""verified":true"#) })
    let again = try program.pull("history", "--transaction", Self.customer)
    #expect(again.status == 0, "\(again.errors)")
    #expect(try program.events() == events)
    let token = try #require(program.store.requests.last?.request.authorization)
    #expect(token.hasPrefix("Bearer ey"))
    for text in [pulled.output, pulled.errors, again.output, events.joined()] {
      #expect(!text.contains("PRIVATE KEY") && !text.contains(token.dropFirst(7)))
    }
    #expect(try program.daybook("verify").status == 0)
  }

  @Test("refuses a ledger without a name") func unnamed() throws {
    let program = try PullProgram()
    let pulled = try program.pull(
      "history", "--transaction", Self.customer, with: ["--ledger", ""])
    #expect(pulled.status == 64)
    #expect(pulled.errors.contains("--ledger is empty: name the ledger's folder."))
    #expect(program.store.requests.isEmpty)
  }

  @Test("faults of the connection pass, and an answer that is too long ends the pull")
  func connection() throws {
    let program = try PullProgram()
    let purchases = try PullProgram.purchases(2)
    program.store.change { $0.history[Self.customer] = purchases }
    let soon = Int64(Date().timeIntervalSince1970 * 1_000) + 50
    program.store.fail(
      .answer(.cut(#"{"revision":"#)),
      .answer(.whole(status: 429, retryAfter: "\(soon)", body: #"{"errorCode":4290000}"#)))
    let pulled = try program.pull("history", "--transaction", Self.customer)
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(pulled.errors.contains("the connection failed"))
    #expect(pulled.errors.contains("429, error 4290000"))
    #expect(try program.daybook("entitlements", "ada").output.contains("map-2"))
  }

  @Test("an answer longer than the limit is not read to its end") func long() async throws {
    let program = try PullProgram()
    program.store.fail(
      .answer(
        .whole(status: 200, body: String(repeating: " ", count: PullFolder.answerBytesMax + 1))))
    let purchases = try PullProgram.purchases(1)
    program.store.change { $0.history[Self.customer] = purchases }
    let pulled = try program.pull("history", "--transaction", Self.customer)
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(pulled.errors.contains("the answer has more than 16777216 bytes"), "\(pulled.errors)")
  }

  @Test("everything that the ledger knows is pulled, wherever it is") func all() throws {
    let program = try PullProgram()
    let sandbox = try program.transaction(2, environment: "Sandbox")
    let production = try program.transaction(1)
    program.store.change { $0.history = ["2000000001": [production]] }
    program.store.change(.sandbox) { $0.history = ["2000000002": [sandbox]] }
    for number in ["2000000001", "2000000002", "2000000003"] {
      let pulled = try program.pull("history", "--transaction", number)
      #expect(pulled.status == (number == "2000000003" ? 66 : 0), "\(pulled.errors)")
    }
    let before = program.store.requests.count
    let pulled = try program.pull("history", "--all", "--format", "json")
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(program.store.requests.count == before + 2)
    #expect(pulled.output.contains(#""transaction":"2000000002","environment":"sandbox""#))
    let one = try program.pull("refunds", "--account", "ada")
    #expect(one.status == 66, "\(one.output)")
    #expect(one.errors.contains("does not know the transaction 2000000001"))
  }

  @Test("a forged text is refused by the import, and the cursor stays") func forged() throws {
    let program = try PullProgram()
    let good = try program.transaction(1)
    let forged = SigningSamples.changed(Array(good.utf8), at: good.utf8.count - 9)
    program.store.change {
      $0.history[Self.customer] = [String(decoding: forged, as: UTF8.self)]
    }
    let refused = try program.pull("history", "--transaction", Self.customer)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("badSignature"), "\(refused.errors)")
    #expect(try program.events().isEmpty)
    #expect(throws: (any Error).self) { try program.state("history.production.2000000001") }
  }

  @Test("missed notifications are listed, and imported on request") func reconcile() throws {
    let program = try PullProgram()
    let all = try (1...3).map { try program.notification($0) }
    program.store.change { $0.notifications = [all[0]] }
    let first = try program.pull("notifications", with: Self.appleID)
    #expect(first.status == 0, "\(first.errors)")
    program.store.change { $0.notifications = all }
    let missed = try program.pull("--reconcile", "--format", "jsonl")
    #expect(missed.status == 1, "\(missed.errors)")
    let lines = missed.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].contains(#""type":"ONE_TIME_CHARGE""#))
    #expect(lines[0].contains(#""account":"ada","transaction":"2000000002""#))
    let imported = try program.pull("reconcile", "--import", with: Self.appleID)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(try program.pull("reconcile").status == 0)
    #expect(try program.daybook("entitlements", "ada").output.contains("map-3"))
    #expect(try program.pull("notifications").status == 64)
  }

  @Test("daybook finds the program beside itself, and says how to build it if it is missing")
  func found() throws {
    let program = try PullProgram()
    let help = try program.run(try TracedProcess.executable("daybook"), ["pull", "--help"])
    #expect(help.status == 0, "\(help.errors)")
    #expect(help.output.contains("reconcile") && help.output.contains("daybook-pull"))
    let nested = try program.run(
      try TracedProcess.executable("daybook"), ["pull", "history", "--help"])
    #expect(nested.output.contains("--transaction"))
    let alone = program.folder.appending(path: "daybook")
    try FileManager.default.copyItem(
      at: URL(fileURLWithPath: try TracedProcess.executable("daybook")), to: alone)
    let missing = try program.run(
      alone.path, ["pull", "history", "--all"], environment: ["PATH": "/nowhere"])
    #expect(missing.status == 66)
    #expect(missing.errors.contains("swift build -c release --product daybook-pull"))
  }

  @Test("what nobody has is listed, assigned, and told to the store") func ownerless() throws {
    let program = try PullProgram()
    let (owned, unowned) = (
      try program.transaction(1), try program.transaction(2, account: nil)
    )
    program.store.change { $0.history = ["2000000001": [owned, unowned], "2000000002": []] }
    #expect(try program.pull("history", "--transaction", Self.customer).status == 0)
    let list = try program.daybook("transactions", "--ownerless", "--format", "jsonl")
    #expect(list.output.split(separator: "\n").count == 1, "\(list.output)\(list.errors)")
    #expect(list.output.contains(#""transaction":"2000000002""#))
    for words in [
      [], ["ada", "--all"], ["--all", "--ownerless"], ["--original", "1", "--ownerless"],
    ] {
      #expect(
        try program.run(try TracedProcess.executable("daybook"), ["transactions"] + words).status
          == 64)
    }
    let account = "7dbfa8c6-5d5f-4894-affd-368a132fb789"
    func assign(_ transaction: String, _ account: String) throws -> PullProgram.Outcome {
      try program.daybook(
        "assign", transaction, account, "--operator", "kim", "--reason", "ticket", "--new-account")
    }
    #expect(try assign("2000000009", account).errors.contains("knows no transaction"))
    let taken = try assign("2000000001", account)
    #expect(taken.status == 65 && taken.errors.contains("belongs to ada"), "\(taken.errors)")
    let assigned = try assign("2000000002", account)
    #expect(assigned.status == 0, "\(assigned.errors)")
    #expect(try program.daybook("entitlements", account).output.contains("map-2"))
    let empty = try program.daybook("transactions", "--ownerless")
    #expect(empty.output == "every purchase has an account\n")
    let told = try program.pull(
      "set-token", "--transaction", "2000000002", "--account", account)
    #expect(told.status == 0, "\(told.errors)")
    #expect(program.store.contents().tokens["2000000002"]?.contains(account) == true)
    #expect(
      try program.pull("set-token", "--transaction", "2000000002", "--account", "ada").status == 64)
  }

  @Test("a redirection takes no token anywhere") func redirected() throws {
    let program = try PullProgram()
    program.store.fail(.answer(.redirect(program.address(.sandbox) + "/stolen")))
    let pulled = try program.pull(
      "history", "--transaction", Self.customer, "--environment", "production")
    #expect(pulled.status == 65 && pulled.errors.contains("307"), "\(pulled.errors)")
    #expect(program.store.requests.map(\.environment) == [.production])
  }

  @Test("control characters of the store do not reach the terminal") func printable() throws {
    let program = try PullProgram()
    program.store.fail(
      .answer(FakeStore.error(4_000_006, status: 400, #"\u001b[31mred\u0007\u202e"#)))
    let pulled = try program.pull("history", "--transaction", Self.customer)
    #expect(pulled.status == 65 && pulled.errors.contains("[31mred"), "\(pulled.errors)")
    for character in ["\u{1B}", "\u{07}", "\u{202E}"] {
      #expect(!pulled.errors.contains(character))
    }
  }

  @Test("an account that looks like an option is an account", arguments: ["--all", "--ledger=/x"])
  func account(_ name: String) throws {
    let program = try PullProgram()
    let purchase = try program.transaction(1)
    program.store.change { $0.history[Self.customer] = [purchase] }
    #expect(try program.pull("history", "--transaction", Self.customer).status == 0)
    let asked = program.store.requests.count
    let pulled = try program.pull("history", "--account=\(name)")
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(program.store.requests.count == asked)
    let note = try program.notification(2, account: nil)
    program.store.change { $0.notifications = [note] }
    let given = try program.pull(
      "notifications", "--transaction", "2000000002", "--account=\(name)", with: Self.appleID)
    #expect(given.status == 0, "\(given.errors)")
    #expect(try program.events().contains { $0.contains(#""account":"\#(name)""#) })
  }

  @Test("what is pulled unverified moves no cursor of verified pulls") func unverified() throws {
    let program = try PullProgram()
    let purchase = try program.transaction(1)
    program.store.change { $0.history[Self.customer] = [purchase] }
    let words = ["history", "--transaction", Self.customer]
    let first = try program.run(
      try TracedProcess.executable("daybook-pull"),
      words + program.storeWords(importing: false) + ["--unverified"])
    #expect(first.status == 0, "\(first.errors)")
    #expect(try program.events().contains { $0.contains(#""verified":false"#) })
    #expect(try program.pull("history", "--transaction", Self.customer).status == 0)
    #expect(program.store.requests.map { $0.request.query["revision"] } == [nil, nil])
    #expect(try program.events().contains { $0.contains(#""verified":true"#) })
  }

  @Test("a notification that nobody verified does not hide the store's") func forgedNotification()
    throws
  {
    let program = try PullProgram()
    let forged = SigningSamples.notification(SigningSamples.data(more: ""))
      .replacing("DID_RENEW", with: "TEST")
      .replacing(#""u""#, with: #""019cb2ec-f680-7000-8000-000000000001""#)
    let imported = try program.daybook(
      "import", "notification", try program.file("forged.json", forged))
    #expect(imported.status == 0, "\(imported.errors)")
    let real = try program.notification(1)
    program.store.change { $0.notifications = [real] }
    let missed = try program.pull("reconcile")
    #expect(missed.status == 1 && missed.output.contains("1 of 1"), "\(missed.output)")
    #expect(try program.pull("reconcile", "--unverified").status == 0)
    let repaired = try program.pull("reconcile", "--import", with: Self.appleID)
    #expect(repaired.status == 0, "\(repaired.errors)")
    #expect(try program.daybook("entitlements", "ada").output.contains("map-1"))
    #expect(try program.pull("reconcile").status == 0)
  }

  @Test("set-token asks only where the ledger knows the transaction, and makes no folder")
  func tokenPlace() throws {
    let program = try PullProgram()
    let account = "7dbfa8c6-5d5f-4894-affd-368a132fb789"
    func set() throws -> PullProgram.Outcome {
      try program.pull("set-token", "--transaction", Self.customer, "--account", account)
    }
    #expect(try set().status == 66)
    #expect(program.store.requests.map(\.environment) == [.production, .sandbox])
    #expect(!FileManager.default.fileExists(atPath: program.ledger + ".pull"))
    let purchase = try program.transaction(1)
    let imported = try program.daybook(
      "import", "transaction", try program.file("one.jws", purchase), "--app",
      SigningSamples.bundleID, "--root", program.folder.appending(path: "root.cer").path)
    #expect(imported.status == 0, "\(imported.errors)")
    let count = program.store.requests.count
    let unknown = try set()
    #expect(unknown.status == 66 && unknown.errors.contains("in production."), "\(unknown.errors)")
    #expect(program.store.requests.dropFirst(count).map(\.environment) == [.production])
    try FileManager.default.removeItem(atPath: program.ledger)
    #expect(try set().status == 66)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
        .allSatisfy { !$0.hasPrefix("ledger") })
  }

  @Test(
    "wrong usage is said before anything is asked",
    arguments: [
      ["history"], ["history", "--all", "--transaction", "1"], ["history", "--transaction", "a/b"],
      ["notifications", "--type", "x", "--app-apple-id", "5"],
      ["notifications", "--type", "TEST", "--transaction", "1", "--app-apple-id", "5"],
      ["history", "--all", "--key-id", "K", "--host", "http://a.example"],
    ])
  func usage(_ words: [String]) throws {
    let program = try PullProgram()
    let outcome = try program.run(
      try TracedProcess.executable("daybook-pull"), words + ["--app", "com.example.shop"])
    #expect(outcome.status == 64, "\(outcome.errors)")
    #expect(program.store.requests.isEmpty)
  }
}
