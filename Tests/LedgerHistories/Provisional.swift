import Foundation
import LedgerEvents

extension Conformance {
  static func instant(_ text: String) throws -> Instant {
    let parts = text.dropLast().split(separator: ".")
    let formatter = ISO8601DateFormatter()
    guard let date = formatter.date(from: parts[0] + "Z") else {
      throw Unreadable(description: "bad time \(text)")
    }
    var fraction = parts.count > 1 ? String(parts[1]) : ""
    while fraction.count < 6 { fraction += "0" }
    return Instant(
      microseconds: Int64(date.timeIntervalSince1970) * 1_000_000 + (Int64(fraction) ?? 0))
  }

  static func provisionalEvent(_ line: [UInt8]) throws -> (Event, Instant?) {
    let object = try object(Data(line))
    func name(_ key: String) -> Name? { (object[key] as? String).map { Name($0) } }
    var members: [EventData.Member] = []
    for (key, value) in (object["data"] as? [String: Any]) ?? [:] {
      let json = try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed])
      members.append(EventData.Member(name: key, json: Array(json)))
    }
    let event = Event(
      id: Name(try member("id", of: object)), type: EventType(text: try member("type", of: object)),
      occurredAt: try instant(try member("occurredAt", of: object)),
      source: (object["source"] as? String).map { EventSource(text: $0) },
      environment: (object["environment"] as? String).flatMap { StoreEnvironment(text: $0) },
      app: name("app"), account: name("account"), device: name("device"), session: name("session"),
      sequence: (object["sequence"] as? NSNumber)?.int64Value, payment: name("payment"),
      product: name("product"), transaction: name("transaction"),
      originalTransaction: name("originalTransaction"), download: name("download"),
      data: EventData(members: members))
    return (event, try (object["recordedAt"] as? String).map { try instant($0) })
  }
}
