extension BadLine {
  /// Text that is not JSON, or JSON that events refuse.
  static let syntax: [BadLine] = [
    BadLine("▶", "", "expected an object"),
    BadLine("   ▶", "", "the end of the line"),
    BadLine("▶null", "", "expected an object"),
    BadLine("▶[]", "", "found '['"),
    BadLine("▶\"x\"", "", "expected an object"),
    BadLine("▶\u{FEFF}{}", "", "0xEF"),
    BadLine("{▶", "", "the end of the line"),
    BadLine("{▶,}", "", "name of a member"),
    BadLine("{▶id:1}", "", "in quotes"),
    BadLine("{▶'id':1}", "", "in quotes"),
    BadLine(#"{"id"▶}"#, "", "expected ':'"),
    BadLine(#"{"id" ▶"1"}"#, "", "expected ':'"),
    BadLine(#"{"id":▶}"#, "id", "expected a value"),
    BadLine(#"{"id":▶"#, "id", "the end of the line"),
    BadLine(#"{"id":▶"1"#, "id", "does not end").endingAtLine,
    BadLine(#"{"id":"1"▶"#, "", "expected ',' or '}'"),
    BadLine(#"{"id":"1"▶;}"#, "", "found ';'"),
    BadLine(#"{"id":"1",▶}"#, "", "name of a member"),
    BadLine(#"{"id":"1" ▶"type":"a.b"}"#, "", "expected ','"),
    BadLine(#"{"id":▶tru}"#, "id", "expected a value"),
    BadLine(#"{"id":▶nul}"#, "id", "expected a value"),
    BadLine(#"{"id":▶NaN}"#, "id", "expected a value"),
    BadLine(#"{"id":▶undefined}"#, "id", "expected a value"),
    event(#""data":{"text":"x"}} ▶x"#, "", "after the event").cutting("}"),
    event(#""data":{"text":"x"}}▶{"#, "", "after the event").cutting("}"),
    event("\"data\":▶\n{\"text\":\"x\"}", "data", "a line feed"),
    event("\"data\":{\"text\":[1,▶\n2]}", "data.text", "a line feed"),
    event(#""data":{"text":"x"},▶/"#, "", "name of a member"),
    event("\"data\":{\"text\":\"a▶\tb\"}", "data.text", "control character"),
    event("\"data\":{\"text\":\"a▶\nb\"}", "data.text", "control character"),
    event("\"data\":{\"text\":\"a▶\u{0}b\"}", "data.text", "0x00"),
    event("\"data\":{\"text\":\"0123456789abcdef▶\u{1F}\"}", "data.text", "0x1F"),
    event(#""data":{"text":"▶\x41"}"#, "data.text", "not a JSON escape"),
    event(#""data":{"text":"▶\'"}"#, "data.text", "not a JSON escape"),
    event(#""data":{"text":"\u▶"}"#, "data.text", "four hexadecimal"),
    event(#""data":{"text":"\u12▶g4"}"#, "data.text", "four hexadecimal"),
    event(#""data":{"text":"▶\ud83d"}"#, "data.text", "high surrogate"),
    event(#""data":{"text":"▶\ud83dx"}"#, "data.text", "high surrogate"),
    event(#""data":{"text":"▶\ud83d\n"}"#, "data.text", "high surrogate"),
    event(#""data":{"text":"▶\ud83d\u0041"}"#, "data.text", "high surrogate"),
    event(#""data":{"text":"▶\ud83d\ud83d"}"#, "data.text", "high surrogate"),
    event(#""data":{"text":"▶\ude00"}"#, "data.text", "low surrogate"),
    event(#""data":{"x":▶null}"#, "data.x", "null is refused"),
    event(#""data":{"x":[1,▶null]}"#, "data.x", "null is refused"),
    event(#""data":{"x":{"y":▶null}}"#, "data.x", "null is refused"),
    event(#""data":▶null"#, "data", "null is refused"),
    event(#""account":▶null"#, "account", "null is refused"),
    event(#""data":{"x":0▶1}"#, "data.x", "does not begin with 0"),
    event(#""data":{"x":-▶}"#, "data.x", "expected a digit"),
    event(#""data":{"x":▶+1}"#, "data.x", "expected a value"),
    event(#""data":{"x":▶.5}"#, "data.x", "expected a value"),
    event(#""data":{"x":1.▶}"#, "data.x", "expected a digit"),
    event(#""data":{"x":1e▶}"#, "data.x", "expected a digit"),
    event(#""data":{"x":1e+▶}"#, "data.x", "expected a digit"),
    event(#""data":{"x":1▶x}"#, "data", "expected ',' or '}'"),
    event(#""data":{"x":[1 ▶2]}"#, "data.x", "expected ',' or ']'"),
    event(#""data":{"x":[1,▶]}"#, "data.x", "expected a value"),
    event(#""data":{"x":[▶"#, "data.x", "expected a value").cutting("}"),
    event(#""data":{"x":{▶"#, "data.x", "name of a member").cutting("}"),
    event(#""data":{"x":1,▶"x":2}"#, "data", "appears twice"),
    event(#""data":{"x":1,▶"\u0078":2}"#, "data", "appears twice"),
    event(#""data":{"\u0078":1,▶"x":2}"#, "data", "appears twice"),
    event(#""data":{"x":{"a":1,▶"a":1}}"#, "data.x", "appears twice"),
    event(#""data":{"x":[{"b":{"a":1,▶"a":1}}]}"#, "data.x", "appears twice"),
    event(#""data":{"a12345678":1,"a12345679":2,▶"a12345678":3}"#, "data", "appears twice"),
    event(#""data":{"":1,▶"":2}"#, "data", "appears twice"),
    event(#""account":"A",▶"account":"A""#, "account", "appears twice"),
    event(#"▶"id":"2""#, "id", "appears twice"),
    event(#""data":{"text":"x"},▶"data":{}"#, "data", "appears twice"),
    event(#"▶"\u0069d":"2""#, "id", "appears twice"),
  ]

  /// Nesting one level deeper than allowed, and a very large object with a repeated member.
  static let nesting: [BadLine] = {
    let deep = String(repeating: "[", count: 30)
    let objects = String(repeating: #"{"a":"#, count: 30)
    let many = (0..<2_000).map { "\"m\($0)\":0" }.joined(separator: ",")
    return [
      event(#""data":{"x":\#(deep)▶[]"#, "data.x", "deeper than 32"),
      event(#""data":{"x":\#(objects)▶{}"#, "data.x", "deeper than 32"),
      event(#""data":{\#(many),▶"m7":1}"#, "data", "appears twice"),
      event(#""data":{"x":{\#(many),▶"m1999":1}}"#, "data.x", "appears twice"),
      event(#""data":{\#(many),▶"m\u0037":1}"#, "data", "appears twice"),
    ]
  }()

  /// Bytes that are not UTF-8, in the middle of a text and at its end.
  static let encoding: [BadLine] = notUTF8.flatMap { bad in
    let start = Array(
      #"{"id":"1","type":"note.added","occurredAt":"2014-03-05T10:00:01Z","data":{"text":"ä"#.utf8)
    let end = Array(#"x"}}"#.utf8)
    return [
      BadLine(start + bad + end, column: start.count + 1, "", "UTF-8"),
      BadLine(start + bad, column: start.count + 1, "", "UTF-8"),
    ]
  }

  private static let notUTF8: [[UInt8]] = [
    [0xFF], [0x80], [0xC0, 0xAF], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98],
    [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE0, 0x80, 0xAF],
  ]

  /// Returns the line without its last `suffix`, which came from the surrounding event.
  func cutting(_ suffix: String) -> BadLine {
    BadLine(Array(bytes.dropLast(suffix.utf8.count)), column: column, field, reason)
  }

  /// The same line with the error expected at its end instead of at the mark.
  var endingAtLine: BadLine { BadLine(bytes, column: bytes.count + 1, field, reason) }
}
