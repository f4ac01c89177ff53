import LedgerEvents
import Testing

@testable import Audit

/// Histories written as short lines, one event per line and one second apart.
enum ExplainedLines {
  /// Each line is a type, then members of the envelope and, after a bar, those of `data`.
  static func events(_ lines: [String]) throws -> [RecordedEvent] {
    try lines.enumerated().map { index, line in
      let parts = line.split(separator: "|", maxSplits: 1).map { String($0) }
      let words = parts[0].split(separator: " ").map { String($0) }
      var json = #"{"id":"e\#(index + 1)","type":"\#(words[0])""#
      json += #","occurredAt":"2026-02-01T12:00:\#(index < 10 ? "0" : "")\#(index)Z""#
      for word in words.dropFirst() {
        let pair = word.split(separator: "=", maxSplits: 1).map { String($0) }
        json += #","\#(pair[0])":"\#(pair[1])""#
      }
      if parts.count > 1 { json += #","data":{\#(parts[1])}"# }
      let event = try EventDecoder().decode(line: Array((json + "}").utf8), number: 1).event
      return RecordedEvent(
        position: UInt64(index + 1), recordedAt: event.occurredAt, event: event)
    }
  }

  /// Returns the explanation a minute after the first event.
  static func explain(
    _ name: Name, for account: Name = "ada", at: String? = nil, _ lines: [String]
  ) throws -> Explanation {
    let now = try #require(Instant(rfc3339: "2026-02-01T12:01:00Z"))
    return Explanation(
      of: name, for: account, in: try events(lines), at: at.flatMap { Instant(rfc3339: $0) },
      now: now, position: UInt64(lines.count))
  }
}
