import LedgerEvents

/// The maximum size of an imported file, in bytes.
///
/// 64 mebibytes: a verifyReceipt answer grows by about a kilobyte per transaction, so this allows
/// for a customer with sixty thousand renewals. A larger file is not an answer.
public let importSizeBytesMax = 64 << 20

/// The maximum number of values in a document, in which names of members count, too.
///
/// 8,388,608, which take some 130 megabytes. The store's files have less than one in ten bytes.
public let importValuesMax = 1 << 23

/// The maximum number of documents in a file, and of signed texts in an answer.
///
/// 524,288. The smallest that the store writes have more than 128 bytes.
public let importDocumentsMax = 1 << 19

/// The maximum number of lines in a file, of which one document can have many.
public let importLinesMax = 1 << 22

/// The maximum nesting of objects and arrays. The store's files need nine levels.
public let importNestingDepthMax = 32

/// Reads one JSON document (RFC 8259), strictly: UTF-8, no repeated members, no lone surrogates. A
/// byte order mark at the start is skipped.
struct StoreJSONReader {
  private typealias Node = StoreDocument.Node

  private let bytes: [UInt8]
  private var index = 0
  private var depth = 0
  private var nodes: [Node] = []
  private var unescaped: [String] = []

  /// Up to this many members, a repeated name is found by comparing each with each.
  private static let comparedMembersMax = 64

  /// - Complexity: O(*n*) in the number of bytes.
  /// - Throws: `ImportError` of code `malformed`, with the line and the column in bytes.
  static func document(_ bytes: [UInt8]) throws(ImportError) -> StoreJSON {
    guard bytes.count <= importSizeBytesMax else {
      throw ImportError(
        .malformed, reason: "the file has more than \(importSizeBytesMax) bytes",
        remedy: "Import one answer or configuration per file")
    }
    var reader = StoreJSONReader(bytes: bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.index = 3 }
    if let (found, remedy) = encoding(of: bytes) {
      throw ImportError(.malformed, reason: "expected JSON, found \(found)", remedy: remedy)
    }
    reader.skipSpace()
    try reader.value()
    reader.skipSpace()
    guard reader.index == bytes.count else {
      throw reader.failure("expected the end of the file, found \(reader.found)")
    }
    return StoreJSON(
      StoreDocument(bytes: bytes, nodes: reader.nodes, unescaped: reader.unescaped))
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// What a file is that has to be converted first, by its first bytes.
  private static func encoding(of bytes: [UInt8]) -> (found: String, remedy: String)? {
    switch (bytes.first, bytes.dropFirst().first) {
    case (0x1F, 0x8B): ("a compressed file (gzip)", "Unpack it first: gzip -dc FILE")
    case (0xFF, 0xFE), (0xFE, 0xFF): ("UTF-16", "Convert the file to UTF-8 first")
    default: nil
    }
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private var found: String {
    guard let byte = next else { return "the end of the file" }
    guard byte > 0x20 && byte < 0x7F else { return "the byte \(byte)" }
    return "'\(Character(Unicode.Scalar(byte)))'"
  }

  private func failure(_ reason: String) -> ImportError {
    var line = 1
    var column = 1
    for byte in bytes[..<min(index, bytes.count)] {
      column += 1
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      }
    }
    return ImportError(
      .malformed, path: "line \(line), column \(column)", reason: reason,
      remedy: "Check that the file is one complete JSON document in UTF-8")
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      index += 1
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  private mutating func value() throws(ImportError) {
    switch next {
    case UInt8(ascii: "{"):
      try nested(.object) { reader throws(ImportError) in try reader.members() }
    case UInt8(ascii: "["):
      try nested(.array) { reader throws(ImportError) in try reader.elements() }
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try word("true", .isTrue)
    case UInt8(ascii: "f"): try word("false", .isFalse)
    case UInt8(ascii: "n"): try word("null", .null)
    case .some(let byte) where byte == UInt8(ascii: "-") || isDigit(byte): try number()
    default: throw failure("expected a value, found \(found)")
    }
  }

  /// Appends the value that begins at `start` and has no values in it.
  private mutating func append(
    _ kind: Node.Kind, from start: Int, to end: Int
  ) throws(ImportError) {
    guard nodes.count < importValuesMax else {
      var error = failure("the document has more than \(importValuesMax) values")
      error.remedy = "Split the file: no answer of the store has as many"
      throw error
    }
    nodes.append(
      Node(
        kind: kind, start: UInt32(start), end: UInt32(end), next: UInt32(nodes.count + 1)))
  }

  private mutating func nested(
    _ kind: Node.Kind, _ read: (inout StoreJSONReader) throws(ImportError) -> Void
  ) throws(ImportError) {
    guard depth < importNestingDepthMax else {
      throw failure("nested deeper than \(importNestingDepthMax) levels")
    }
    depth += 1
    let node = nodes.count
    try append(kind, from: index, to: index)
    index += 1
    skipSpace()
    try read(&self)
    nodes[node].end = UInt32(index)
    nodes[node].next = UInt32(nodes.count)
    depth -= 1
  }

  private mutating func members() throws(ImportError) {
    if take(UInt8(ascii: "}")) { return }
    let first = nodes.count
    var count = 0
    var names: Set<Name> = []
    repeat {
      skipSpace()
      let name = nodes.count
      try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw failure("expected ':', found \(found)") }
      skipSpace()
      try value()
      guard isNew(name, after: first, &count, &names) else {
        throw failure("the member \"\(text(of: name))\" appears twice")
      }
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw failure("expected ',' or '}', found \(found)") }
  }

  /// Whether no other member of the object whose first member is the node `first` has this name.
  ///
  /// - Parameters:
  ///   - count: The number of members before it.
  ///   - names: The names before it, if there are many.
  private func isNew(
    _ name: Int, after first: Int, _ count: inout Int, _ names: inout Set<Name>
  ) -> Bool {
    defer { count += 1 }
    if count > Self.comparedMembersMax { return names.insert(text(of: name)).inserted }
    var member = first
    while member < name {
      if isSameText(member, name) { return false }
      if count == Self.comparedMembersMax { names.insert(text(of: member)) }
      member = Int(nodes[Int(nodes[member].next)].next)
    }
    if count == Self.comparedMembersMax { names.insert(text(of: name)) }
    return true
  }

  private func isSameText(_ one: Int, _ other: Int) -> Bool {
    let (left, right) = (nodes[one], nodes[other])
    guard left.kind == .string, right.kind == .string else {
      return text(of: one) == text(of: other)
    }
    let count = left.end - left.start
    guard right.end - right.start == count else { return false }
    for offset in 0..<count
    where bytes[Int(left.start + offset)] != bytes[Int(right.start + offset)] {
      return false
    }
    return true
  }

  private func text(of node: Int) -> Name {
    let text = nodes[node]
    if text.kind == .escapedString { return Name(unescaped[Int(text.start)]) }
    return Name(String(decoding: bytes[Int(text.start)..<Int(text.end)], as: UTF8.self))
  }

  private mutating func elements() throws(ImportError) {
    if take(UInt8(ascii: "]")) { return }
    repeat {
      skipSpace()
      try value()
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw failure("expected ',' or ']', found \(found)") }
  }

  private mutating func word(_ word: String, _ kind: Node.Kind) throws(ImportError) {
    guard bytes[index...].starts(with: word.utf8) else {
      throw failure("expected a value, found \(found)")
    }
    try append(kind, from: index, to: index + word.utf8.count)
    index += word.utf8.count
  }
}

// MARK: - Strings and numbers

extension StoreJSONReader {
  private mutating func number() throws(ImportError) {
    let start = index
    _ = take(UInt8(ascii: "-"))
    if take(UInt8(ascii: "0")) {
      if let byte = next, isDigit(byte) { throw failure("a number does not begin with 0") }
    } else {
      try digits()
    }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    try append(.number, from: start, to: index)
  }

