import Foundation
import Testing

@Suite("backup and restore") struct BackupTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [
      Sample.purchase("t1", of: "ada", at: 0), Sample.purchase("t2", of: "eve", at: 10),
    ])
  }

  private func restored(_ arguments: String...) throws -> Outcome {
    try run(arguments, ledger: ledger.folder.path("restored"))
  }

  private func run(_ arguments: [String], ledger path: String) throws -> Outcome {
    try ledger.run(arguments + ["--ledger", path])
  }

  private func backUp() throws -> String {
    let copy = ledger.folder.path("copy")
    let made = try ledger.run("backup", copy, "--operator", "kim")
    try #require(made.status == 0, "\(made.errors)")
    return copy
  }

  private var keys: String { ledger.path + "/keys" }

  @Test("a backup becomes a ledger with the same events and answers, and goes on")
  func roundTrip() throws {
    let copy = try backUp()
    #expect(!FileManager.default.fileExists(atPath: copy + "/keys"))
    let made = try restored("restore", copy, "--keys", keys)
    #expect(made.status == 0, "\(made.errors)")
    let before = try ledger.run("events", "--to", "2")
    #expect(try restored("events").output == before.output)
    #expect(
      try restored("entitlements", "ada", "--format", "json").object()["active"] as? [String]
        == ["map"])
    #expect(try restored("verify").status == 0)
    let more = try ledger.run(
      ["append", "--ledger", ledger.folder.path("restored")],
      input: Sample.purchase("t3", of: "zoe", at: 20))
    #expect(more.status == 0, "\(more.errors)")
    #expect(try ledger.run("events", "--type", "operator.acted").lines.count == 1)
  }

  @Test("a backup since a position follows on the one before, and its keys are copied with it")
  func increment() throws {
    let (full, more) = (ledger.folder.path("full"), ledger.folder.path("more"))
    let safe = ledger.folder.path("safe.keys")
    let made = try ledger.run("backup", full, "--keys", safe, "--format", "json")
    let end = try #require(try made.object()["position"] as? Int)
    let appended = try ledger.run("append", input: Sample.purchase("t9", of: "zoe", at: 30))
    #expect(appended.status == 0)
    let next = try ledger.run("backup", more, "--since", "\(end)", "--keys", safe)
    #expect(next.status == 0, "\(next.errors)")
    #expect(next.lines.last == "the keys are in \(safe)")
    #expect(try ledger.run("events", "--type", "operator.acted").output.contains(#""since":"#))
    let outcome = try restored("restore", full, more, "--keys", safe)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try restored("events", "--account", "zoe").lines.count == 1)
    let alone = try run(
      ["restore", full, more, more, "--keys", safe], ledger: ledger.folder.path("twice"))
    #expect(alone.status == 65 && alone.errors.contains("name every backup, in order"))
    let beyond = try ledger.run("backup", ledger.folder.path("x"), "--since", "999")
    #expect(beyond.status != 0 && beyond.errors.contains("nothing follows 999"))
  }

  @Test("an increment alone and a path without a backup are refused with what to name")
  func wrongPath() throws {
    let (full, more) = (ledger.folder.path("full"), ledger.folder.path("more"))
    #expect(try ledger.run("backup", full).status == 0)
    #expect(try ledger.run("backup", more, "--since", "3").status == 0)
    let none = ledger.folder.path("nob")
    for (paths, message) in [
      (
        [more],
        "\(more) is an incremental backup: name the full backup first, then the increments in "
          + "their order."
      ), ([none], "There is no backup at \(none): check the path."),
      ([full, none], "There is no incremental backup at \(none): check the path."),
      ([full, full], "\(full) is a full backup: name it first, and only increments after it."),
    ] {
      let refused = try run(
        ["restore"] + paths + ["--keys", keys], ledger: ledger.folder.path("restored"))
      #expect(refused.status == 66)
      #expect(refused.errors == "daybook: \(message)\n")
    }
    let asLedger = try run(["stats"], ledger: more)
    #expect(asLedger.status == 66)
    #expect(asLedger.errors.contains("is an incremental backup: `daybook restore`"))
  }

  @Test("without keys it answers and goes on, and shows no names")
  func withoutKeys() throws {
    let copy = try backUp()
    #expect(try restored("restore", copy).status == 64)
    let made = try restored("restore", copy, "--without-keys")
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.output.contains("are missing"))
    #expect(try !restored("events").output.contains("ada"))
    #expect(try restored("events").output.contains("sealed:"))
    // What names nobody is answered; the lost keys were what names are found by.
    #expect(try restored("holders", "map").output.contains("sealed:"))
    #expect(
      try restored("entitlements", "ada", "--format", "json").object()["active"] as? [String]
        == [])
    let more = try ledger.run(
      ["append", "--ledger", ledger.folder.path("restored")],
      input: Sample.purchase("t3", of: "zoe", at: 20))
    #expect(more.status == 0, "\(more.errors)")
    #expect(try restored("events").output.contains("zoe"))
  }

  @Test("keys that were given up are reported by verify, and are accepted with --without-keys")
  func keysGivenUp() throws {
    let copy = try backUp()
    let made = try restored("restore", copy, "--without-keys")
    #expect(made.output.contains("key: the keys of 4 names and texts of people are missing"))
    let verified = try restored("verify")
    #expect(verified.status == 1)
    #expect(verified.output.contains("the log and the projections are intact"))
    #expect(verified.output.contains("key: the keys of 4 names and texts of people are missing"))
    #expect(verified.output.contains("--without-keys"))
    #expect(!verified.output.contains("damaged"))
    let accepted = try restored("verify", "--without-keys", "--format", "json")
    #expect(accepted.status == 0, "\(accepted.output)")
    #expect(try (accepted.object()["keyFaults"] as? [String])?.count == 1)
    #expect(try (accepted.object()["faults"] as? [Any])?.isEmpty == true)
    #expect(try (accepted.object()["differences"] as? [String])?.isEmpty == true)
    // Whoever backs that up is warned again.
    let again = try restored("backup", ledger.folder.path("again"), "--operator", "kim")
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output.contains("key: the keys of 4 names and texts of people are missing"))
  }

  @Test("a key file that is missing does not go unnoticed, and is no damage to the log")
  func keyFileMissing() throws {
    try FileManager.default.moveItem(atPath: keys, toPath: ledger.folder.path("safe"))
    for arguments in [["verify"], ["verify", "--without-keys"]] {
      let verified = try ledger.run(arguments)
      #expect(verified.status == 1)
      #expect(verified.output.contains("the log and the projections are intact"))
      #expect(verified.output.contains("there is no key file \(keys)"))
    }
    let copy = ledger.folder.path("copy")
    let refused = try ledger.run("backup", copy, "--operator", "kim")
    #expect(refused.status == 66)
    #expect(refused.errors.contains("put it back"))
    #expect(!FileManager.default.fileExists(atPath: copy))
    // The advice in the message works.
    let made = try restored("restore", ledger.path, "--without-keys")
    #expect(made.status == 0, "\(made.errors)")
    try FileManager.default.moveItem(atPath: ledger.folder.path("safe"), toPath: keys)
    #expect(try ledger.run("verify").status == 0)
  }

  @Test("another ledger's key file is reported by verify, and not taken for damage")
  func otherKeys() throws {
    let other = try TestLedger()
    let appended = try other.run("append", input: Sample.purchase("t1", of: "ada", at: 0))
    #expect(appended.status == 0)
    try FileManager.default.removeItem(atPath: keys)
    try FileManager.default.copyItem(atPath: other.path + "/keys", toPath: keys)
    let verified = try ledger.run("verify")
    #expect(verified.status == 1)
    #expect(verified.output.contains("is the key file of another ledger"))
    #expect(verified.output.contains("the log is intact"))
  }

  @Test("a key file without keys is refused, and says what to do", arguments: [0, 64, 131_104])
  func emptyKeys(count: Int) throws {
    let copy = try backUp()
    let empty = ledger.folder.path("empty.keys")
    try Data(count: count).write(to: URL(fileURLWithPath: empty))
    let made = try restored("restore", copy, "--keys", empty)
    #expect(made.status == 65, "\(made.output)")
    #expect(made.errors.contains("\(empty) holds no keys"))
    #expect(made.errors.contains("--without-keys"))
    #expect(try !left().contains("restored"))
  }

  @Test("keys older than the backup are refused with what would be lost, unless it is given up")
  func olderKeys() throws {
    let old = ledger.folder.path("old.keys")
    try FileManager.default.copyItem(atPath: keys, toPath: old)
    // More names than the old copy has keys for: it has a block of 4,096.
    let lines = (1...4_200).map { Sample.purchase("m\($0)", of: "customer-\($0)", at: 20) }
    let appended = try ledger.run("append", input: lines.joined(separator: "\n"))
    try #require(appended.status == 0, "\(appended.errors)")
    let copy = try backUp()
    let refused = try restored("restore", copy, "--keys", old)
    #expect(refused.status == 66, "\(refused.output)")
    let lost = try #require(
      refused.errors.firstMatch(of: /lacks the keys of (\d+) names and texts/), "\(refused.errors)")
    #expect(Int(lost.1) ?? 0 > 100)
    #expect(refused.errors.contains("--give-up-missing"))
    #expect(try !left().contains { $0.hasPrefix("restored") })

    let made = try restored("restore", copy, "--keys", old, "--give-up-missing")
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.output.contains("the keys of \(lost.1) names and texts of people are missing"))
    #expect(try restored("events", "--account", "ada").lines.count == 1)
    // Good keys need nothing of that, and there is nothing to give up without keys.
    let good = ledger.folder.path("good")
    #expect(try run(["restore", copy, "--keys", keys], ledger: good).status == 0)
    let both = try restored("restore", copy, "--without-keys", "--give-up-missing")
    #expect(both.status == 64)
  }

  @Test("copies are their owner's alone, and files of their own")
  func keyRights() throws {
    let copy = try backUp()
    let files = FileManager.default
    let link = ledger.folder.path("link.keys")
    try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: keys)
    try files.createSymbolicLink(atPath: link, withDestinationPath: keys)
    #expect(try restored("restore", copy, "--keys", link).status == 0)
    for file in ["restored/keys", "restored/log/data.mdb", "copy/log/data.mdb"] {
      let found = try files.attributesOfItem(atPath: ledger.folder.path(file))
      #expect(found[.posixPermissions] as? Int == 0o600, "\(file)")
      #expect(found[.type] as? FileAttributeType == .typeRegular, "\(file)")
    }
  }

  @Test("a slash at the end of a new folder's name is none of it") func trailingSlash() throws {
    let copy = ledger.folder.path("copy")
    let made = try ledger.run("backup", copy + "/", "--operator", "kim")
    #expect(made.status == 0, "\(made.errors)")
    let back = try run(
      ["restore", copy + "/", "--keys", keys], ledger: ledger.folder.path("restored//"))
    #expect(back.status == 0, "\(back.errors)")
    #expect(try restored("verify").status == 0)
    #expect(try left().sorted() == ["copy", "ledger", "restored"])
  }

  @Test(
    "where no folder can be made is said before anything is copied",
    arguments: [
      "nowhere/copy", "ledger/keys/copy", "dangling",
    ])
  func impossiblePlace(_ name: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: ledger.folder.path("dangling"), withDestinationPath: "nowhere")
    let copy = try backUp()
    let made = try ledger.run("backup", ledger.folder.path(name), "--operator", "kim")
    #expect(made.status == 73)
    let back = try run(
      ["restore", copy, "--keys", keys], ledger: ledger.folder.path(name))
    #expect(back.status == 73)
    #expect(try ledger.run("backup", "", "--operator", "kim").status == 73)
    #expect(try left().sorted() == ["copy", "dangling", "ledger"])
    #expect(try ledger.run("events", "--type", "operator.acted").lines.count == 1)
  }

  @Test("a restoring leaves nothing in the backup") func untouched() throws {
    let copy = try backUp()
    #expect(try restored("restore", copy, "--keys", keys).status == 0)
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: copy).sorted() == [
        "log", "log/data.mdb", "root",
      ])
  }

  /// Changes a product's name in the log of a backup, in all places.
  private func rename(_ name: String, _ other: String, in copy: String) throws {
    let file = URL(fileURLWithPath: copy + "/log/data.mdb")
    var data = try Data(contentsOf: file)
    var found = 0
    while let range = data.range(of: Data(name.utf8)) {
      data.replaceSubrange(range, with: Data(other.utf8))
      found += 1
    }
    try #require(found > 0)
    try data.write(to: file)
  }

  @Test("a changed name of the last events is found by the root that the backup holds")
  func changedName() throws {
    let purchase = Sample.purchase("t3", of: "zoe", at: 20)
      .replacingOccurrences(of: #""map""#, with: #""map1""#)
    let appended = try ledger.run("append", input: purchase)
    try #require(appended.status == 0, "\(appended.errors)")
    let copy = try backUp()
    try rename("map1", "mapq", in: copy)
    let refused = try restored("restore", copy, "--keys", keys)
    #expect(refused.status == 65, "\(refused.output)")
    #expect(refused.errors.contains("does not have the root that is in \(copy)/root"))
    #expect(try !left().contains { $0.hasPrefix("restored") })
  }

  @Test("a backup from before backups had a root is restored with a warning") func noRoot() throws {
    let copy = try backUp()
    try FileManager.default.removeItem(atPath: copy + "/root")
    let made = try restored("restore", copy, "--keys", keys)
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.errors.contains("warning: the backup has no file `root`"))
    #expect(made.errors.contains("the last 2 events"))
    // A backup of the new ledger has one.
    let second = ledger.folder.path("second")
    #expect(try restored("backup", second).status == 0)
    let again = try run(
      ["restore", second, "--keys", keys], ledger: ledger.folder.path("again"))
    #expect(again.status == 0 && !again.errors.contains("warning"), "\(again.errors)")
  }

  @Test("a key file from before an erasure is reported, and is not what was given up")
  func keysOfErased() throws {
    let safe = ledger.folder.path("safe")
    try FileManager.default.copyItem(atPath: keys, toPath: safe)
    let erased = try ledger.run(
      "erase", "ada", "--yes", "--operator", "kim", "--reason", "request 88")
    #expect(erased.status == 0, "\(erased.errors)")
    #expect(try ledger.run("verify").status == 0)
    try FileManager.default.removeItem(atPath: keys)
    try FileManager.default.moveItem(atPath: safe, toPath: keys)
    let verified = try ledger.run("verify", "--without-keys")
    #expect(verified.status == 1, "\(verified.output)")
    #expect(verified.output.contains("a copy from before"))
    #expect(verified.output.contains("the log and the projections are intact"))
  }

  @Test("what is larger than a file may be is reported, and nothing is left half")
  func fileSizeLimit() throws {
    let copy = try backUp()
    let commands = [
      "backup \(ledger.folder.path("second")) --operator kim",
      "restore \(copy) --keys \(keys) --ledger \(ledger.folder.path("restored"))",
    ]
    for command in commands {
      let process = try Program.process([], ledger: ledger.path)
      let program = try #require(process.executableURL).path
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "ulimit -f 16; exec '\(program)' \(command)"]
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationReason == .exit)
      #expect(process.terminationStatus == 74)
    }
    #expect(try left().sorted() == ["copy", "ledger"])
  }

  @Test("what a killed process has left of a copy is removed by the next copy beside it")
  func abandoned() throws {
    // A number that no process can have, and that of this one, which is alive.
    let dead = ledger.folder.path("monday.999999999-0123456789abcdef.part")
    let own = "tuesday.\(ProcessInfo.processInfo.processIdentifier)-0123456789abcdef.part"
    for folder in [dead, ledger.folder.path(own), ledger.folder.path("mine.part")] {
      try FileManager.default.createDirectory(
        atPath: folder + "/log", withIntermediateDirectories: true)
    }
    _ = try backUp()
    #expect(try left().sorted() == ["copy", "ledger", "mine.part", own])
  }

  /// Returns the files beside the ledger.
  private func left() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: ledger.folder.url.path)
  }

  @Test("an erasure reaches a backup by its keys")
  func erased() throws {
    let copy = try backUp()
    #expect(
      try ledger.run("erase", "ada", "--yes", "--operator", "kim", "--reason", "request 88").status
        == 0)
    let made = try restored("restore", copy, "--keys", keys)
    #expect(made.status == 0, "\(made.errors)")
    #expect(try !restored("events").output.contains("ada"))
    #expect(try restored("events").output.contains("eve"))
    // An older key file would bring the customer back.
    #expect(!made.output.contains("put the key file back"))
    #expect(!made.output.contains("they were not erased"))
    #expect(made.lines.last?.contains("erased since the backup, or given up") == true)
    let verified = try restored("verify")
    #expect(verified.status == 1)
    #expect(verified.output.contains("erased since the backup that this ledger was restored from"))
  }

  @Test("nothing is overwritten, another ledger's keys are refused, and nothing is left half")
  func refused() throws {
    let copy = try backUp()
    #expect(try ledger.run("backup", copy, "--operator", "kim").status == 73)
    let other = try TestLedger()
    let appended = try other.run("append", input: Sample.purchase("t1", of: "ada", at: 0))
    #expect(appended.status == 0)
    let wrong = try restored("restore", copy, "--keys", other.path + "/keys")
    #expect(wrong.status == 65, "\(wrong.output)")
    #expect(wrong.errors.contains("is no key file of this ledger"))
    #expect(try restored("restore", copy + "-nowhere", "--keys", keys).status == 66)
    let file = try restored("restore", copy + "/log/data.mdb", "--keys", keys)
    #expect(file.status == 66 && file.errors.contains("log/data.mdb"), "\(file.errors)")
    let increment = try restored("restore", copy, copy + "/log/data.mdb", "--keys", keys)
    #expect(increment.status == 66, "\(increment.errors)")
    #expect(try restored("restore", copy, "--keys", keys + "-nowhere").status == 66)
    #expect(try !left().contains { $0.hasSuffix(".part") || $0 == "restored" })
  }
}
