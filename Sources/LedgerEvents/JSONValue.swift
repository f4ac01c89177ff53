/// A parsed JSON value, for code that reads single fields (imports, answers). Code that runs for
/// every event reads records in place instead.
public indirect enum JSONValue: Sendable {
  case string(String)
  /// A number, as written.
  case number(String)
  case boolean(Bool)
  case object([(name: String, value: JSONValue)])
  case array([JSONValue])

  /// Parses the text of one value.
  ///
  /// - Throws: `EventError` if the text is not JSON, or breaks the rules for events: `null`,
  ///   repeated members, lone surrogates and nesting beyond `nestingDepthMax` are refused.
  /// - Complexity: O(*n*) in the length of `json`.
  public init(json: [UInt8]) throws(EventError) { try self.init(json: json, nulls: .refused) }

  init(json: [UInt8], nulls: NullMembers) throws(EventError) {
    try checkUTF8(json.span)
    var scanner = JSONScanner(json.span)
    scanner.skipSpace()
    self = try scanner.tree(nulls)
    scanner.skipSpace()
    guard scanner.isAtEnd else {
      throw scanner.failure("expected nothing after the value, found \(scanner.found)")
    }
  }

  /// The text, if the value is a string.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The integer, if the value is a number written without fraction or exponent.
  public var integer: Int64? {
    guard case .number(let text) = self else { return nil }
    let bytes = Array(text.utf8)
    return JSONNumber.integer(bytes.span, 0..<bytes.count)
  }

  /// The nearest double, if the value is a number.
  public var double: Double? {
    guard case .number(let text) = self else { return nil }
    let bytes = Array(text.utf8)
    return JSONNumber.double(bytes.span, 0..<bytes.count)
  }

  /// The digits as written, if the value is a number.
  public var numberText: String? {
    if case .number(let text) = self { text } else { nil }
  }

  public var boolean: Bool? {
    if case .boolean(let value) = self { value } else { nil }
  }

  /// The instant, if the value is an RFC 3339 time.
  public var instant: Instant? { string.flatMap { Instant(rfc3339: $0) } }

  /// The elements, if the value is an array.
  public var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members in their original order, if the value is an object.
  public var object: [(name: String, value: JSONValue)]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// Returns the value of an object's member, or `nil` if there is no such member or the value is
  /// not an object.
  ///
  /// - Complexity: O(*n*) in the number of members.
  public subscript(name: String) -> JSONValue? {
    object?.first { hasSameBytes($0.name, name) }?.value
  }

  /// The value as JSON text, without white space.
  ///
  /// - Complexity: O(*n*) in the size of the value.
  public var json: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .string(let text): JSONBytes.append(text, to: &bytes)
    case .number(let text): bytes.append(contentsOf: text.utf8)
    case .boolean(let value): bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONBytes.append(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}

extension JSONScanner {
  /// Parses the value at `index`.
  ///
  /// - Parameter nulls: What is done with members that are `null`.
  mutating func tree(_ nulls: JSONValue.NullMembers) throws(EventError) -> JSONValue {
    switch next {
    case UInt8(ascii: "{"):
      var members: [(name: String, value: JSONValue)] = []
      let first = self.members.count
      try open()
      skipSpace()
      if !take(UInt8(ascii: "}")) {
        repeat {
          let name = try text(try memberName(first: first))
          if nulls == .refused || !takeNull() { members.append((name, try tree(nulls))) }
          skipSpace()
        } while try another(UInt8(ascii: "}"))
      }
      close(first: first)
      return .object(members)
    case UInt8(ascii: "["):
      var elements: [JSONValue] = []
      try open()
      skipSpace()
      if !take(UInt8(ascii: "]")) {
        repeat {
          skipSpace()
          elements.append(try tree(nulls))
          skipSpace()
        } while try another(UInt8(ascii: "]"))
      }
      depth -= 1
      return .array(elements)
    default:
      let range = try value()
      switch range.shape {
      case .string: return .string(try text(range))
      case .boolean: return .boolean(bytes[range.start] == UInt8(ascii: "t"))
      default: return .number(String(decoding: json(range), as: UTF8.self))
      }
    }
  }

  /// Steps over `null` if it is the next value.
  private mutating func takeNull() -> Bool {
    let word: [4 of UInt8] = [0x6E, 0x75, 0x6C, 0x6C]
    guard bytes.count - index >= word.count else { return false }
    for offset in word.indices where bytes[index + offset] != word[offset] { return false }
    index += word.count
    return true
  }
}
