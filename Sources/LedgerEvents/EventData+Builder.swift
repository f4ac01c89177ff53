extension EventData {
  /// Puts `data` together as right JSON. A value that is `nil` leaves its member out.
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

    /// A string.
    public mutating func set(_ name: String, _ text: String?) {
      guard let text else { return }
      set(name, .string(text))
    }

    /// A name, as a string.
    public mutating func set(_ name: String, _ text: Name?) { set(name, text?.text) }

    /// An integer.
    public mutating func set(_ name: String, _ number: Int64?) {
      guard let number else { return }
      set(name, .number(String(number)))
    }

    /// A truth value.
    public mutating func set(_ name: String, _ value: Bool?) {
      guard let value else { return }
      set(name, .boolean(value))
    }

    /// A time, in UTC.
    public mutating func set(_ name: String, _ instant: Instant?) {
      set(name, instant?.rfc3339)
    }

    /// A number by its text: `0.31`.
    ///
    /// - Precondition: `text` is a number of JSON.
    public mutating func set(_ name: String, number text: String) { set(name, .number(text)) }

    /// Any value.
    public mutating func set(_ name: String, _ value: JSONValue?) {
      guard let value else { return }
      set(name, json: value.json)
    }

    /// The JSON text of a value, which is kept as it is.
    ///
    /// A member of that name that was set before is replaced.
    public mutating func set(_ name: String, json: [UInt8]) {
      let member = Member(name: name, json: json)
      if let index = members.firstIndex(where: { hasSameBytes($0.name, name) }) {
        members[index] = member
      } else {
        members.append(member)
      }
    }

    /// What was set, in the order of first setting.
    public func build() -> EventData { EventData(members: members) }
  }
}
