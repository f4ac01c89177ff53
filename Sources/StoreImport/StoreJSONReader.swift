/// The maximum size of an imported file, in bytes.
///
/// 64 mebibytes: a verifyReceipt answer grows by about a kilobyte per transaction, so this allows
/// for a customer with sixty thousand renewals. A larger file is not an answer.
public let importSizeBytesMax = 64 << 20

/// The maximum nesting of objects and arrays. The store's files need nine levels.
public let importNestingDepthMax = 32

/// Reads one JSON document (RFC 8259) into a tree, strictly: UTF-8, no repeated members, no lone
/// surrogates. A byte order mark at the start is skipped.
struct StoreJSONReader {
  private let bytes: [UInt8]
  private var index = 0
  private var depth = 0

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
    reader.skipSpace()
    let value = try reader.value()
    reader.skipSpace()
    guard reader.index == bytes.count else {
      throw reader.failure("expected the end of the file, found \(reader.found)")
    }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

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

  private mutating func value() throws(ImportError) -> StoreJSON {
    switch next {
    case UInt8(ascii: "{"): return try nested { reader throws(ImportError) in try reader.object() }
    case UInt8(ascii: "["): return try nested { reader throws(ImportError) in try reader.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case .some(let byte) where byte == UInt8(ascii: "-") || isDigit(byte):
      return .number(try number())
    default: throw failure("expected a value, found \(found)")
    }
  }

  private mutating func nested(
    _ read: (inout StoreJSONReader) throws(ImportError) -> StoreJSON
  ) throws(ImportError) -> StoreJSON {
    guard depth < importNestingDepthMax else {
      throw failure("nested deeper than \(importNestingDepthMax) levels")
    }
    depth += 1
    index += 1
    skipSpace()
    let value = try read(&self)
    depth -= 1
    return value
  }

  private mutating func object() throws(ImportError) -> StoreJSON {
    var members = StoreJSON.Members()
    if take(UInt8(ascii: "}")) { return .object(members) }
    repeat {
      skipSpace()
      let name = try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw failure("expected ':', found \(found)") }
      skipSpace()
      guard members.insert(try value(), as: name) else {
        throw failure("the member \"\(name)\" appears twice")
      }
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw failure("expected ',' or '}', found \(found)") }
    return .object(members)
  }

  private mutating func array() throws(ImportError) -> StoreJSON {
    var values: [StoreJSON] = []
    if take(UInt8(ascii: "]")) { return .array(values) }
    repeat {
      skipSpace()
      values.append(try value())
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw failure("expected ',' or ']', found \(found)") }
    return .array(values)
  }

  private mutating func word(_ word: String, _ value: StoreJSON) throws(ImportError) -> StoreJSON {
    guard bytes[index...].starts(with: word.utf8) else {
      throw failure("expected a value, found \(found)")
    }
    index += word.utf8.count
    return value
  }
}

// MARK: - Strings and numbers

extension StoreJSONReader {
  private mutating func number() throws(ImportError) -> String {
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
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func digits() throws(ImportError) {
    let start = index
    while let byte = next, isDigit(byte) { index += 1 }
    guard index > start else { throw failure("expected a digit, found \(found)") }
  }

  private mutating func string() throws(ImportError) -> String {
    guard take(UInt8(ascii: "\"")) else { throw failure("expected a string, found \(found)") }
    var text: [UInt8] = []
    while true {
      guard let byte = next else { throw failure("the string is not closed") }
      index += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: text, as: UTF8.self) else {
          throw failure("the string that ends here is not valid UTF-8")
        }
        return text
      case UInt8(ascii: "\\"): try escape(into: &text)
      case 0..<0x20: throw failure("a control character inside a string must be escaped")
      default: text.append(byte)
      }
    }
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
