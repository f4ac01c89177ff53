/// Appends JSON to bytes.
package enum JSONBytes {
  /// Appends a string in quotes. Only quotes, backslashes and control characters are escaped.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    if isPlain(text) {
      bytes.append(contentsOf: text.utf8)
      bytes.append(UInt8(ascii: "\""))
      return
    }
    for byte in text.utf8 {
      if byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
        bytes.append(byte)
      } else {
        appendEscaped(byte, to: &bytes)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Returns whether a string has no quote, backslash or control character, so that it needs no
  /// escapes.
  package static func isPlain(_ string: String) -> Bool {
    let text = string.utf8Span.span
    var index = 0
    while index + 8 <= text.count {
      if specialBytes(load64(text, index)) != 0 { return false }
      index += 8
    }
    while index < text.count {
      let byte = text[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return false }
      index += 1
    }
    return true
  }

  private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      bytes.append(contentsOf: "u00".utf8)
      bytes.append(contentsOf: byte < 16 ? "0".utf8 : "1".utf8)
      bytes.append(contentsOf: String(byte & 15, radix: 16).utf8)
    }
  }

  static func append(_ number: Int64, to bytes: inout [UInt8]) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    let magnitude = number.magnitude
    var divisor: UInt64 = 1
    while magnitude / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude / divisor % 10))
      divisor /= 10
    }
  }

  /// Appends the members as an object, each value in its original text.
  static func append(_ data: EventData, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    var isFirst = true
    for member in data.members {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      append(member.name, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      bytes.append(contentsOf: member.json)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}
