/// A JSON value parsed from the text of one member of `data`.
///
/// The oracle has its own slow JSON parser, so that it agrees with the product's codec by content
/// and does not share its code.
enum JSONText {
  case string(String)
  /// The original text: `0.50` stays `0.50`.
  case number(String)
  case bool(Bool)
  case array([JSONText])
  case object([(name: String, value: JSONText)])
  case null

  init(_ bytes: [UInt8]) {
    var parser = JSONTextParser(bytes: bytes)
    self = parser.value()
  }

  var string: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  var integer: Int64? {
    if case .number(let text) = self { return Int64(text) }
    return nil
  }

  var elements: [JSONText] {
    if case .array(let elements) = self { return elements }
    return []
  }

  var members: [(name: String, value: JSONText)] {
    if case .object(let members) = self { return members }
    return []
  }

  subscript(name: String) -> JSONText? { members.first { $0.name == name }?.value }
}

/// Parses well-formed JSON. The decoder has already refused everything else.
private struct JSONTextParser {
  let bytes: [UInt8]
  var at = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func value() -> JSONText {
    skipSpace()
    switch bytes[at] {
    case UInt8(ascii: "{"): return object()
    case UInt8(ascii: "["): return array()
    case UInt8(ascii: "\""): return .string(text())
    case UInt8(ascii: "t"):
      at += 4
      return .bool(true)
    case UInt8(ascii: "f"):
      at += 5
      return .bool(false)
    case UInt8(ascii: "n"):
      at += 4
      return .null
    default: return number()
    }
  }

  private mutating func skipSpace() {
    while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
  }

  private mutating func number() -> JSONText {
    let start = at
    while at < bytes.count, "+-.0123456789eE".utf8.contains(bytes[at]) { at += 1 }
    precondition(at > start, "the oracle was given text that is not JSON")
    return .number(String(decoding: bytes[start..<at], as: UTF8.self))
  }

  private mutating func object() -> JSONText {
    var members: [(name: String, value: JSONText)] = []
    at += 1
    skipSpace()
    while bytes[at] != UInt8(ascii: "}") {
      let name = text()
      skipSpace()
      at += 1
      members.append((name, value()))
      skipComma()
    }
    at += 1
    return .object(members)
  }

  private mutating func array() -> JSONText {
    var elements: [JSONText] = []
    at += 1
    skipSpace()
    while bytes[at] != UInt8(ascii: "]") {
      elements.append(value())
      skipComma()
    }
    at += 1
    return .array(elements)
  }

  private mutating func skipComma() {
    skipSpace()
    if bytes[at] == UInt8(ascii: ",") { at += 1 }
    skipSpace()
  }

  private mutating func text() -> String {
    var units: [UInt16] = []
    var plain: [UInt8] = []
    var result = ""
    func flushed(_ plain: [UInt8], _ units: [UInt16]) -> String {
      String(decoding: plain, as: UTF8.self) + String(decoding: units, as: UTF16.self)
    }
    at += 1
    while bytes[at] != UInt8(ascii: "\"") {
      guard bytes[at] == UInt8(ascii: "\\") else {
        if !units.isEmpty {
          result += flushed(plain, units)
          plain = []
          units = []
        }
        plain.append(bytes[at])
        at += 1
        continue
      }
      units.append(escape())
    }
    at += 1
    return result + flushed(plain, units)
  }

  private mutating func escape() -> UInt16 {
    let letter = bytes[at + 1]
    at += 2
    switch letter {
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"):
      let digits = String(decoding: bytes[at..<(at + 4)], as: UTF8.self)
      at += 4
      return UInt16(digits, radix: 16) ?? 0xFFFD
    default: return UInt16(letter)
    }
  }
}
