extension Event {
  /// Returns whether two events have the same content: equal envelope fields, and equal `data` as
  /// JSON values (`events.md`, *Appending the same event again*).
  ///
  /// The order of members, white space and string escapes do not matter. Numbers are compared as
  /// written. An absent `data` equals an empty one, and an absent `source` equals `app`. Both
  /// events must be valid.
  ///
  /// - Complexity: O(*n* log *n*) in the number of members of the largest object.
  public func sameContent(as other: Event) -> Bool {
    id == other.id && occurredAt == other.occurredAt && sequence == other.sequence
      && transaction == other.transaction && canonicalContent == other.canonicalContent
  }

  /// Bytes that are equal for two events if and only if they have the same content. Hash them, but
  /// don't store them: they contain personal data.
  ///
  /// They are the event's JSON in a canonical form: members of objects in the byte order of their
  /// names, no white space, and as few escapes as possible.
  ///
  /// - Complexity: O(*n* log *n*) in the number of members of the largest object.
  public var canonicalContent: [UInt8] {
    var event = self
    event.source = source ?? EventSource(.app)
    event.data = EventData()
    var bytes = EventEncoder().encode(event)
    for member in data.members.sorted(by: { Name($0.name) < Name($1.name) }) {
      JSONBytes.append(member.name, to: &bytes)
      do {
        bytes.append(contentsOf: try JSONValue(json: member.json).canonical.json)
      } catch {
        // A member that was set by hand and is not JSON is compared by its bytes.
        bytes.append(contentsOf: member.json)
      }
    }
    return bytes
  }
}

extension JSONValue {
  /// The same value with the members of every object in the byte order of their names.
  var canonical: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.canonical))
    case .object(let members):
      .object(
        members.map { (name: $0.name, value: $0.value.canonical) }
          .sorted { Name($0.name) < Name($1.name) })
    default: self
    }
  }
}
