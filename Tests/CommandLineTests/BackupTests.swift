import Foundation
import Testing

@Suite("backup and restore") struct BackupTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    let lines = [
      Sample.purchase("t1", of: "ada", at: 0), Sample.purchase("t2", of: "eve", at: 10),
    ]
    let appended = try ledger.run("append", input: lines.joined(separator: "\n"))
    try #require(appended.status == 0, "\(appended.errors)")
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

  @Test("without keys it answers and goes on, and shows no names")
  func withoutKeys() throws {
    let copy = try backUp()
    #expect(try restored("restore", copy).status == 64)
    let made = try restored("restore", copy, "--without-keys")
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.output.contains("stay sealed"))
    #expect(try !restored("events").output.contains("ada"))
    #expect(try restored("events").output.contains("sealed:"))
    #expect(
      try restored("entitlements", "ada", "--format", "json").object()["active"] as? [String]
        == ["map"])
    let more = try ledger.run(
      ["append", "--ledger", ledger.folder.path("restored")],
      input: Sample.purchase("t3", of: "zoe", at: 20))
    #expect(more.status == 0, "\(more.errors)")
    #expect(try restored("events").output.contains("zoe"))
    #expect(try restored("verify").status == 1)
  }

  @Test("an erasure reaches a backup by its keys")
  func erased() throws {
    let copy = try backUp()
    #expect(
      try ledger.run("erase", "ada", "--operator", "kim", "--reason", "request 88").status == 0)
    let made = try restored("restore", copy, "--keys", keys)
    #expect(made.status == 0, "\(made.errors)")
    #expect(try !restored("events").output.contains("ada"))
    #expect(try restored("events").output.contains("eve"))
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
    #expect(try restored("restore", copy, "--keys", keys + "-nowhere").status == 66)
    let left = try FileManager.default.contentsOfDirectory(atPath: ledger.folder.url.path)
    #expect(!left.contains { $0.hasSuffix(".part") || $0 == "restored" })
  }
}
