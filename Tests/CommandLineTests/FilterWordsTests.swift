import Foundation
import Testing

/// Unknown words in questions and grants are refused, with a suggestion.
@Suite("Unknown words in filters") struct FilterWordsTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [
      Sample.purchase("t1", of: "ada"),
      Sample.event("w", "weather.changed", at: 2, #","source":"barometer""#),
    ])
  }

  @Test(
    "a filter that nothing can match is refused, with what was meant",
    arguments: [
      (["events", "--type", "transaction.purchsed"], "did you mean transaction.purchased?"),
      (["events", "--type", "downlod.*"], "did you mean download.*?"),
      (["events", "--type", "tea.brewed"], "no known type"),
      (["events", "--product", "mpa"], "did you mean map?"),
      (["events", "--product", "atlas", "--count"], "no event of the ledger states this product"),
      (["events", "--source", "strekit1"], "did you mean storekit1?"),
      (["events", "--follow", "--type", "note.aded"], "did you mean note.added?"),
      (["findings", "--rule", "finished-twise"], "did you mean finished-twice?"),
      (["append", "--expect", "1", "--type", "note.aded"], "did you mean note.added?"),
    ])
  func refused(_ arguments: [String], said: String) throws {
    let answer = try ledger.run(arguments)
    #expect(answer.status == 64, "\(answer.output)")
    #expect(answer.errors.contains(said), "\(answer.errors)")
    #expect(answer.output.isEmpty)
  }

  @Test(
    "what the vocabulary or the ledger has is answered",
    arguments: [
      (["events", "--type", "download.*", "--count"], "0\n"),
      (["events", "--type", "note.added", "--count"], "0\n"),
      (["events", "--type", "weather.changed", "--count"], "1\n"),
      (["events", "--type", "*.changed", "--count"], "1\n"),
      (["events", "--source", "barometer", "--count"], "1\n"),
      (["events", "--source", "receipt", "--count"], "0\n"),
      (["events", "--product", "map", "--count"], "1\n"),
    ])
  func answered(_ arguments: [String], said: String) throws {
    let answer = try ledger.run(arguments)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.output == said)
  }

  @Test("a grant of an unknown product is refused, unless it is wanted") func grant() throws {
    let grant = ["grant", "ada", "--product", "mapp", "--operator", "kim", "--reason", "ticket"]
    let refused = try ledger.run(grant)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("did you mean map?"), "\(refused.errors)")
    #expect(refused.errors.contains("--allow-unknown"))
    #expect(try ledger.events().count == 2)
    #expect(try ledger.run(grant + ["--allow-unknown"]).status == 0)
  }
}
