import Foundation
import LedgerEvents

/// An event in an envelope of CloudEvents.
///
/// `data` is an event of Daybook, in which `id`, `type` and `occurredAt` may be missing: they are
/// then the attributes `id`, `type` and `time`. What both state must be the same. `subject` is the
/// account of an event that states none. `source` and the attributes of others are kept in the
/// event's `data`, as `cloudEvent`.
///
/// Source: CloudEvents 1.0.2, JSON event format and HTTP protocol binding.
struct CloudEvent {
  struct Refusal: Error {
    let text: String
  }

  /// The event as JSON, or why there is none.
  let eventJSON: Result<[UInt8], Refusal>

  private static let versionKnown = "1.0"
  /// The attributes that are read here.
  private static let known: Set<String> = [
    "specversion", "id", "type", "time", "subject", "datacontenttype", "data",
  ]

  /// A structured event.
  init(_ envelope: JSONValue) {
    eventJSON = Result { () throws(Refusal) in
      guard let members = envelope.object else {
        throw Refusal(text: "expected a JSON object, a CloudEvent.")
      }
      guard envelope["data_base64"] == nil else {
        throw Refusal(text: "data_base64: expected the event as JSON in “data”.")
      }
      return try Self.event(
        members.filter { $0.name != "data" }, data: envelope["data"])
    }
  }

  /// A binary event, whose attributes came as headers.
  init(attributes: [(name: String, value: String)], data: JSONValue) {
    eventJSON = Result { () throws(Refusal) in
      try Self.event(
        attributes.map { ($0.name, .string(Self.decoded($0.value))) }, data: data)
    }
  }

  /// Header values are percent-encoded.
  private static func decoded(_ value: String) -> String { value.removingPercentEncoding ?? value }

  private static func event(
    _ attributes: [(name: String, value: JSONValue)], data: JSONValue?
  ) throws(Refusal) -> [UInt8] {
    func text(_ name: String) throws(Refusal) -> String? {
      guard let value = attributes.first(where: { $0.name == name })?.value else { return nil }
      guard let text = value.string else { throw Refusal(text: "\(name): expected a string.") }
      return text
    }
    guard try text("specversion") == versionKnown else {
      throw Refusal(text: "specversion: expected “\(versionKnown)”.")
    }
    guard var members = data?.object else {
      throw Refusal(text: "data: expected a JSON object, the event.")
    }
    for (attribute, field) in [("id", "id"), ("type", "type"), ("time", "occurredAt")] {
      guard let value = try text(attribute) else { continue }
      if let stated = members.first(where: { $0.name == field })?.value {
        guard isSame(stated, value, field) else {
          throw Refusal(
            text: "\(attribute): the CloudEvent states another one than “\(field)” in its data.")
        }
      } else {
        members.append((field, .string(value)))
      }
    }
    if let subject = try text("subject"), !members.contains(where: { $0.name == "account" }) {
      members.append(("account", .string(subject)))
    }
    return JSONValue.object(keeping(attributes, in: members)).json
  }

  private static func isSame(_ stated: JSONValue, _ value: String, _ field: String) -> Bool {
    guard field == "occurredAt" else { return stated.string == value }
    return stated.instant != nil && stated.instant == Instant(rfc3339: value)
  }

  /// The members of the event, with the attributes of others in its `data`.
  private static func keeping(
    _ attributes: [(name: String, value: JSONValue)], in members: [(name: String, value: JSONValue)]
  ) -> [(name: String, value: JSONValue)] {
    let others = attributes.filter { !known.contains($0.name) }
    guard !others.isEmpty else { return members }
    var members = members
    let index = members.firstIndex { $0.name == "data" }
    var data = index.flatMap { members[$0].value.object } ?? []
    // What is no object is refused later, and must not be replaced here.
    if let index, members[index].value.object == nil { return members }
    data.append(("cloudEvent", .object(others.map { ($0.name, $0.value) })))
    if let index {
      members[index].value = .object(data)
    } else {
      members.append(("data", .object(data)))
    }
    return members
  }
}
