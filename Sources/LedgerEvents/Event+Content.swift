extension Event {
  /// Whether two events say the same: equal envelope fields, and equal `data` as JSON values
  /// (`events.md`, *Appending the same event again*).
  ///
  /// The order of members, white space and string escapes do not count, numbers count as written;
  /// no `data` is an empty one, no `source` is `app`. Both events must be valid.
  ///
  /// - Complexity: O(*n* log *n*) in the number of members of the largest object.
  public func sameContent(as other: Event) -> Bool {
    id == other.id && occurredAt == other.occurredAt && sequence == other.sequence
      && transaction == other.transaction && canonicalContent == other.canonicalContent
  }

  /// Bytes that two events share if and only if they have the same content; to be hashed, not to be
  /// kept, for they hold what is personal.
  ///
  /// They are the event's JSON with everything that does not count settled: members of objects in
  /// the order of their names' bytes, no white space, fewest escapes.
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
        // What was put in by hand and is no JSON has no content but its bytes.
        bytes.append(contentsOf: member.json)
      }
    }
    return bytes
  }
}

extension JSONValue {
  /// The same value with the members of every object in the order of their names' bytes.
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