  private mutating func digits() throws(ImportError) {
    let start = index
    while let byte = next, isDigit(byte) { index += 1 }
    guard index > start else { throw failure("expected a digit, found \(found)") }
  }

  private mutating func string() throws(ImportError) {
    guard take(UInt8(ascii: "\"")) else { throw failure("expected a string, found \(found)") }
    let start = index
    var isASCII = true
    while let byte = next, byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
      try check(byte)
      isASCII = isASCII && byte < 0x80
      index += 1
    }
    guard take(UInt8(ascii: "\"")) else { throw failure("the string is not closed") }
    if !isASCII { _ = try text(bytes[start..<index - 1]) }
    try append(.string, from: start, to: index - 1)
  }

  /// Reads the rest of a text whose first escape is here.
  private mutating func escapedString(from start: Int) throws(ImportError) {
    var unescaped = Array(bytes[start..<index])
    while let byte = next, byte != UInt8(ascii: "\"") {
      try check(byte)
      index += 1
      if byte == UInt8(ascii: "\\") {
        try escape(into: &unescaped)
      } else {
        unescaped.append(byte)
      }
    }
    guard take(UInt8(ascii: "\"")) else { throw failure("the string is not closed") }
    let text = try text(unescaped[...])
    try append(.escapedString, from: self.unescaped.count, to: 0)
    self.unescaped.append(text)
  }

  private mutating func check(_ byte: UInt8) throws(ImportError) {
    guard byte < 0x20 else { return }
    index += 1
    throw failure("a control character inside a string must be escaped")
  }

  private func text(_ bytes: ArraySlice<UInt8>) throws(ImportError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw failure("the string that ends here is not valid UTF-8")
    }
    return text
  }

  private mutating func escape(into text: inout [UInt8]) throws(ImportError) {
    let escape = next
    index += 1
    switch escape {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      if let escape { text.append(escape) }
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var unit = try hexUnit()
      if unit >= 0xD800, unit < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
        let low = try hexUnit()
        guard low >= 0xDC00, low < 0xE000 else { throw failure("a lone surrogate is not allowed") }
        unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(unit) else {
        throw failure("a lone surrogate is not allowed")
      }
      text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default:
      throw failure("not a JSON escape")
    }
  }

  private mutating func hexUnit() throws(ImportError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("expected four hexadecimal digits, found \(found)")
      }
      unit = unit << 4 | UInt32(digit)
      index += 1
    }
    return unit
  }
}
