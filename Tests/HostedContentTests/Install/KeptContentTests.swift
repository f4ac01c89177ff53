import Foundation
import LedgerEvents
import Testing
import TracedProcesses

/// Operations on installed content, on the disk and in the ledger.
@Suite("Installed content", .serialized)
struct KeptContentTests {
  private let lab: InstallLab
  private let sandbox: URL

  init() throws {
    lab = try InstallLab()
    sandbox = try lab.copy()
  }

  private func run(_ verb: String, _ words: String...) throws -> ProcessEnding {
    try TracedProcess.run(lab.content(verb, words, sandbox))
  }

  /// Lists the folder without a ledger.
  private func list(_ words: String...) throws -> String {
    try TracedProcess.run(["content", "list", lab.root(sandbox)] + words).output
  }

  private func reported() throws -> [String] { try lab.events(sandbox).map(\.type.text) }

  private func installed() throws -> [String] {
    let answer = try TracedProcess.run(
      ["installed", "keeper", "--ledger", lab.ledger(sandbox), "--format", "jsonl"])
    return answer.output.matches(of: /"contentVersion":"([^"]*)"/).map { String($0.1) }
  }

  @Test("is installed once, however often its package comes by the same download")
  func again() throws {
    let command = lab.install("1.1", sandbox)
    #expect(try TracedProcess.run(command).status == 0)
    let before = try reported()
    let again = try TracedProcess.run(command)
    #expect(again.status == 0)
    #expect(again.output.contains("was installed already"))
    #expect(try reported() == before)
  }

  @Test("is listed with what the store has of it, if a ledger is named") func hosting() throws {
    #expect(try !list().contains("hosting"))
    let events = sandbox.appending(path: "hosting.jsonl")
    let states = [("waitingForUpload", "07"), ("readyToSubmit", "08")].map { state, hour in
      #"{"id":"hosting-\#(hour)","type":"content.hostingChanged","product":"\#(InstallLab.product)","#
        + #""occurredAt":"2026-03-02T\#(hour):00:00Z","data":{"hosting":"\#(state)"}}"#
    }
    try Data(states.joined(separator: "\n").utf8).write(to: events)
    let ledger = lab.ledger(sandbox)
    #expect(try TracedProcess.run(["append", events.path, "--ledger", ledger]).status == 0)
    #expect(try list("--ledger", ledger).contains("readyToSubmit (sandbox only)"))
    let json = try list("--ledger", ledger, "--format", "jsonl")
    #expect(json.contains(#""hosting":"readyToSubmit""#), "\(json)")
    let other = try list("--ledger", ledger, "--environment", "sandbox", "--format", "jsonl")
    #expect(other.contains(#""hosting":null"#), "\(other)")
  }

  @Test("of many small files is written whole, in order, and as the package has it")
  func many() throws {
    try lab.makePackage("1.1", files: 500, bytes: 2_000, as: "many")
    let package = URL(filePath: lab.package("many")).appending(path: "Contents")
    try Data().write(to: package.appending(path: "zz-empty"))
    try Data(repeating: 7, count: 300_000).write(to: package.appending(path: "zz-large"))
    let link = package.appending(path: "zz-link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "zz-large")
    let ending = try TracedProcess.run(lab.install("many", sandbox))
    #expect(ending.status == 0, "\(ending.errors)")
    let there = lab.root(sandbox) + "/" + InstallLab.product + "/1.1"
    let compared = try TracedProcess.run("/usr/bin/diff", ["-r", lab.package("many"), there])
    #expect(compared.status == 0, "\(compared.output)")
    #expect(try lab.faultsOfAudit(sandbox) == [])
  }

  @Test("is recorded for another transaction without being copied") func otherTransaction() throws {
    let ending = try TracedProcess.run(
      lab.install("1.0", sandbox, delivery: ["--transaction", "t-2", "--download", "d-1"]))
    #expect(ending.output.contains("was installed already"))
    let events = try lab.events(sandbox).suffix(2)
    #expect(events.map(\.type.text) == ["content.installStarted", "content.installed"])
    #expect(events.allSatisfy { $0.transaction == "t-2" })
    #expect(try lab.faultsOfAudit(sandbox) == [])
  }

  @Test("states version, path, bytes and digest, and of a download its transaction")
  func stated() throws {
    #expect(try TracedProcess.run(lab.install("1.1", sandbox)).status == 0)
    let events = try lab.events(sandbox)
    let event = try #require(events.last { $0.type.kind == .contentInstalled })
    #expect(event.data.string("contentVersion") == "1.1")
    #expect(event.data.string("path") == "\(InstallLab.product)/1.1")
    #expect((event.data.integer("bytes") ?? 0) > 100)
    #expect(event.data.string("digest")?.hasPrefix("sha256:") == true)
    #expect(event.transaction == "t-1")
    #expect(event.download == "d-1")
    #expect(event.account == "keeper")
    #expect(event.device == "phone")
    #if !canImport(Darwin)
      #expect(event.data["excludedFromBackup"] == nil)
      let findings = try TracedProcess.run([
        "findings", "--rule", "backup-not-excluded", "--ledger", lab.ledger(sandbox), "--count",
      ])
      #expect(findings.output == "0\n", "\(findings.output)")
    #endif
  }

  @Test("waits for the switch where it is not to be current") func switching() throws {
    #expect(try TracedProcess.run(lab.install("1.1", sandbox) + ["--no-activate"]).status == 0)
    #expect(try lab.current(sandbox) == "1.0")
    #expect(try installed() == ["1.1"])
    #expect(try lab.faultsOfAudit(sandbox) == [])
    #expect(try run("switch", InstallLab.product, "1.1").status == 0)
    #expect(try lab.current(sandbox) == "1.1")
    #expect(try reported().last == "content.activated")
    #expect(try lab.faultsOfAudit(sandbox) == [])
    let before = try reported()
    #expect(try run("switch", InstallLab.product, "1.1").output.contains("(unchanged)"))
    #expect(try reported() == before)
    let missing = try run("switch", InstallLab.product, "3.0")
    #expect(missing.status == 66)
    #expect(missing.errors.contains("installed: 1.0, 1.1"), "\(missing.errors)")
  }

  @Test("of an older version goes without the ledger's answer changing") func removeOld() throws {
    #expect(try TracedProcess.run(lab.install("1.1", sandbox)).status == 0)
    let current = try run("remove", InstallLab.product, "1.1")
    #expect(current.status == 65)
    #expect(current.errors.contains("current version"), "\(current.errors)")
    #expect(try run("remove", InstallLab.product, "1.0").status == 0)
    #expect(try reported().last == "note.added")
    #expect(try installed() == ["1.1"])
    #expect(try lab.faultsOfAudit(sandbox) == [])
    #expect(try list().contains("1.1"))
    #expect(try !list().contains("1.0"))
  }

  @Test("of the version that the ledger has is followed, in one append, by the one that stays")
  func removeInstalled() throws {
    #expect(try TracedProcess.run(lab.install("1.1", sandbox)).status == 0)
    #expect(try run("switch", InstallLab.product, "1.0").status == 0)
    #expect(try run("remove", InstallLab.product, "1.1").status == 0)
    #expect(try reported().suffix(2) == ["content.removed", "content.installed"])
    #expect(try installed() == ["1.0"])
    #expect(try lab.faultsOfAudit(sandbox) == [])
  }

  @Test("of a product goes as a whole, and can come again") func removeAll() throws {
    #expect(try TracedProcess.run(lab.install("1.1", sandbox)).status == 0)
    #expect(try run("remove", InstallLab.product, "--all").status == 0)
    #expect(try reported().last == "content.removed")
    #expect(try installed() == [])
    #expect(try list() == "nothing\n")
    #expect(try lab.faultsOfAudit(sandbox) == [])
    #expect(try TracedProcess.run(lab.install("1.1", sandbox) + ["--no-activate"]).status == 0)
    #expect(try installed() == ["1.1"])
    #expect(try lab.faultsOfAudit(sandbox) == [])
  }

  @Test("is pruned to the newest versions and the current one, by the order of versions")
  func prune() throws {
    for version in ["1.2", "1.10", "1.9"] {
      try lab.makePackage(version, files: 2)
      #expect(try TracedProcess.run(lab.install(version, sandbox) + ["--no-activate"]).status == 0)
    }
    let pruned = try run("prune", "--keep", "2", "--format", "jsonl")
    #expect(pruned.output.matches(of: /"contentVersion":"([^"]*)"/).map { $0.1 } == ["1.2"])
    let listed = try list("--format", "jsonl")
    #expect(
      listed.matches(of: /"contentVersion":"([^"]*)"/).map { $0.1 } == ["1.10", "1.9", "1.0"])
    #expect(try lab.faultsOfAudit(sandbox) == [])
    #expect(try run("prune", "--keep", "0").status == 64)
  }

  @Test("that is refused lists every fault, is reported as failed, and leaves nothing")
  func refused() throws {
    try lab.makePackage("1.2", files: 2)
    let package = URL(fileURLWithPath: lab.package("1.2"))
    try Data([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0]).write(
      to: package.appending(path: "Contents/tool"))
    try Data("stray".utf8).write(to: package.appending(path: "stray.txt"))
    let ending = try TracedProcess.run(lab.install("1.2", sandbox))
    #expect(ending.status == 65)
    #expect(ending.errors.contains("Contents/tool"), "\(ending.errors)")
    #expect(ending.errors.contains("stray.txt"), "\(ending.errors)")
    let failed = try #require(try lab.events(sandbox).last)
    #expect(failed.type.text == "content.installFailed")
    #expect(failed.data.value("error")?.integer("code") == 6)
    #expect(try lab.current(sandbox) == "1.0")
    #expect(try lab.attemptsLeft(sandbox) == [])
    #expect(try lab.faultsOfAudit(sandbox) == [])
  }

  @Test("is found out where disk and ledger differ, both ways") func audit() throws {
    #expect(try TracedProcess.run(lab.install("1.1", sandbox)).status == 0)
    let product = "\(lab.root(sandbox))/\(InstallLab.product)"
    let files = FileManager.default
    func kinds() throws -> [String] {
      let ending = try run("audit", "--format", "json")
      #expect(ending.status == 1, "\(ending.output)")
      return ending.output.matches(of: /"difference":"([a-zA-Z]*)"/).map { String($0.1) }
    }
    try Data("other".utf8).write(to: URL(fileURLWithPath: product + "/1.0/Contents/tile-0.txt"))
    #expect(try kinds() == ["otherContent"])
    try files.removeItem(atPath: product + "/1.0")
    try files.moveItem(atPath: product + "/1.1", toPath: product + "/1.3")
    #expect(
      try kinds().sorted() == ["broken", "currentMissing", "missing", "unrecorded"])
    try files.moveItem(atPath: product + "/1.3", toPath: product + "/1.1")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: product + "/notes.txt"))
    #expect(try kinds() == ["stray"])
    try files.removeItem(atPath: product + "/notes.txt")
    try files.removeItem(atPath: product + "/current")
    #expect(try kinds() == ["otherCurrent"])
    try files.createSymbolicLink(atPath: product + "/current", withDestinationPath: "1.1")
    #expect(try lab.faultsOfAudit(sandbox) == [])
    try files.createDirectory(
      atPath: lab.root(sandbox) + "/.daybook/attempts/0", withIntermediateDirectories: false)
    #expect(try kinds() == ["unfinished"])
    #expect(try TracedProcess.run(lab.install("1.1", sandbox)).status == 0)
    #expect(try lab.faultsOfAudit(sandbox) == [])
  }
}
