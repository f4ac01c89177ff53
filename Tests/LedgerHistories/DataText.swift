import LedgerEvents

/// Writes the members of an event's `data` as JSON text.
struct DataText {
  private(set) var members: [EventData.Member] = []

  var data: EventData { EventData(members: members) }

  /// Sets a value that is already JSON text: `0.50`, `true`, `[{"product":"a"}]`.
  mutating func set(_ name: String, raw text: String) {
    members.removeAll { $0.name == name }
    members.append(EventData.Member(name: name, json: Array(text.utf8)))
  }

  mutating func set(_ name: String, _ text: String) { set(name, raw: Self.quoted(text)) }

  mutating func set(_ name: String, _ name2: Name) { set(name, name2.text) }

  mutating func set(_ name: String, time microseconds: Int64) {
    set(name, Instant(microseconds: microseconds).rfc3339)
  }

  mutating func set(_ name: String, _ isTrue: Bool) { set(name, raw: isTrue ? "true" : "false") }

  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
