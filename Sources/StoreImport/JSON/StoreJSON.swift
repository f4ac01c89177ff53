import LedgerEvents

/// A JSON document of the store, as a flat list of values that point into its bytes.
///
/// Unlike an event, a file of the store can contain `null`, spans many lines and is read out of
/// order. An answer can have a million values, so nothing is allocated for each of them, and texts
/// are decoded when they are asked for.
final class StoreDocument: Sendable {
  /// A value. The values inside an array or object follow it; in an object, each after its name.
  struct Node {
    enum Kind: UInt8 {
      case null
      case isFalse
      case isTrue
      case number
      /// A text without an escape: `range` in the document.
      case string
      /// A text with escapes: `start` is its index in `unescaped`.
      case escapedString
      case array
      case object
    }

    let kind: Kind
    var start: UInt32
    var end: UInt32
    /// The index of the first node after this value and everything in it.
    var next: UInt32
  }

  fileprivate let bytes: [UInt8]
  fileprivate let nodes: [Node]
  fileprivate let unescaped: [String]

  init(bytes: [UInt8], nodes: [Node], unescaped: [String]) {
    self.bytes = bytes
    self.nodes = nodes
    self.unescaped = unescaped
  }
}

/// A value of the document.
struct StoreJSON: Sendable {
  fileprivate let document: StoreDocument
  fileprivate let index: Int

  init(_ document: StoreDocument, at index: Int = 0) {
    self.document = document
    self.index = index
  }

  /// What a value is. Numbers keep their original text: transaction identifiers can be numbers, and
  /// a `Double` would lose their digits.
  enum Content {
    case null
    case boolean(Bool)
    /// As written: `1000000093384828`, `1697679936049.7297`.
    case number(String)
    case string(String)
    case array
    case object
  }

  private var node: StoreDocument.Node { document.nodes[index] }

  /// - Complexity: O(*n*) in the length of a text or number, otherwise O(1).
  var content: Content {
    switch node.kind {
    case .null: .null
    case .isFalse: .boolean(false)
    case .isTrue: .boolean(true)
    case .number: .number(text)
    case .string, .escapedString: .string(text)
    case .array: .array
    case .object: .object
    }
  }

  private var text: String {
    if node.kind == .escapedString { return document.unescaped[Int(node.start)] }
    return String(decoding: document.bytes[Int(node.start)..<Int(node.end)], as: UTF8.self)
  }

  /// The values of an array, in order; `nil` if it is something else.
  ///
  /// - Complexity: O(*n*) in their number.
  var elements: [StoreJSON]? {
    guard node.kind == .array else { return nil }
    var elements: [StoreJSON] = []
    var element = index + 1
    while element < Int(node.next) {
      elements.append(StoreJSON(document, at: element))
      element = Int(document.nodes[element].next)
    }
    return elements
  }

  var isObject: Bool { node.kind == .object }

  /// The text of an array or object, as it stands in the document.
  var source: ArraySlice<UInt8> { document.bytes[Int(node.start)..<Int(node.end)] }

  /// The value of an object's member; `nil` if it is absent or `null`, which mean the same to the
  /// store. Names are compared by their bytes.
  ///
  /// - Complexity: O(*n*) in the object's members, of which the store writes at most some thirty.
  subscript(name: String) -> StoreJSON? {
    guard isObject else { return nil }
    var member = index + 1
    while member < Int(node.next) {
      let value = Int(document.nodes[member].next)
      if StoreJSON(document, at: member).isName(name) {
        return document.nodes[value].kind == .null ? nil : StoreJSON(document, at: value)
      }
      member = Int(document.nodes[value].next)
    }
    return nil
  }

  private func isName(_ name: String) -> Bool {
    if node.kind == .escapedString { return Name(text) == Name(name) }
    let wanted = name.utf8.span
    let start = Int(node.start)
    guard Int(node.end) - start == wanted.count else { return false }
    for at in wanted.indices where document.bytes[start + at] != wanted[at] { return false }
    return true
  }

  /// The value's type with its article, for messages.
  var described: String {
    switch content {
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
  /// The value of a member; see ``StoreJSON``.
  let members: StoreJSON
  /// The path of the object, or of the array that contains it.
  private let base: String
  private let index: Int?
  /// What its members are called.
  let vocabulary: StoreVocabulary

  /// - Parameter index: The object's index in an array with this path; `nil` if it is in none.
  init(
    _ value: StoreJSON, path: String, index: Int? = nil, _ vocabulary: StoreVocabulary = .receipt
  ) throws(ImportError) {
    base = path
    self.index = index
    self.vocabulary = vocabulary
    members = value
    guard value.isObject else {
      throw ImportError(
        .badValue, path: self.path, reason: "expected an object, found \(value.described)",
        remedy: "Check that the file is the store's unmodified answer")
    }
  }

  var path: String { index.map { "\(base)[\($0)]" } ?? base }

  func path(of name: String) -> String { path.isEmpty ? name : path + "." + name }

  /// Returns the object called `name`, if there is one.
  func object(_ name: String) throws(ImportError) -> StoreObject? {
    guard let value = members[name] else { return nil }
    return try StoreObject(value, path: path(of: name), vocabulary)
  }

  /// Returns the objects in the array called `name`; none if it is absent. A single object counts
  /// as an array of one, because iOS 6 style receipts write `latest_receipt_info` like that.
  func objects(_ name: String) throws(ImportError) -> [StoreObject] {
    guard let value = members[name] else { return [] }
    let path = path(of: name)
    guard let values = value.elements else {
      guard value.isObject else {
        throw ImportError(
          .badValue, path: path, reason: "expected an array of objects, found \(value.described)",
          remedy: "Check that the file is the store's unmodified answer")
      }
      return [try StoreObject(value, path: path, vocabulary)]
    }
    var objects: [StoreObject] = []
    objects.reserveCapacity(values.count)
    for (index, value) in values.enumerated() {
      objects.append(try StoreObject(value, path: path, index: index, vocabulary))
    }
    return objects
  }

  /// Returns the text of a nonempty string, or the digits of a whole number.
  func text(_ name: String) throws(ImportError) -> String? {
    guard let value = members[name] else { return nil }
    switch value.content {
    case .string(let text): return text.isEmpty ? nil : text
    case .number(let text) where text.utf8.allSatisfy { isDigit($0) }: return text
    default:
      throw ImportError(
        .badValue, path: path(of: name),
        reason: "expected a string or a whole number, found \(value.described)",
        remedy: "Check that the file is the store's unmodified answer")
    }
  }

  /// Returns the value of a flag: `true`, `"true"`, `1` or `"1"`, or the opposites.
  func flag(_ name: String) throws(ImportError) -> Bool? {
    guard let value = members[name] else { return nil }
    switch value.content {
    case .boolean(let isTrue): return isTrue
    case .string("true"), .string("1"), .number("1"): return true
    case .string("false"), .string("0"), .number("0"): return false
    case .string(""): return nil
    default:
      throw ImportError(
        .badValue, path: path(of: name),
        reason: "expected true or false (or 1 or 0), found \(value.described)",
        remedy: "Check that the file is the store's unmodified answer")
    }
  }
}

func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
