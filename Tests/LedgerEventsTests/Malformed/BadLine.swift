import LedgerEvents
import Testing

/// A line that must be refused: `▶` stands before the byte at which the error must point.
struct BadLine: Sendable, CustomTestStringConvertible {
  let bytes: [UInt8]
  /// From 1; 0 where the error is about the whole line.
  let column: Int
  let field: String
  /// What the reason must say, among other things.
  let reason: String

  init(_ marked: String, _ field: String, _ reason: String) {
    let parts = marked.split(separator: "▶", omittingEmptySubsequences: false)
    precondition(parts.count <= 2, "one mark a line")
    self.init(
      Array(parts.joined().utf8), column: parts.count == 2 ? parts[0].utf8.count + 1 : 0, field,
      reason)
  }

  init(_ bytes: [UInt8], column: Int, _ field: String, _ reason: String) {
    self.bytes = bytes
    self.column = column
    self.field = field
    self.reason = reason
  }

  /// An event of which only the members behind the time are given.
  static func event(_ members: String, _ field: String, _ reason: String) -> BadLine {
    BadLine(
      #"{"id":"1","type":"note.added","occurredAt":"2014-03-05T10:00:01Z",\#(members)}"#, field,
      reason)
  }

  /// An event of a type with the members of `data` given.
  static func data(
    _ type: String, _ data: String, _ field: String, _ reason: String,
    envelope: String = #""product":"P","transaction":"T","download":"D","account":"A""#
  ) -> BadLine {
    BadLine(
      #"{"id":"1","type":"\#(type)","occurredAt":"2014-03-05T10:00:01Z",\#(envelope),"#
        + #""data":{\#(data)}}"#,
      field, reason)
  }

  /// An event of a type that lacks what it needs.
  static func missing(
    _ type: String, _ rest: String, _ field: String, _ reason: String = "is missing"
  ) -> BadLine {
    BadLine(
      #"{"id":"1","type":"\#(type)","occurredAt":"2014-03-05T10:00:01Z"\#(rest)▶}"#, field, reason)
  }

  var testDescription: String {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.count <= 160 ? text : String(text.prefix(160)) + "…"
  }
}
