import Foundation
import SignedDataSamples
import SignedStoreData
import Testing

/// Imports of what the App Store signs, verified up to a root of the tests.
@Suite("import of signed data") struct SignedImportTests {
  private let ledger: TestLedger
  private let samples: SigningSamples
  private let root: String

  init() throws {
    ledger = try TestLedger()
    samples = try SigningSamples()
    root = try ledger.folder.write("root.cer", samples.der[2])
  }

  private func jws(_ payload: String) throws -> String {
    String(decoding: try samples.jws(payload), as: UTF8.self)
  }

  private func bought(_ id: String = "1") -> String {
    let at = SigningSamples.milliseconds(SigningSamples.signedAt)
    return SigningSamples.transaction(
      more: #","productId":"map","purchaseDate":\#(at),"quantity":1,"price":2990,"currency":"EUR","#
        + #""appAccountToken":"ada""#
    ).replacing(#""transactionId":"1""#, with: #""transactionId":"\#(id)""#)
  }

  private func notification(_ type: String = "ONE_TIME_CHARGE") throws -> String {
    try jws(
      SigningSamples.notification(
        SigningSamples.data(more: #","signedTransactionInfo":"\#(jws(bought()))""#)
      ).replacing("DID_RENEW", with: type))
  }

  private func verified(_ format: String, _ files: String...) -> [String] {
    ["import", format] + files + [
      "--app", SigningSamples.bundleID, "--app-apple-id", String(SigningSamples.appAppleID),
      "--root", root,
    ]
  }

  private func appended(_ arguments: [String]) throws -> Int? {
    let outcome = try ledger.run(arguments + ["--format", "json"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try outcome.object()["appended"] as? Int
  }

  @Test("a verified notification gives its customer the product, once") func notifications() throws
  {
    let file = try ledger.folder.write(
      "payload.json", #"{"signedPayload":"\#(notification())"}"#)
    #expect(try appended(verified("notification", file)) == 3)
    #expect(try appended(verified("notification", file)) == 0)
    let answer = try ledger.run("entitlements", "ada", "--format", "json").object()
    #expect(answer["active"] as? [String] == ["map"])
    let events = try ledger.events()
    #expect(events.contains { $0.contains(#""verified":true"#) })
    #expect(
      events.contains {
        $0.contains(#""id":"u""#) && $0.contains(#""source":"notification""#)
          && $0.contains(#""price":"2.99""#)
      })
    // The same purchase as a transaction says nothing new.
    let transaction = try ledger.folder.write("transaction.jws", try jws(bought()))
    #expect(try appended(verified("transaction", transaction)) == 1)
    let history = try ledger.folder.write(
      "history.json", #"{"signedTransactions":["\#(jws(bought()))"],"revision":"1"}"#)
    #expect(try appended(verified("history", history)) == 1)
    #expect(try ledger.run("verify").status == 0)
  }

  @Test("what cannot be verified is refused with the line and the check, and nothing is appended")
  func refused() throws {
    let good = try notification()
    let forged = String(
      decoding: SigningSamples.changed(Array(good.utf8), at: good.utf8.count - 9), as: UTF8.self)
    let file = try ledger.folder.write("two.jsonl", "\(good)\n\(forged)\n")
    let refused = try ledger.run(verified("notification", file))
    #expect(refused.status == 65)
    for words in ["two.jsonl: line 2", "badSignature"] {
      #expect(refused.errors.contains(words), "\(refused.errors)")
    }
    let one = try ledger.folder.write("one.jws", good)
    for (arguments, words) in [
      (["import", "notification", one], "--app"),
      (["import", "notification", one, "--app", SigningSamples.bundleID], "untrustedRoot"),
      (
        ["import", "notification", one, "--app", SigningSamples.bundleID, "--root", root],
        "Apple ID of the app"
      ),
      (verified("notification", one) + ["--environment", "sandbox"], "otherEnvironment"),
      (verified("transaction", one), "otherKind"),
    ] {
      let answer = try ledger.run(arguments)
      #expect(answer.status == 65)
      #expect(answer.errors.contains(words), "\(answer.errors)")
    }
    #expect(try ledger.events().isEmpty)
  }

  @Test("decoded JSON and --unverified are imported, and said to be unverified") func unverified()
    throws
  {
    let one = try ledger.folder.write("one.jws", try notification())
    let read = try ledger.run(["import", "notification", one, "--unverified"])
    #expect(read.status == 0, "\(read.errors)")
    #expect(read.errors.contains("no signature was verified"))
    #expect(try ledger.events().contains { $0.contains(#""verified":false"#) })
    let other = try ledger.folder.write("decoded.json", bought("2"))
    let decoded = try ledger.run(["import", "transaction", other])
    #expect(decoded.status == 0 && decoded.errors.contains("no signature was verified"))
    let app = try ledger.folder.write(
      "app.json",
      #"{"receiptType":"Sandbox","bundleId":"b","receiptCreationDate":1698148900000}"#)
    #expect(try appended(["import", "app-transaction", app]) == 2)
    let renewal = try ledger.folder.write("renewal.json", SigningSamples.renewal())
    #expect(try appended(["import", "renewal", renewal]) == 2)
  }

  @Test(
    "answers say what nobody verified, until the same is imported and verified",
    arguments: ["notification", "transaction"])
  func answersSay(_ format: String) throws {
    let file = try ledger.folder.write(
      "one.jws", format == "notification" ? try notification() : try jws(bought()))
    func unverified(_ command: String) throws -> [[String]] {
      let answer = try ledger.run(command, "ada", "--format", "json").object()
      let entries = try #require(answer["entitlements"] as? [[String: Any]])
      return try entries.map { try #require($0["unverified"] as? [String]) }
    }
    #expect(try ledger.run(["import", format, file, "--unverified"]).status == 0)
    #expect(try ledger.run("entitlements", "ada").output.contains("store, not verified"))
    #expect(try ledger.run("customer", "ada").output.contains("store, not verified"))
    for command in ["entitlements", "customer"] { #expect(try unverified(command) == [["1"]]) }
    #expect(try ledger.run("explain", "ada", "map").output.contains("(not verified)"))

    #expect(try appended(verified(format, file)) ?? 0 > 1)
    for command in ["entitlements", "customer"] { #expect(try unverified(command) == [[]]) }
    #expect(try !ledger.run("entitlements", "ada").output.contains("not verified"))
    // The other way round, what nobody verified says nothing new.
    #expect(try appended(verified(format, file)) == 0)
    #expect(try appended(["import", format, file, "--unverified"]) == 0)
    for command in ["entitlements", "customer"] { #expect(try unverified(command) == [[]]) }
  }

  @Test("what Xcode signs is believed for a pinned certificate") func xcode() throws {
    let local = try SigningSamples.local()
    let text = bought().replacing("Production", with: "Xcode")
    let file = try ledger.folder.write("xcode.jws", try local.jws(text))
    let app = ["--app", SigningSamples.bundleID]
    let refused = try ledger.run(["import", "transaction", file] + app)
    #expect(refused.status == 65)
    let pin = try #require(refused.errors.firstMatch(of: /[0-9a-f]{64}/)).output
    #expect(try appended(["import", "transaction", file, "--pin", String(pin)] + app) == 3)
    let answer = try ledger.run(
      "entitlements", "ada", "--environment", "xcode", "--format", "json")
    #expect(try answer.object()["active"] as? [String] == ["map"])
  }

  @Test("the example of the help gives a subscription and its end") func example() throws {
    let sample = ["import", "notification", "Tools/samples/sample-notifications.jsonl"]
    let printed = try ledger.run(sample + ["--dry-run"])
    #expect(printed.status == 0, "\(printed.errors)")
    #expect(try ledger.events().isEmpty)
    let count = try appended(sample)
    #expect(count == printed.lines.count)
    #expect(try appended(sample) == 0)
    let token = "5d8c2a5e-4b1c-4c1e-9d3b-2f6f0c7a9e01"
    func active(at time: String) throws -> [String] {
      let answer = try ledger.run("entitlements", token, "--at", time, "--format", "json").object()
      return answer["active"] as? [String] ?? []
    }
    let plus = "com.example.tides.plus.monthly"
    #expect(try active(at: "2026-01-20T12:00:00Z") == [plus])
    #expect(try active(at: "2026-02-20T12:00:00Z") == [plus])
    #expect(try active(at: "2026-03-20T12:00:00Z").isEmpty)
    let findings = try ledger.run("findings", "--format", "json").output
    #expect(!findings.contains("critical"), "\(findings)")
  }

  @Test("a claim on another customer's purchase is refused") func owner() throws {
    let file = try ledger.folder.write("decoded.json", bought())
    #expect(try ledger.run("import", "transaction", file).status == 0)
    let unnamed = bought().replacing(#","appAccountToken":"ada""#, with: "")
    let other = try ledger.folder.write("other.json", unnamed)
    let refused = try ledger.run("import", "transaction", other, "--account", "ben")
    #expect(refused.status == 65)
    #expect(refused.errors.contains("belongs to ada, not to ben"), "\(refused.errors)")
  }

  @Test(
    "options that do not go together are a usage error",
    arguments: [
      ["verify-receipt", "file", "--unverified"], ["storekit-config", "file", "--pin", "00"],
      ["verify-receipt", "file", "--app-apple-id", "5"], ["transaction", "file", "--yes"],
      ["transaction", "file", "--pin", "00"],
      ["transaction", "file", "--unverified", "--root", "r"],
      ["notification", "file", "--effective", "2026-02-01T12:00:00Z"],
    ])
  func usage(_ arguments: [String]) throws {
    #expect(try Program.run(["import"] + arguments).status == 64)
  }
}
