/// A JSON document of the store.
///
/// Unlike an event, a file of the store can contain `null`, spans many lines and is read out of
/// order, so it is parsed into a tree. Numbers keep their original text: transaction identifiers
/// can be numbers, and a `Double` would lose their digits.
indirect enum StoreJSON: Sendable {
  case null
  case boolean(Bool)
  /// As written: `1000000093384828`, `1697679936049.7297`.
  case number(String)
  case string(String)
  case array([StoreJSON])
  case object(Members)

  /// The members of an object, by name. Names are compared by their bytes.
  struct Members: Sendable {
    private(set) var byName: [Key: StoreJSON] = [:]

    struct Key: Hashable, Sendable {
      var bytes: [UInt8]
    }

    /// Returns whether the name was new.
    mutating func insert(_ value: StoreJSON, as name: String) -> Bool {
      byName.updateValue(value, forKey: Key(bytes: Array(name.utf8))) == nil
    }

    /// Returns the member's value, or `nil` if it is absent or `null`, which mean the same to the
    /// store.
    subscript(name: String) -> StoreJSON? {
      guard let value = byName[Key(bytes: Array(name.utf8))] else { return nil }
      if case .null = value { return nil }
      return value
    }
  }

  /// The value's type with its article, for messages.
  var described: String {
    switch self {
    case .null: "null"
    case .boolean(let isTrue): isTrue ? "true" : "false"
    case .number(let text): "the number \(text)"
    case .string(let text): "the string \"\(text.prefix(40))\""
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// An object of the document, with its path for error messages.
struct StoreObject: Sendable {
  var members: StoreJSON.Members
  var path: String

  init(_ value: StoreJSON, path: String) throws(ImportError) {
    guard case .object(let members) = value else {
      throw ImportError(
        .badValue, path: path, reason: "expected an object, found \(value.described)",
        remedy: "Check that the file is the store's unmodified answer")
    }
    self.members = members
    self.path = path
  }

  func path(of name: String) -> String { path.isEmpty ? name : path + "." + name }

  /// Returns the object called `name`, if there is one.
  func object(_ name: String) throws(ImportError) -> StoreObject? {
    guard let value = members[name] else { return nil }
    return try StoreObject(value, path: path(of: name))
  }

  /// Returns the objects in the array called `name`; none if it is absent. A single object counts
  /// as an array of one, because iOS 6 style receipts write `latest_receipt_info` like that.
  func objects(_ name: String) throws(ImportError) -> [StoreObject] {
    guard let value = members[name] else { return [] }
    let path = path(of: name)
    guard case .array(let values) = value else {
      guard case .object = value else {
        throw ImportError(
          .badValue, path: path, reason: "expected an array of objects, found \(value.described)",
          remedy: "Check that the file is the store's unmodified answer")
      }
      return [try StoreObject(value, path: path)]
    }
    var objects: [StoreObject] = []
    objects.reserveCapacity(values.count)
    for (index, value) in values.enumerated() {
      objects.append(try StoreObject(value, path: "\(path)[\(index)]"))
    }
    return objects
  }

  /// Returns the text of a nonempty string, or the digits of a whole number.
  func text(_ name: String) throws(ImportError) -> String? {
    switch members[name] {
    case nil, .null: return nil
    case .string(let text): return text.isEmpty ? nil : text
    case .number(let text) where text.utf8.allSatisfy { isDigit($0) }: return text
    case .some(let value):
      throw ImportError(
        .badValue, path: path(of: name),
        reason: "expected a string or a whole number, found \(value.described)",
        remedy: "Check that the file is the store's unmodified answer")
    }
  }

  /// Returns the value of a flag: `true`, `"true"`, `1` or `"1"`, or the opposites.
  func flag(_ name: String) throws(ImportError) -> Bool? {
    switch members[name] {
    case nil, .null: return nil
    case .boolean(let isTrue): return isTrue
    case .string("true"), .string("1"), .number("1"): return true
    case .string("false"), .string("0"), .number("0"): return false
    case .string(""): return nil
    case .some(let value):
      throw ImportError(
        .badValue, path: path(of: name),
        reason: "expected true or false (or 1 or 0), found \(value.described)",
        remedy: "Check that the file is the store's unmodified answer")
    }
  }
}

func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
