extension EventData {
  /// Builds `data` as valid JSON. A member whose value is `nil` is left out.
  ///
  /// ```swift
  /// var data = EventData.Builder()
  /// data.set("quantity", 1)
  /// data.set("expiresAt", instant)
  /// event.data = data.build()
  /// ```
  public struct Builder: Sendable {
    private var members: [Member] = []

    public init() {}

    /// Sets a string.
    public mutating func set(_ name: String, _ text: String?) {
      guard let text else { return }
      set(name, .string(text))
    }

    /// Sets a name, as a string.
    public mutating func set(_ name: String, _ text: Name?) { set(name, text?.text) }

    /// Sets an integer.
    public mutating func set(_ name: String, _ number: Int64?) {
      guard let number else { return }
      set(name, .number(String(number)))
    }

    /// Sets a Boolean value.
    public mutating func set(_ name: String, _ value: Bool?) {
      guard let value else { return }
      set(name, .boolean(value))
    }

    /// Sets a time, in UTC.
    public mutating func set(_ name: String, _ instant: Instant?) {
      set(name, instant?.rfc3339)
    }

    /// Sets a number, given as text such as `0.31`.
    ///
    /// - Precondition: `text` is a JSON number.
    public mutating func set(_ name: String, number text: String) { set(name, .number(text)) }

    /// Sets any JSON value.
    public mutating func set(_ name: String, _ value: JSONValue?) {
      guard let value else { return }
      set(name, json: value.json)
    }

    /// Sets a value from its JSON text, which is stored unchanged.
    ///
    /// Replaces a member of the same name.
    public mutating func set(_ name: String, json: [UInt8]) {
      let member = Member(name: name, json: json)
      if let index = members.firstIndex(where: { hasSameBytes($0.name, name) }) {
        members[index] = member
      } else {
        members.append(member)
      }
    }

    /// Returns the members that were set, in the order in which they were first set.
    public func build() -> EventData { EventData(members: members) }
  }
}
