import Foundation
import Testing

@Suite("Keys, checkpoints, proofs and their checks") struct ProofTests {
  private let ledger: TestLedger
  private let verifier: String
  private var key: String { ledger.folder.path("book.key") }

  init() throws {
    ledger = try TestLedger(events: (0..<40).map { Sample.purchase("t\($0)", of: "ada", at: $0) })
    let made = try ledger.run(
      "key", "new", "--name", "books.example.com/test", "--out", ledger.folder.path("book.key"))
    try #require(made.status == 0, "\(made.errors)")
    verifier = try #require(made.lines.first)
  }

  /// Writes the output of a command to a file and returns its path.
  private func made(_ file: String, _ arguments: String...) throws -> String {
    let path = ledger.folder.path(file)
    let outcome = try ledger.run(arguments + ["--key", key, "--out", path])
    try #require(outcome.status == 0, "\(outcome.errors)")
    return path
  }

  /// Checks a file in a folder without a ledger.
  private func check(_ path: String, _ arguments: String...) throws -> Outcome {
    try Program.run(["check", path] + arguments, ledger: "/nowhere/at/all")
  }

  @Test("a key's file is its owner's alone, is never overwritten, and shows its public half")
  func keys() throws {
    let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let again = try ledger.run("key", "new", "--name", "other", "--out", key)
    #expect(again.status == 73)
    #expect(again.errors.contains("never overwritten"))
    #expect(try Program.run(["key", "show", key]).lines == [verifier])
    #expect(verifier.hasPrefix("books.example.com/test+"))
  }

  @Test("a key is made without a ledger where none is named") func keyAlone() throws {
    let process = try Program.process(
      ["key", "new", "--name", "a.example/b", "--out", ledger.folder.path("lonely.key")])
    process.currentDirectoryURL = ledger.folder.url
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.environment?["DAYBOOK_LEDGER"] = nil
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let named = try Program.run(
      ["key", "new", "--name", "a.example/b", "--out", ledger.folder.path("third.key")],
      ledger: "/nowhere/at/all")
    #expect(named.status == 66)
    #expect(!FileManager.default.fileExists(atPath: ledger.folder.path("third.key")))
  }

  @Test("keys of one name are told apart by their ids") func sameName() throws {
    let other = try ledger.run(
      "key", "new", "--name", "books.example.com/test", "--out", ledger.folder.path("twin.key"))
    let twin = try #require(other.lines.first)
    let refused = try check(try made("twin", "checkpoint"), "--key", twin)
    #expect(refused.status == 1)
    for key in [verifier, twin] {
      let called = key.split(separator: "+").prefix(2).joined(separator: "+")
      #expect(refused.output.contains(called), "\(refused.output)")
    }
  }

  @Test("a checkpoint of any position checks, and says what was signed") func checkpoints() throws {
    for position in [0, 1, 16, 40] {
      let path = try made("\(position)", "checkpoint", "--at-position", "\(position)")
      let checked = try check(path, "--key", verifier, "--format", "json")
      #expect(checked.status == 0, "\(checked.output)")
      let checkpoint = try checked.object()["checkpoint"] as? [String: Any]
      #expect(checkpoint?["position"] as? Int == position)
      #expect(checkpoint?["origin"] as? String == "books.example.com/test")
    }
    let beyond = try ledger.run("checkpoint", "--at-position", "1000", "--key", key)
    #expect(beyond.status == 65)
  }

