import LedgerEvents
import Testing

struct MalformedTests {
  static let all =
    BadLine.syntax + BadLine.nesting + BadLine.encoding + BadLine.envelope + BadLine.fields
    + BadLine.needs + BadLine.downloadNeeds + BadLine.subscriptionNeeds

  @Test("there are several hundred lines that must be refused") func thereSeveral() {
    #expect(MalformedTests.all.count >= 300)
  }

  @Test("a malformed line is refused with its location, its field and the reason", arguments: all)
  func malformedLine(bad: BadLine) {
    do {
      _ = try EventDecoder().decode(line: bad.bytes, number: 7)
      Issue.record("was accepted")
    } catch {
      #expect(error.line == 7)
      #expect(error.column == bad.column, "\(error)")
      #expect(error.field == bad.field, "\(error)")
      #expect(error.reason.contains(bad.reason), "\(error)")
    }
  }

  /// A line that is cut anywhere is refused, and so is one without any byte of its structure.
  @Test("no beginning of a line is an event") func noBeginning() throws {
    let line = Array(
      (#"{"id":"1","type":"transaction.failed","occurredAt":"2014-03-05T10:00:01.25+01:00","#
        + #""transaction":"T","data":{"error":{"code":-2,"x":[true,false,1.5e3]},"#
        + #""é":"\ud83d\ude00"}}"#).utf8)
    _ = try EventDecoder().decode(line: line)
    for count in 0..<line.count {
      #expect(throws: EventError.self) {
        try EventDecoder().decode(line: Array(line.prefix(count)))
      }
    }
  }
}
