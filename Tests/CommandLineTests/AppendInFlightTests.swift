import Foundation
import Testing

/// A batch is committed while the next lines are read, so a refusal comes late.
@Suite("append, with a refused line in a batch that is in flight") struct AppendInFlightTests {
  private let ledger: TestLedger
  private let input: String
  /// Two whole batches, and some lines.
  private let count = 12_000

  init() throws {
    ledger = try TestLedger()
    input = ledger.folder.path("notes.jsonl")
  }

  /// Writes notes of which one has an id that the ledger has with other content.
  private func write(refused: Int) throws {
    var lines = Sample.notes("note", count).split(separator: "\n").map(String.init)
    let other = ledger.folder.path("other.jsonl")
    let marked = lines[refused - 1].replacing("\"text\":\"", with: "\"text\":\"another ")
    try #require(marked != lines[refused - 1])
    try Data((marked + "\n").utf8).write(to: URL(filePath: other))
    try #require(try ledger.run("append", other).status == 0)
    lines.append("")
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: input))
  }

  private func appended() throws -> Int {
    try #require(Int(try ledger.run("events", "--count").lines.first ?? ""))
  }

  @Test(
    "skips that line alone, and answers every line in order", arguments: [2_500, 7_500, 11_000])
  func skips(refused: Int) throws {
    try write(refused: refused)
    let rejects = ledger.folder.path("rejects.jsonl")
    let run = try ledger.run(
      "append", input, "--on-error", "skip", "--rejects", rejects, "--format", "jsonl")
    #expect(run.status == 65, "\(run.errors)")
    let answers = run.lines.filter { $0.contains("\"status\"") }
    #expect(answers.count == count)
    for (index, answer) in answers.enumerated() {
      let status = index + 1 == refused ? "rejected" : "appended"
      let isRight =
        answer.contains("\"line\":\(index + 1),") && answer.contains("\"status\":\"\(status)\"")
      #expect(isRight, "line \(index + 1): \(answer)")
    }
    #expect(try appended() == count)
    let rejected = try String(contentsOfFile: rejects, encoding: .utf8)
    #expect(rejected.split(separator: "\n").count == 1)
  }

  @Test("stops there, and has appended exactly the lines before it", arguments: [2_500, 7_500])
  func stops(refused: Int) throws {
    try write(refused: refused)
    let run = try ledger.run("append", input)
    #expect(run.status == 65)
    #expect(run.errors.contains("notes.jsonl:\(refused)"), "\(run.errors)")
    #expect(try appended() == 1 + refused - 1)
  }
}
