import LedgerEvents
import Testing

/// A line that must be refused. `▶` marks the byte at which the error must point.
struct BadLine: Sendable, CustomTestStringConvertible {
  let bytes: [UInt8]
  /// The byte, from 1; 0 if the error is about the whole line.
  let column: Int
  let field: String
  /// A text that the reason must contain.
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

  /// Returns an event with these members after the time.
  static func event(_ members: String, _ field: String, _ reason: String) -> BadLine {
    BadLine(
      #"{"id":"1","type":"note.added","occurredAt":"2014-03-05T10:00:01Z",\#(members)}"#, field,
      reason)
  }

  /// Returns an event of a type with these members of `data`.
  static func data(
    _ type: String, _ data: String, _ field: String, _ reason: String,
    envelope: String = #""product":"P","transaction":"T","download":"D","account":"A""#
  ) -> BadLine {
    BadLine(
      #"{"id":"1","type":"\#(type)","occurredAt":"2014-03-05T10:00:01Z",\#(envelope),"#
        + #""data":{\#(data)}}"#,
      field, reason)
  }

  /// Returns an event of a type that lacks a requirement.
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
