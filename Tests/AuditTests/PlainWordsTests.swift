import LedgerEvents
import Testing

@testable import Audit

@Suite("What events say in plain words") struct PlainWordsTests {
  @Test("is a sentence for every type, and never the name of the type") func everyType() throws {
    for kind in EventKind.allCases where kind != .unknown {
      let line = try #require(kind.example)
      let event = try EventDecoder().decode(line: Array(line.utf8)).event
      let words = event.plainWords
      #expect(!words.contains(kind.text), "\(kind.text): \(words)")
      #expect(words.split(separator: " ").count > 2, "\(kind.text): \(words)")
      #expect(!words.contains("nil"), "\(words)")
    }
  }

  @Test("names an unknown type as it is") func unknown() throws {
    let line = #"{"id":"x","type":"weather.changed","occurredAt":"2026-03-01T00:00:00Z"}"#
    let event = try EventDecoder().decode(line: Array(line.utf8)).event
    #expect(event.plainWords == "weather.changed")
  }
}
