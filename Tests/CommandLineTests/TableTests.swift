import Foundation
import Testing

/// Tables fit the terminal, whose width a variable can say.
@Suite("Tables") struct TableTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [
      Sample.purchase("280519054646944", of: "7dbfa8c6-5d5f-4894-affd-368a132fb789", at: 1),
      Sample.purchase("t2", of: "eve", at: 2), Sample.event("n", at: 3),
    ])
  }

  private func table(_ columns: Int, _ question: String...) throws -> [String] {
    try ledger.run(question, environment: ["COLUMNS": "\(columns)"]).lines
  }

  @Test("a cell that is too wide goes on under itself, and no line is too long")
  func wrapped() throws {
    let lines = try table(72, "events", "--format", "table")
    #expect(lines.allSatisfy { $0.count <= 72 }, "\(lines)")
    #expect(lines.count > 4)
    // Column by column, the pieces are the cell again.
    let header = try #require(lines.first)
    let start = try #require(header.range(of: "account")).lowerBound.utf16Offset(in: header)
    let end = try #require(header.range(of: "transaction")).lowerBound.utf16Offset(in: header)
    let account = lines[1...].prefix { !$0.contains("eve") }
      .map { String($0.dropFirst(start).prefix(end - start)).filter { $0 != " " } }.joined()
    #expect(account == "7dbfa8c6-5d5f-4894-affd-368a132fb789", "\(lines)")
  }

  @Test("without a terminal and without a width, a row is a line") func unlimited() throws {
    let lines = try ledger.run("events", "--format", "table").lines
    #expect(lines.count == 4)
    #expect(lines[1].contains("7dbfa8c6-5d5f-4894-affd-368a132fb789"))
    #expect(try table(400, "events", "--format", "table") == lines)
  }

  @Test("a terminal that is too narrow for every column is overrun, and nothing is lost")
  func narrow() throws {
    let lines = try table(20, "events", "--format", "table")
    #expect(lines.joined().filter { $0 != " " }.contains("7dbfa8"))
  }

  @Test("amounts stand at the right of their columns") func amounts() throws {
    let counts = try ledger.run("events", "--by", "type").lines
    #expect(
      counts == [
        "type                   count", "transaction.purchased      2",
        "note.added                 1",
      ])
  }
}
