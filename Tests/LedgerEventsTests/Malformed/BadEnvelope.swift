import LedgerEvents

extension BadLine {
  /// Envelopes that are JSON but not events.
  static let envelope: [BadLine] = ofFields + names + types + oddTypes + times + lateTimes + size

  private static let ofFields: [BadLine] =
    [
      BadLine(#"{▶}"#, "id", "is missing"),
      BadLine(#"{"type":"a.b","occurredAt":"2014-03-05T10:00:01Z"▶}"#, "id", "is missing"),
      BadLine(#"{"id":"1","occurredAt":"2014-03-05T10:00:01Z"▶}"#, "type", "is missing"),
      BadLine(#"{"id":"1","type":"a.b"▶}"#, "occurredAt", "is missing"),
      BadLine(#"{"id":▶1}"#, "id", "expected a string, found a number"),
      BadLine(#"{"id":▶""}"#, "id", "is empty"),
      BadLine(#"{"id":▶["1"]}"#, "id", "found an array"),
      BadLine(#"{"id":▶"\#(String(repeating: "x", count: 129))"}"#, "id", "129 bytes"),
      BadLine(#"{"id":▶"\#(String(repeating: "é", count: 65))"}"#, "id", "130 bytes"),
      BadLine(#"{"id":▶"\#(String(repeating: "\\u00e9", count: 65))"}"#, "id", "130 bytes"),
      event(#"▶"accont":"A""#, "accont", "did you mean account?"),
      event(#"▶"Account":"A""#, "Account", "did you mean account?"),
      event(#"▶"original_transaction":"A""#, "original_transaction", "originalTransaction"),
      event(#"▶"occuredAt":"A""#, "occuredAt", "did you mean occurredAt?"),
      event(#"▶"colour":"red""#, "colour", "go into data"),
      event(#"▶"":1"#, "\"\"", "not a field of an event"),
      event(
        #"▶"originalTransactionIdentifierOfApple":1"#,
        "originalTransactionIdentifierOfApple", "go into data"),
      event(#""sequence":▶-1"#, "sequence", "0 or more, found -1"),
      event(#""sequence":▶"1""#, "sequence", "found a string"),
      event(#""sequence":▶1.0"#, "sequence", "without fraction or exponent, found 1.0"),
      event(#""sequence":▶1e3"#, "sequence", "without fraction"),
      event(#""sequence":▶-0"#, "sequence", "found -0"),
      event(#""sequence":▶9223372036854775808"#, "sequence", "64-bit"),
      event(#""sequence":▶99999999999999999999999999"#, "sequence", "64-bit"),
      event(#""sequence":▶true"#, "sequence", "found true or false"),
      event(#""position":▶0"#, "position", "1 or more"),
      event(#""position":▶1.5"#, "position", "without fraction"),
      event(#""position":▶"7""#, "position", "found a string"),
      event(#""recordedAt":▶1394013601"#, "recordedAt", "expected a string"),
      event(#""recordedAt":▶"yesterday""#, "recordedAt", "RFC 3339"),
      event(#""environment":▶"Production""#, "environment", "production, sandbox, xcode"),
      event(#""environment":▶"""#, "environment", "expected one of"),
      event(#""environment":▶1"#, "environment", "expected a string"),
      event(#""source":▶5"#, "source", "expected a string"),
      event(#""source":▶"""#, "source", "is empty"),
      event(#""data":▶[]"#, "data", "expected an object, found an array"),
      event(#""data":▶"{}""#, "data", "expected an object, found a string"),
      BadLine(
        #"{"data":▶[],"id":"1","type":"note.added","occurredAt":"2014-03-05T10:00:01Z"}"#, "data",
        "expected an object"),
    ]

  /// Every name of the envelope with a wrong type, empty, and too long.
  private static let names: [BadLine] = [
    "app", "account", "device", "session", "payment", "product", "transaction",
    "originalTransaction", "download",
  ].flatMap { field in
    [
      event(#""\#(field)":▶1000000200"#, field, "expected a string, found a number"),
      event(#""\#(field)":▶{"a":"b"}"#, field, "found an object"),
      event(#""\#(field)":▶true"#, field, "found true or false"),
      event(#""\#(field)":▶"""#, field, "is empty"),
      event(
        #""\#(field)":▶"\#(String(repeating: "x", count: 513))""#, field, "513 bytes, more than"),
    ]
  }

  private static let types: [BadLine] = badTypes.map { type in
    BadLine(
      #"{"id":"1","type":▶"\#(type)","occurredAt":"2014-03-05T10:00:01Z"}"#, "type",
      type.isEmpty ? "is empty" : "subject.verb")
  }

  private static let badTypes = [
    "", "note", "note.", ".added", "Note.added", "note.Added", "note..added", "note.added.twice",
    "note added", "note.add-ed", "note.added1", "nöte.added", "note.added ", "9ote.added",
    "transaction_purchased",
  ]

  private static let oddTypes: [BadLine] = [
    BadLine(#"{"id":"1","type":▶75}"#, "type", "expected a string"),
    BadLine(
      #"{"id":"1","type":▶"a.\#(String(repeating: "b", count: 511))"}"#, "type", "513 bytes"),
    BadLine(#"{"id":"1","type":"a.b","occurredAt":▶1394013601}"#, "occurredAt", "a string"),
  ]

  private static let times: [BadLine] = badTimes.map { time in
    BadLine(#"{"id":"1","type":"a.b","occurredAt":▶"\#(time)"}"#, "occurredAt", "RFC 3339")
  }

  private static let badTimes = [
    "2014-03-05", "2014-03-05T10:00:01", "2014-03-05 10:00:01Z", "2014-03-05T10:00Z",
    "2014-03-05T10:00:01.Z", "2014-03-05T10:00:01,5Z", "2014-03-05T24:00:00Z",
    "2014-03-05T10:60:00Z", "2014-03-05T10:00:61Z", "2014-03-05T10:00:60Z", "2014-13-05T10:00:00Z",
    "2014-00-05T10:00:00Z", "2014-02-29T10:00:00Z", "2014-04-31T10:00:00Z", "2014-04-00T10:00:00Z",
    "1900-02-29T10:00:00Z", "2014-03-05T10:00:01+0100", "2014-03-05T10:00:01+24:00",
    "2014-03-05T10:00:01+01:60", "2014-03-05T10:00:01ZZ", "2014-03-05T10:00:01 Z",
    "14-03-05T10:00:01Z",
    "20140305T100001Z", "+2014-03-05T10:00:01Z", "2014-3-5T10:00:01Z", "2014-03-05T10:00:01+1",
    "２014-03-05T10:00:01Z", "2014-W10-3T10:00:01Z", "2014-03-05T10:00:01e0Z", "now",
  ]

  private static let lateTimes: [BadLine] = [
    "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00+00:01", "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z",
  ].map { time in
    BadLine(
      #"{"id":"1","type":"a.b","occurredAt":▶"\#(time)"}"#, "occurredAt", "years 1970 to 9999")
  }

  /// A line that is one byte too long.
  private static let size: [BadLine] = {
    let start = #"{"id":"1","type":"a.b","occurredAt":"2014-03-05T10:00:01Z","data":{"x":""#
    let end = #""}}"#
    let fill = eventSizeBytesMax + 1 - start.utf8.count - end.utf8.count
    return [
      BadLine(start + String(repeating: "x", count: fill) + end, "", "1048577 bytes, more than")
    ]
  }()
}
