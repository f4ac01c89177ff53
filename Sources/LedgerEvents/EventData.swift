/// The `data` of an event: the members of one JSON object. Each value is stored as its original
/// text, so that digits, escapes and unknown members are preserved to the byte.
///
/// The decoder has checked the values: each is one well-formed JSON value in UTF-8, without `null`,
/// without repeated members and without surrounding white space.
public struct EventData: Sendable {
  /// One member: its unescaped name and the JSON text of its value.
  public struct Member: Sendable {
    public var name: String
    /// The value's text, as UTF-8: `"1.0"` with its quotes, `0.31`, `{"domain":"SKErrorDomain"}`.
    public var json: [UInt8]

    public init(name: String, json: [UInt8]) {
      self.name = name
      self.json = json
    }
  }

  /// The members in their original order. Names are unique.
  public var members: [Member]

  public init(members: [Member] = []) { self.members = members }

  public var isEmpty: Bool { members.isEmpty }

  /// Returns the JSON text of the member called `name`.
  ///
  /// - Complexity: O(*n*) in the number of members.
  public subscript(name: String) -> [UInt8]? {
    members.first { hasSameBytes($0.name, name) }?.json
  }

  /// The members as one JSON object, each value in its original text.
  ///
  /// - Complexity: O(*n*) in its size.
  public var json: [UInt8] {
    var bytes: [UInt8] = []
    JSONBytes.append(self, to: &bytes)
    return bytes
  }
}

extension EventData.Member {
  /// The member as it appears in its object: the name, a colon, and the original text of the value.
  public var text: [UInt8] {
    var bytes: [UInt8] = []
    JSONBytes.append(name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(contentsOf: json)
    return bytes
  }
}