  @Test("an event's proof shows the event as it is exported, by its position or its id")
  func events() throws {
    let exported = try ledger.run("events", "--from", "7", "--to", "7").lines
    let line = try #require(exported.first)
    let id =
      try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])["id"] as? String
    for (name, event) in [("position", "7"), ("id", try #require(id))] {
      let path = try made(name, "prove", event)
      let checked = try check(path, "--key", verifier)
      #expect(checked.status == 0, "\(checked.output)")
      #expect(checked.lines.first == "proven: this event is at position 7")
      #expect(checked.lines.contains(line))
    }
    let sized = try made("sized", "prove", "7", "--size", "7")
    #expect(try check(sized, "--key", verifier).output.contains("whose root at 7 is"))
  }

  @Test("every event can be proven") func everyEvent() throws {
    for position in [1, 2, 15, 16, 17, 39, 40, 41] {
      let path = try made("p\(position)", "prove", "\(position)")
      let checked = try check(path, "--key", key)
      #expect(checked.status == 0, "\(position): \(checked.output)")
    }
  }

  @Test("a proof between two positions checks, and against the checkpoint that was kept")
  func consistency() throws {
    let kept = try made("kept", "checkpoint", "--at-position", "10")
    let other = try made("other", "checkpoint", "--at-position", "11")
    let proof = try made("proof", "prove", "--from", "10", "--to", "40")
    #expect(try check(proof, "--key", verifier).status == 0)
    #expect(try check(proof, "--key", verifier, "--from", kept).status == 0)
    #expect(try check(proof, "--key", verifier, "--from", other).status == 1)
    #expect(try check(kept, "--key", verifier, "--from", other).status == 65)
  }

  @Test("a proof under another's key is not believed") func strangers() throws {
    let path = try made("p", "prove", "7")
    let stranger = ledger.folder.path("stranger.key")
    #expect(
      try ledger.run("key", "new", "--name", "books.example.com/test", "--out", stranger).status
        == 0)
    let checked = try check(path, "--key", stranger, "--format", "json")
    #expect(checked.status == 1)
    #expect(try checked.object()["proven"] as? Bool == false)
  }

  @Test("who signs is an event after what is signed") func recorded() throws {
    _ = try made("c", "checkpoint")
    let acted = try ledger.run("events", "--type", "operator.acted", "--format", "json").objects()
    let data = acted.compactMap { $0["data"] as? [String: Any] }
    #expect(data.map { $0["action"] as? String } == ["made key", "signed"])
    let detail = data.last?["detail"] as? [String: Any]
    #expect(detail?["position"] as? Int == 41)
    #expect(detail?["verifierKey"] as? String == verifier)
    #expect(acted.last?["position"] as? Int == 42)
  }

  @Test("verify holds the ledger against what was signed") func verified() throws {
    let kept = [try made("a", "checkpoint", "--at-position", "9"), try made("b", "checkpoint")]
    let options = kept.flatMap { ["--checkpoint", $0] } + ["--key", verifier]
    let good = try ledger.run(["verify"] + options)
    #expect(good.status == 0, "\(good.output)")
    // What was signed comes first: the rest is only as good as the folder.
    let signed = try #require(
      good.lines.firstIndex(of: "the ledger extends everything that was signed"))
    #expect(good.lines.suffix(from: signed + 1).last == "the log and the projections are intact")
    let other = try TestLedger()
    _ = try other.run("append", input: Sample.purchase("t1", of: "eve", at: 1))
    let bad = try other.run(["verify"] + options + ["--format", "json"])
    #expect(bad.status == 1)
    let changed = try bad.object()["changed"] as? [String: Any]
    #expect(changed?["from"] as? Int == 1)
    #expect(changed?["to"] as? Int == 9)
  }

  @Test(
    "wrong input is said, with what was expected",
    arguments: [
      (["prove"], 64), (["prove", "1", "--from", "2"], 64), (["prove", "1", "--to", "2"], 64),
      (["prove", "99999"], 65), (["prove", "no-such-id"], 65), (["prove", "9", "--size", "8"], 65),
      (["prove", "--from", "9", "--to", "8"], 64), (["prove", "0"], 64),
    ] as [([String], Int32)])
  func wrongInput(_ arguments: [String], _ status: Int32) throws {
    let outcome = try ledger.run(arguments + ["--key", key])
    #expect(outcome.status == status, "\(outcome.errors)")
    #expect(!outcome.errors.isEmpty)
  }

  @Test("files that are none are refused") func wrongFiles() throws {
    let path = try made("p", "prove", "7")
    #expect(try check(path, "--key", ledger.folder.path("nothing")).status == 66)
    #expect(try check(path, "--key", "not+a+key").status == 65)
    #expect(try check(path, "--key", path).status == 65)
    #expect(try check(ledger.folder.path("nothing"), "--key", verifier).status == 66)
    #expect(try check(key, "--key", verifier).status == 65)
    #expect(try ledger.run("verify", "--checkpoint", path).status == 64)
    #expect(try ledger.run("checkpoint", "--key", path).status == 65)
  }
}
