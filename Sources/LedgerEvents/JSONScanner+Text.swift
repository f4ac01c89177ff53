extension JSONScanner {
  /// Returns the bytes of a value, as written.
  func json(_ range: JSONRange) -> [UInt8] { copy(range.start..<range.end) }

  func copy(_ range: Range<Int>) -> [UInt8] {
    let part = bytes.extracting(range)
    return [UInt8](capacity: part.count) { out in
      for index in part.indices { out.append(part[index]) }
    }
  }

  /// Returns the text of a string, unescaped.
  func text(_ range: JSONRange) throws(EventError) -> String {
    if !range.isEscaped { return try text(range.inside) }
    let plain = unescaped(range)
    return try JSONScanner(plain.span).text(0..<plain.count)
  }

  private func text(_ range: Range<Int>) throws(EventError) -> String {
    do {
      return String(copying: try UTF8Span(validating: bytes.extracting(range)))
    } catch {
      throw EventError(at: range.lowerBound + error.byteOffsets.lowerBound, notUTF8)
    }
  }

  /// Returns the UTF-8 of a scanned string with its escapes resolved.
  func unescaped(_ range: JSONRange) -> [UInt8] {
    if !range.isEscaped { return copy(range.inside) }
    var plain: [UInt8] = []
    plain.reserveCapacity(range.end - range.start)
    var at = range.inside.lowerBound
    while at < range.inside.upperBound {
      let byte = bytes[at]
      if byte != UInt8(ascii: "\\") {
        plain.append(byte)
        at += 1
        continue
      }
      let escape = bytes[at + 1]
      at += 2
      switch escape {
      case UInt8(ascii: "b"): plain.append(0x08)
      case UInt8(ascii: "f"): plain.append(0x0C)
      case UInt8(ascii: "n"): plain.append(0x0A)
      case UInt8(ascii: "r"): plain.append(0x0D)
      case UInt8(ascii: "t"): plain.append(0x09)
      case UInt8(ascii: "u"):
        var scalar = codeUnit(at)
        at += 4
        if scalar >= 0xD800 && scalar <= 0xDBFF {
          scalar = 0x10000 + (scalar - 0xD800) << 10 + (codeUnit(at + 2) - 0xDC00)
          at += 6
        }
        appendUTF8(scalar, to: &plain)
      default: plain.append(escape)
      }
    }
    return plain
  }

  private func codeUnit(_ at: Int) -> UInt32 {
    var unit: UInt32 = 0
    for index in at..<at + 4 { unit = unit << 4 | (hexDigit(bytes[index]) ?? 0) }
    return unit
  }

  /// Returns the length of a string's text in bytes of UTF-8.
  func textByteCount(_ range: JSONRange) -> Int {
    range.isEscaped ? unescaped(range).count : range.inside.count
  }

  /// Returns whether a string's text equals `text`.
  func isText(_ range: JSONRange, _ text: [UInt8]) -> Bool { isText(range, text.span) }

  /// Returns whether a string's text equals `text`, byte by byte.
  func isText(_ range: JSONRange, _ text: String) -> Bool { isText(range, text.utf8Span.span) }

  private func isText(_ range: JSONRange, _ text: Span<UInt8>) -> Bool {
    if range.isEscaped { return hasSameBytes(unescaped(range).span, text) }
    return hasSameBytes(bytes.extracting(range.inside), text)
  }
}

private let notUTF8 = "not valid UTF-8: events are UTF-8 text"

func checkUTF8(_ bytes: Span<UInt8>) throws(EventError) {
  do {
    _ = try UTF8Span(validating: bytes)
  } catch {
    throw EventError(at: error.byteOffsets.lowerBound, notUTF8)
  }
}

/// Appends a scalar value, which must not be a surrogate, as UTF-8.
func appendUTF8(_ scalar: UInt32, to bytes: inout [UInt8]) {
  func continuation(_ shift: UInt32) -> UInt8 { UInt8(0x80 | (scalar >> shift) & 0x3F) }
  switch scalar {
  case 0..<0x80:
    bytes.append(UInt8(scalar))
  case 0x80..<0x800:
    bytes.append(UInt8(0xC0 | scalar >> 6))
    bytes.append(continuation(0))
  case 0x800..<0x10000:
    bytes.append(UInt8(0xE0 | scalar >> 12))
    bytes.append(continuation(6))
    bytes.append(continuation(0))
  default:
    bytes.append(UInt8(0xF0 | scalar >> 18))
    bytes.append(continuation(12))
    bytes.append(continuation(6))
    bytes.append(continuation(0))
  }
}

// MARK: - Members

/// The number of members up to which an object's names are compared one by one to find repeated
/// ones. Larger objects use a set, so that a hundred thousand members don't take quadratic time.
let membersComparedMax = 32

extension JSONScanner {
  /// Steps over a member's name and colon, and throws if the object already has that name.
  ///
  /// - Parameter first: The index in `members` at which the marks of this object begin.
  /// - Complexity: O(*n*) in the members so far, O(1) amortized for large objects.
  mutating func memberName(first: Int) throws(EventError) -> JSONRange {
    let name = try self.name()
    try mark(name, first: first)
    return name
  }

  /// Steps over a member's name and colon.
  mutating func name() throws(EventError) -> JSONRange {
    skipSpace()
    guard next == UInt8(ascii: "\"") else {
      throw failure("expected the name of a member in quotes, found \(found)")
    }
    let name = try string()
    skipSpace()
    try expect(UInt8(ascii: ":"), "after the name of a member")
    skipSpace()
    return name
  }

  private mutating func mark(_ name: JSONRange, first: Int) throws(EventError) {
    var isRepeated = false
    if members.count - first < membersComparedMax {
      let prefix = prefix(name)
      var at = first
      while at < members.count {
        if members[at].prefix == prefix && isSame(members[at].range, name) { isRepeated = true }
        at += 1
      }
      members.append(MemberMark(prefix: prefix, range: name))
    } else {
      if large[first] == nil {
        large[first] = Set(members[first..<members.count].map { unescaped($0.range) })
      }
      let plain = unescaped(name)
      isRepeated = large[first]?.insert(plain).inserted == false
    }
    if isRepeated {
      throw EventError(at: name.start, "the member \"\(try self.text(name))\" appears twice")
    }
  }

  private func isSame(_ left: JSONRange, _ right: JSONRange) -> Bool {
    if left.isEscaped || right.isEscaped { return unescaped(left) == unescaped(right) }
    guard left.inside.count == right.inside.count else { return false }
    for step in 0..<left.inside.count
    where bytes[left.inside.lowerBound + step] != bytes[right.inside.lowerBound + step] {
      return false
    }
    return true
  }
}
