import Foundation
import LedgerEvents
import Testing

struct SchemaTests {
  @Test("the published schema is that of the vocabulary") func publishedSchema() throws {
    try Golden.check(EventSchema.text, "Schemas/event.schema.json")
  }

  /// One event of every type with all members of the vocabulary. The schema is checked against them
  /// too (`Schemas/check.py`).
  @Test("the samples hold an event of every type and decode") func samplesHold() throws {
    var lines = ""
    for kind in EventKind.allCases {
      var samples = SampleEvents(seed: 1_000 + UInt64(kind.rawValue))
      var event = samples.event(kind)
      while EventEncoder().encode(event).count > 2_000 { event = samples.event(kind) }
      event.id = Name("sample-\(kind.rawValue)")
      lines += String(decoding: EventEncoder().encode(event), as: UTF8.self) + "\n"
    }
    try Golden.check(lines, "Tests/Samples/every-type.jsonl")
    for line in lines.utf8.split(separator: UInt8(ascii: "\n")) {
      _ = try EventDecoder().decode(line: Array(line))
    }
  }

  /// The malformed lines that a schema can distinguish from valid ones, for `Schemas/check.py`.
  @Test("the bad samples are lines that the decoder refuses") func badSamples() throws {
    var lines = ""
    for bad in BadLine.envelope + BadLine.fields + BadLine.needs + BadLine.downloadNeeds
      + BadLine.subscriptionNeeds
    where bad.isSeenBySchema {
      lines += String(decoding: bad.bytes, as: UTF8.self) + "\n"
    }
    try Golden.check(lines, "Schemas/bad-events.jsonl")
  }
}

extension BadLine {
  /// Whether a JSON Schema can refuse the line. It cannot check repeated members, the spelling of
  /// numbers, lengths in bytes, or calendar dates.
  var isSeenBySchema: Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return bytes.count < 4_000 && !reason.contains("appears twice")
      && ![
        "1.0", "1e3", "-0}", "130 bytes", "-02-29T", "-04-31T", "T10:00:60Z", "-00:01", "+00:01",
        "9999-12-31T23:59:60Z", "1969-",
      ].contains { text.contains($0) || self.reason.contains($0) }
  }
}
