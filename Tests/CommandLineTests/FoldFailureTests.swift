import Foundation
import Testing

@Suite("a fold that fails") struct FoldFailureTests {
  private let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  @Test("is reported by append and stats with what to do, until a fold succeeds")
  func reported() throws {
    let lock = "\(ledger.path)/projections/fold.lock"
    if FileManager.default.fileExists(atPath: lock) {
      try FileManager.default.removeItem(atPath: lock)
    }
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: true)

    // There are enough events that they are folded before the program ends.
    let appended = try ledger.run(
      "append", "--format", "json", input: Sample.notes("note", 4_500))
    #expect(appended.status == 0, "\(appended.errors)")
    #expect(try appended.object()["appended"] as? Int == 4_500)
    #expect(try appended.object()["foldFailure"] is String)
    #expect(appended.errors.contains("`daybook rebuild`"))

    let statistics = try ledger.run("stats", "--format", "json")
    #expect(try statistics.object()["foldFailure"] is String)
    #expect(statistics.errors.contains("the last fold of the projections failed"))
    #expect(try ledger.run("stats").errors.contains("`daybook rebuild`"))

    try FileManager.default.removeItem(atPath: lock)
    #expect(try ledger.run("rebuild").status == 0)
    let repaired = try ledger.run("stats", "--format", "json")
    #expect(try repaired.object()["foldFailure"] == nil)
    #expect(repaired.errors == "")
  }
}
