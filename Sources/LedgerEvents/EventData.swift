/// The `data` of an event: the members of one JSON object, each value as the text it was written
/// in, so that digits, escapes and unknown members survive to the byte.
///
/// Values have been checked by the decoder: each is one well-formed JSON value without `null` and
/// without repeated members, in UTF-8, with no white space around it.
public struct EventData: Sendable {
  /// One member: its name unescaped, and its value's JSON text.
  public struct Member: Sendable {
    public var name: String
    /// The value's text, as UTF-8: `"1.0"` with its quotes, `0.31`, `{"domain":"SKErrorDomain"}`.
    public var json: [UInt8]

    public init(name: String, json: [UInt8]) {
      self.name = name
      self.json = json
    }
  }

  /// In the order in which they were written; names do not repeat.
  public var members: [Member]

  public init(members: [Member] = []) { self.members = members }

  public var isEmpty: Bool { members.isEmpty }

  /// The value's JSON text of the member called `name`.
  ///
  /// - Complexity: O(*n*) in the number of members.
  public subscript(name: String) -> [UInt8]? {
    members.first { hasSameBytes($0.name, name) }?.json
  }

  /// One JSON object of the members, each value as it was written.
  ///
  /// - Complexity: O(*n*) in its size.
  public var json: [UInt8] {
    var bytes: [UInt8] = []
    JSONBytes.append(self, to: &bytes)
    return bytes
  }
}

extension EventData.Member {
  /// The member as it stands in its object: the name, a colon, the value as it was written.
  public var text: [UInt8] {
    var bytes: [UInt8] = []
    JSONBytes.append(name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(contentsOf: json)
    return bytes
  }
}
