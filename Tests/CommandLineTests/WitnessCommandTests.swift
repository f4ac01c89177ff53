import Foundation
import Testing
import TracedProcesses

@Suite("Witnesses, remembered checkpoints and keys behind a command") struct WitnessCommandTests {
  private let ledger: TestLedger
  private let verifier: String
  private let witnesses: [String]

  init() throws {
    let made = try TestLedger(
      events: (0..<40).map { Sample.purchase("t\($0)", of: "ada", at: $0) })
    verifier = try Self.key("books.example.com/test", in: made.folder.path("book.key"))
    witnesses = try (1...3).map {
      try Self.key("w\($0).example", in: made.folder.path("w\($0).key"), "--witness")
    }
    ledger = made
  }

  /// Makes a key, which no ledger records, and returns the verifier key.
  private static func key(_ name: String, in file: String, _ options: String...) throws -> String {
    let process = try Program.run(
      ["key", "new", "--name", name, "--out", file] + options,
      in: URL(fileURLWithPath: file).deletingLastPathComponent())
    return try #require(process.lines.first, "\(process.errors)")
  }

  private func path(_ name: String) -> String { ledger.folder.path(name) }

  private func contents(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: ledger.folder.file(name)), as: UTF8.self)
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: ledger.folder.file(name))
  }

  /// Runs a command of the ledger that writes a file.
  private func make(_ file: String, _ arguments: String...) throws {
    let made = try ledger.run(arguments + ["--key", path("book.key"), "--out", path(file)])
    try #require(made.status == 0, "\(made.errors)")
  }

  /// Asks for a cosignature, as a witness without a ledger.
  private func cosign(_ number: Int, _ request: String, _ options: String...) throws -> Outcome {
    try Program.run(
      [
        "witness", "cosign", "-", "--key", path("w\(number).key"), "--log", verifier,
        "--state", path("w\(number).state"),
      ] + options, ledger: "/nowhere/at/all", input: request)
  }

  private func request(_ file: String, old: Int) throws -> String {
    let asked = try ledger.run("witness", "request", path(file), "--old", "\(old)")
    try #require(asked.status == 0, "\(asked.errors)")
    return asked.output
  }

  private func add(_ file: String, _ answers: [String], _ names: [String]) throws -> Outcome {
    try Program.run(
      ["witness", "add", path(file)] + answers.map { path($0) }
        + names.flatMap { ["--witness", $0] })
  }

  private func check(_ file: String, _ options: String...) throws -> Outcome {
    try Program.run(
      ["check", path(file), "--key", verifier] + options, ledger: "/nowhere/at/all")
  }

  @Test("a checkpoint is cosigned by two of three, and check and verify can require that")
  func roundTrip() throws {
    try make("a", "checkpoint", "--at-position", "10")
    for number in 1...2 {
      let answer = try cosign(number, try request("a", old: 0), "--new-state")
      #expect(answer.status == 0, "\(answer.errors)")
      try write(answer.output, to: "a.w\(number)")
    }
    let added = try add("a", ["a.w1", "a.w2"], witnesses)
    #expect(added.status == 0, "\(added.errors)")
    #expect(added.lines.count == 2 && added.lines[0].hasPrefix("cosigned by w1.example+"))
    let all = witnesses.flatMap { ["--witness", $0] }
    let two = try Program.run(
      ["check", path("a"), "--key", verifier, "--require", "2", "--format", "json"] + all)
    #expect(two.status == 0, "\(two.output)")
    let found = try #require(try two.object()["witnesses"] as? [[String: Any]])
    #expect(found.map { $0["counts"] as? Bool } == [true, true, false])
    let three = try Program.run(["check", path("a"), "--key", verifier] + all)
    #expect(three.status == 1)
    #expect(three.output.contains("3 of 3 witnesses are required, and 2 cosigned"))
    #expect(three.output.contains("Not cosigned: w3.example+"))
    let verified = ["verify", "--checkpoint", path("a"), "--key", verifier]
    #expect(try ledger.run(verified + all + ["--require", "2"]).status == 0)
    #expect(try ledger.run(verified + all).status == 1)
  }

  @Test("the proof of an event can carry cosignatures, and still proves it") func proofs() throws {
    try make("p", "prove", "7")
    try write(try cosign(1, try request("p", old: 0), "--new-state").output, to: "p.w1")
    #expect(try add("p", ["p.w1"], [witnesses[0]]).status == 0)
    let checked = try check("p", "--witness", witnesses[0])
    #expect(checked.status == 0, "\(checked.output)")
    #expect(checked.lines.first == "proven: this event is at position 7")
    #expect(checked.output.contains("cosigned by w1.example+"))
    #expect(try check("p", "--witness", witnesses[1]).status == 1)
  }

  @Test("a witness answers each refusal with its status, its exit code and its reason")
  func refusals() throws {
    try make("a", "checkpoint", "--at-position", "10")
    try make("b", "checkpoint", "--at-position", "20")
    let first = try request("a", old: 0)
    let early = try cosign(1, first)
    #expect(early.status == 66 && early.errors.contains("--new-state"), "\(early.errors)")
    #expect(try cosign(1, first, "--new-state").status == 0)
    #expect(try cosign(1, first, "--new-state").status == 73)
    let conflict = try cosign(1, try request("b", old: 0))
    #expect(conflict.status == 1 && conflict.output == "10\n")
    #expect(conflict.errors.contains("not cosigned (409)"))
    #expect(try cosign(1, try request("b", old: 10)).status == 0)
    #expect(try cosign(1, first).output == "20\n")
    let broken = try cosign(1, "old 20\n", "--format", "json")
    #expect(broken.status == 65)
    #expect(try broken.object()["status"] as? Int == 400)
    let other = try Program.run(
      [
        "witness", "cosign", "-", "--key", path("w2.key"), "--log", verifier,
        "--state", path("w1.state"),
      ], input: first.replacing("books.example.com/test", with: "books.example.com/other"))
    #expect(other.status == 1 && other.errors.contains("(404)"), "\(other.errors)")
    // The state is damaged.
    try write(try contents("w1.state").replacing("20", with: "21"), to: "w1.state")
    let damaged = try cosign(1, try request("b", old: 20))
    #expect(damaged.status == 65 && damaged.errors.contains("damaged"), "\(damaged.errors)")
    #expect(damaged.output == "")
  }

  @Test("a ledger that was written anew under the same key is not cosigned") func forked() throws {
    try make("a", "checkpoint", "--at-position", "10")
    #expect(try cosign(1, try request("a", old: 0), "--new-state").status == 0)
    let other = try TestLedger(
      events: (0..<40).map { Sample.purchase("u\($0)", of: "eve", at: $0) })
    let made = try other.run(
      "checkpoint", "--key", path("book.key"), "--at-position", "20", "--out", path("b"))
    #expect(made.status == 0)
    let asked = try other.run("witness", "request", path("b"), "--old", "10")
    let refused = try cosign(1, asked.output)
    #expect(refused.status == 1 && refused.output == "", "\(refused.output)")
    #expect(refused.errors.contains("not cosigned (422)"))
    // And this ledger cannot ask for that checkpoint at all.
    let foreign = try ledger.run("witness", "request", path("b"))
    #expect(foreign.status == 1 && foreign.errors.contains("is no checkpoint of this ledger"))
  }

  @Test("an answer that is false, a stranger's or no answer leaves the checkpoint as it was")
  func badAnswers() throws {
    try make("a", "checkpoint", "--at-position", "10")
    try make("b", "checkpoint", "--at-position", "20")
    let before = try contents("a")
    try write(try cosign(1, try request("b", old: 0), "--new-state").output, to: "b.w1")
    try write("nothing\n", to: "none")
    #expect(try add("a", ["b.w1"], [witnesses[0]]).status == 1)
    #expect(try add("a", ["b.w1"], [witnesses[1]]).status == 1)
    #expect(try add("a", ["none"], [witnesses[0]]).status == 65)
    #expect(try add("a", ["missing"], [witnesses[0]]).status == 66)
    #expect(try add("a", ["b.w1"], [verifier]).status == 65)
    #expect(try contents("a") == before)
  }

  @Test("check remembers the newest checkpoint, and refuses forks and going back")
  func memory() throws {
    for position in [10, 20, 30] {
      try make("\(position)", "checkpoint", "--at-position", "\(position)")
    }
    try make("10-20", "prove", "--from", "10", "--to", "20")
    try make("20-30", "prove", "--from", "20", "--to", "30")
    let seen = path("seen")
    #expect(try check("10", "--remember", seen).output.contains("as the first checkpoint of"))
    #expect(try check("10", "--remember", seen).output.contains("it is the newest checkpoint"))
    let unproven = try check("20", "--remember", seen)
    #expect(unproven.status == 1)
    #expect(unproven.output.contains("`daybook prove --from 10 --to 20`"))
    #expect(try check("10-20", "--remember", seen).status == 0)
    let back = try check("10", "--remember", seen)
    #expect(back.status == 1 && back.output.contains("or the ledger went back"))
    #expect(try check("10", "--remember", seen, "--consistency", path("10-20")).status == 0)
    let grown = try check(
      "30", "--remember", seen, "--consistency", path("20-30"), "--format", "json")
    #expect(grown.status == 0, "\(grown.output)")
    let remembered = try grown.object()["remembered"] as? [String: Any]
    #expect(remembered?["verdict"] as? String == "extends")
    let other = try TestLedger(
      events: (0..<40).map { Sample.purchase("u\($0)", of: "eve", at: $0) })
    let made = try other.run(
      "checkpoint", "--key", path("book.key"), "--at-position", "30", "--out", path("fork"))
    #expect(made.status == 0)
    let before = try contents("seen")
    let forked = try check("fork", "--remember", seen)
    #expect(forked.status == 1 && forked.output.contains("the ledger has two histories"))
    #expect(try contents("seen") == before)
    try write(String(before.dropLast(9)), to: "seen")
    let damaged = try check("30", "--remember", seen)
    #expect(
      damaged.status == 65 && damaged.errors.hasPrefix("daybook: \(seen): the"), "\(damaged.errors)"
    )
  }

  @Test("a refused checkpoint's verdict is a word for programs, too") func refusedVerdicts() throws
  {
    for position in [10, 20] {
      try make("\(position)", "checkpoint", "--at-position", "\(position)")
    }
    try make("10-20", "prove", "--from", "10", "--to", "20")
    let other = try TestLedger(
      events: (0..<40).map { Sample.purchase("u\($0)", of: "eve", at: $0) })
    let made = try other.run(
      "checkpoint", "--key", path("book.key"), "--at-position", "20", "--out", path("fork"))
    #expect(made.status == 0)
    let seen = path("seen")
    func verdict(_ file: String) throws -> [String?] {
      let refused = try check(file, "--remember", seen, "--format", "json")
      #expect(refused.status == 1, "\(refused.output)")
      let document = try refused.object()
      #expect(document["proven"] as? Bool == false)
      let remembered = try #require(document["remembered"] as? [String: Any])
      #expect(remembered["message"] as? String == document["reason"] as? String)
      return [remembered["verdict"] as? String, remembered["file"] as? String]
    }
    #expect(try check("10", "--remember", seen).status == 0)
    #expect(try verdict("20") == ["unproven", seen])
    #expect(try check("10-20", "--remember", seen).status == 0)
    #expect(try verdict("10") == ["wentBack", seen])
    #expect(try verdict("fork") == ["forks", seen])
    // What fails for another reason has no verdict.
    let unsigned = try check(
      "10", "--remember", seen, "--witness", witnesses[0], "--format", "json")
    #expect(try unsigned.status == 1 && unsigned.object()["remembered"] == nil)
  }

  @Test("an answer that is there already is not said to be added again") func addedTwice() throws {
    try make("a", "checkpoint", "--at-position", "10")
    try write(try cosign(1, try request("a", old: 0), "--new-state").output, to: "a.w1")
    let once = try add("a", ["a.w1", "a.w1"], [witnesses[0]])
    #expect(once.status == 0 && once.lines.count == 1, "\(once.output)")
    let before = try contents("a")
    let twice = try add("a", ["a.w1"], [witnesses[0]])
    #expect(twice.status == 0 && !twice.output.contains("cosigned by"), "\(twice.output)")
    #expect(twice.output.contains("nothing was added"))
    #expect(try contents("a") == before)
    let json = try Program.run([
      "witness", "add", path("a"), path("a.w1"), "--witness", witnesses[0], "--format", "json",
    ])
    #expect(try (json.object()["added"] as? [Any])?.isEmpty == true)
  }

  @Test("a bundle is refused before a witness is asked, as it takes no cosignatures")
  func bundle() throws {
    let made = try ledger.run(
      "export", path("b"), "--bundle", "--account", "ada", "--key", path("book.key"))
    try #require(made.status == 0, "\(made.errors)")
    let asked = try ledger.run("witness", "request", path("b"))
    #expect(asked.status == 65 && asked.output == "", "\(asked.output)")
    #expect(asked.errors.contains("is a bundle"), "\(asked.errors)")
    // It is still a checkpoint that the ledger can be compared with.
    #expect(try ledger.run("verify", "--checkpoint", path("b"), "--key", verifier).status == 0)
  }

  @Test(
    "the key of a witness in place of a ledger's is refused without an option that is not there")
  func wrongKind() throws {
    let refused = try Program.run(
      [
        "witness", "cosign", "-", "--key", path("w1.key"), "--log", witnesses[1], "--state", "s",
      ])
    #expect(refused.status == 65 && refused.errors.contains("is the key of a witness"))
    #expect(!refused.errors.contains("--witness"), "\(refused.errors)")
  }

  @Test("what is not proven, or not cosigned by enough, is not remembered") func unproven() throws {
    try make("10", "checkpoint", "--at-position", "10")
    let seen = path("seen")
    #expect(try check("10", "--remember", seen, "--witness", witnesses[0]).status == 1)
    #expect(!FileManager.default.fileExists(atPath: seen))
  }

  @Test("a command signs in place of the key's file, and its failure is reported") func keyCommand()
    throws
  {
    // The command is another program with the key: here it is this one, over a file of its output.
    try make("a", "checkpoint", "--at-position", "10")
    let signature = try #require(try contents("a").split(separator: " ").last)
    let raw = try #require(Data(base64Encoded: String(signature.dropLast())))
    try raw.dropFirst(4).write(to: ledger.folder.file("raw"))
    func sign(_ command: String) throws -> Outcome {
      try ledger.run(
        "checkpoint", "--at-position", "10", "--key", verifier, "--key-command", command)
    }
    let signed = try sign("cat '\(path("raw"))'")
    #expect(signed.status == 0, "\(signed.errors)")
    #expect(try signed.output == contents("a"))
    let failed = try sign("echo no card >&2; exit 9")
    #expect(failed.status == 74 && failed.output == "")
    #expect(failed.errors.contains("exited with 9: no card"), "\(failed.errors)")
    let false0 = try sign("head -c 64 /dev/zero")
    #expect(false0.status == 65 && false0.output == "")
    #expect(try sign("cat '\(path("raw"))'").status == 0)
    let asked = try ledger.run(
      "prove", "3", "--size", "10", "--key", verifier, "--key-command", "cat '\(path("raw"))'")
    #expect(asked.status == 0 && asked.output.contains(signature), "\(asked.errors)")
  }

  @Test(
    "a cosignature is printed after the state is durable, and not at all if it cannot be",
    .enabled(if: TracedProcess.canTrace, "needs strace (apt-get install strace)"))
  func durable() throws {
    try make("a", "checkpoint", "--at-position", "10")
    #expect(try cosign(1, try request("a", old: 0), "--new-state").status == 0)
    try make("b", "checkpoint", "--at-position", "20")
    try write(try request("b", old: 10), to: "b.request")
    let words = [
      "witness", "cosign", path("b.request"), "--key", path("w1.key"), "--log", verifier,
      "--state", path("w1.state"),
    ]
    let calls = ["pwrite64", "fdatasync", "fsync", "rename", "write"]
    func run(_ fault: String? = nil) throws -> (ending: ProcessEnding, calls: [String]) {
      try TracedProcess.record(words, calls: calls, injecting: fault, in: path("trace"))
    }
    let before = try contents("w1.state")
    let failed = try run("fdatasync:error=EIO:when=1")
    #expect(failed.ending.status == 74 && failed.ending.output == "", "\(failed.ending)")
    #expect(try contents("w1.state") == before)
    let folder = ledger.folder.url.resolvingSymlinksInPath().lastPathComponent
    let steps = try run().calls.compactMap { call -> String? in
      if call.hasPrefix("write(1<") { return "answer" }
      if call.contains("/\(folder)>") { return call.hasPrefix("fsync(") ? "folder" : nil }
      guard call.contains("/.w1.state.partial") else { return nil }
      return call.prefix { $0 != "(" } == "pwrite64" ? "write" : String(call.prefix { $0 != "(" })
    }
    #expect(steps == ["folder", "write", "fdatasync", "rename", "folder", "answer"])
  }

  @Test("keys of the other kind and impossible numbers are refused with what was expected")
  func wrongInput() throws {
    try make("a", "checkpoint", "--at-position", "10")
    #expect(try check("a", "--witness", verifier).status == 65)
    #expect(try check("a", "--key", witnesses[0]).status == 65)
    #expect(try check("a", "--require", "1").status == 64)
    #expect(try check("a", "--witness", witnesses[0], "--require", "0").status == 64)
    let many = try check(
      "a", "--witness", witnesses[0], "--witness", witnesses[0], "--require", "2")
    #expect(many.status == 65 && many.errors.contains("2 of 1 witnesses cannot be required"))
    #expect(try check("a", "--consistency", path("a")).status == 64)
    #expect(try ledger.run("checkpoint", "--key", path("w1.key")).status == 65)
    #expect(try ledger.run("verify", "--witness", witnesses[0]).status == 64)
    #expect(try ledger.run("witness", "request", path("a"), "--old", "11").status == 65)
    let bookAsWitness = try Program.run(
      [
        "witness", "cosign", "-", "--key", path("book.key"), "--log", verifier, "--state", "s",
      ])
    #expect(bookAsWitness.status == 65)
  }
}
