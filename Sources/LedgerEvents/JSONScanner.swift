/// The type of a JSON value.
enum JSONShape: UInt8 {
  case string
  case number
  case boolean
  case object
  case array

  /// The type with its article, for messages.
  var description: String {
    switch self {
    case .string: "a string"
    case .number: "a number"
    case .boolean: "true or false"
    case .object: "an object"
    case .array: "an array"
    }
  }
}

/// The location of a value, from its first byte up to but not including `end`.
struct JSONRange {
  var start: Int
  var end: Int
  var shape: JSONShape
  /// Whether this is a string with an escape, so that its bytes differ from its text.
  var isEscaped = false

  /// The contents of a string, without its quotes.
  var inside: Range<Int> { start + 1..<end - 1 }
}

/// Reads JSON (RFC 8259) from borrowed bytes, strictly: no `null`, no repeated members, no lone
/// surrogates, and no nesting beyond `nestingDepthMax`.
///
/// The bytes must be valid UTF-8. The decoder checks that once for the whole line.
struct JSONScanner: ~Escapable {
  let bytes: Span<UInt8>
  /// The next byte to read.
  var index: Int
  /// The number of open objects and arrays around `index`.
  var depth: Int
  /// The members read so far in the open objects.
  var members: [MemberMark] = []
  /// The names in the open objects that have too many members to be compared one by one. The key is
  /// the index at which the object's marks begin.
  var large: [Int: Set<[UInt8]>] = [:]

  /// The name of a member, remembered to detect repeated names.
  struct MemberMark {
    var prefix: UInt64
    var range: JSONRange
  }

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, at index: Int = 0, depth: Int = 0) {
    self.bytes = bytes
    self.index = index
    self.depth = depth
  }

  var isAtEnd: Bool { index >= bytes.count }

  /// The next byte. At the end, this is 0, which does not occur in JSON.
  var next: UInt8 { index < bytes.count ? bytes[index] : 0 }

  /// Steps over white space. A line feed does not count as white space here, because it ends an
  /// event.
  mutating func skipSpace() {
    while index < bytes.count {
      let byte = bytes[index]
      guard byte == 0x20 || byte == 0x09 || byte == 0x0D else { return }
      index += 1
    }
  }

  /// Steps over `byte` if it is the next one.
  mutating func take(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  mutating func expect(_ byte: UInt8, _ context: StaticString) throws(EventError) {
    guard take(byte) else {
      throw failure("expected '\(Character(Unicode.Scalar(byte)))' \(context), found \(found)")
    }
  }

  /// A description of what is at `index`, for messages.
  var found: String {
    guard index < bytes.count else { return "the end of the line" }
    let byte = bytes[index]
    if byte == 0x0A { return "a line feed: an event must be on one line" }
    guard byte >= 0x20 && byte < 0x7F else {
      return "the byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return "'\(Character(Unicode.Scalar(byte)))'"
  }

  func failure(_ reason: String) -> EventError { EventError(at: index, reason) }
}

// MARK: - Values

extension JSONScanner {
  /// Steps over one value and checks everything in it.
  mutating func value() throws(EventError) -> JSONRange {
    switch next {
    case UInt8(ascii: "\""): return try string()
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "t"): return try word("true")
    case UInt8(ascii: "f"): return try word("false")
    case UInt8(ascii: "n"):
      if isWord("null") {
        throw failure("null is refused: leave the field out instead")
      }
      throw failure("expected a value, found \(found)")
    default:
      throw failure("expected a value, found \(found)")
    }
  }

  private func isWord(_ word: String) -> Bool {
    let text = word.utf8Span.span
    guard index + text.count <= bytes.count else { return false }
    for at in text.indices where bytes[index &+ at] != text[at] { return false }
    return true
  }

  private mutating func word(_ word: String) throws(EventError) -> JSONRange {
    guard isWord(word) else { throw failure("expected a value, found \(found)") }
    let start = index
    index += word.utf8.count
    return JSONRange(start: start, end: index, shape: .boolean)
  }

  mutating func object() throws(EventError) -> JSONRange {
    let start = index
    let first = members.count
    try open()
    skipSpace()
    if !take(UInt8(ascii: "}")) {
      repeat {
        _ = try memberName(first: first)
        _ = try value()
        skipSpace()
      } while try another(UInt8(ascii: "}"))
    }
    close(first: first)
    return JSONRange(start: start, end: index, shape: .object)
  }

  mutating func array() throws(EventError) -> JSONRange {
    let start = index
    try open()
    skipSpace()
    if !take(UInt8(ascii: "]")) {
      repeat {
        skipSpace()
        _ = try value()
        skipSpace()
      } while try another(UInt8(ascii: "]"))
    }
    depth -= 1
    return JSONRange(start: start, end: index, shape: .array)
  }

  /// Steps over an opening brace or bracket.
  mutating func open() throws(EventError) {
    guard depth < nestingDepthMax else {
      throw failure("nested deeper than \(nestingDepthMax) levels")
    }
    depth += 1
    index += 1
  }

  /// Leaves an object whose members' marks begin at `first`.
  mutating func close(first: Int) {
    depth -= 1
    if members.count - first == membersComparedMax { large[first] = nil }
    members.removeLast(members.count - first)
  }

  /// Steps over a comma and returns true, or over the closing byte and returns false.
  mutating func another(_ closing: UInt8) throws(EventError) -> Bool {
    if take(UInt8(ascii: ",")) { return true }
    if take(closing) { return false }
    throw failure("expected ',' or '\(Character(Unicode.Scalar(closing)))', found \(found)")
  }
}

// MARK: - Strings and numbers

extension JSONScanner {
  mutating func string() throws(EventError) -> JSONRange {
    let start = index
    guard take(UInt8(ascii: "\"")) else { throw failure("expected a string, found \(found)") }
    var isEscaped = false
    while true {
      index = plainEnd(from: index)
      guard index < bytes.count else { break }
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        index += 1
        return JSONRange(start: start, end: index, shape: .string, isEscaped: isEscaped)
      }
      if byte == UInt8(ascii: "\\") {
        isEscaped = true
        try escape()
      } else {
        throw failure("a control character inside a string must be escaped, found \(found)")
      }
    }
    throw failure("the string that begins at column \(start + 1) does not end")
  }

  /// Returns the index of the first quote, backslash or control character from `start` on, or the
  /// end of the line if there is none.
  private func plainEnd(from start: Int) -> Int {
    var at = start
    // Skips eight bytes at a time while none of them is special.
    while at &+ 8 <= bytes.count {
      let special = specialBytes(load64(bytes, at))
      if special != 0 { return at &+ special.trailingZeroBitCount >> 3 }
      at &+= 8
    }
    while at < bytes.count {
      let byte = bytes[at]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      at &+= 1
    }
    return at
  }

  private mutating func escape() throws(EventError) {
    let start = index
    index += 1
    switch next {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      index += 1
    case UInt8(ascii: "u"):
      index += 1
      let unit = try fourHexDigits()
      if unit >= 0xDC00 && unit <= 0xDFFF {
        throw EventError(at: start, "a low surrogate must follow a high one")
      }
      guard unit >= 0xD800 && unit <= 0xDBFF else { return }
      guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
        throw EventError(at: start, "a high surrogate must be followed by a low one")
      }
      let low = try fourHexDigits()
      guard low >= 0xDC00 && low <= 0xDFFF else {
        throw EventError(at: start, "a high surrogate must be followed by a low one")
      }
    default:
      throw EventError(at: start, "not a JSON escape: write \\\\ for a backslash")
    }
  }

  private mutating func fourHexDigits() throws(EventError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = hexDigit(next) else {
        throw failure("expected four hexadecimal digits after \\u, found \(found)")
      }
      unit = unit << 4 | digit
      index += 1
    }
    return unit
  }

  mutating func number() throws(EventError) -> JSONRange {
    let start = index
    _ = take(UInt8(ascii: "-"))
    if take(UInt8(ascii: "0")) {
      if isDigit(next) { throw failure("a number does not begin with 0") }
    } else {
      try digits()
    }
    if take(UInt8(ascii: ".")) { try digits() }
    if next | 0x20 == UInt8(ascii: "e") {
      index += 1
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    return JSONRange(start: start, end: index, shape: .number)
  }

  private mutating func digits() throws(EventError) {
    guard isDigit(next) else { throw failure("expected a digit, found \(found)") }
    while isDigit(next) { index += 1 }
  }
}

/// Returns a word in which the high bit is set for the first byte that is a quote, a backslash or a
/// control character (and possibly for some bytes after it), or 0 if none of the eight bytes is one
/// (*Bit Twiddling Hacks*, "Determine if a word has a byte less than n").
@inline(__always)
func specialBytes(_ word: UInt64) -> UInt64 {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let quote = word ^ 0x2222_2222_2222_2222
  let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
  let isQuote = (quote &- ones) & ~quote
  let isBackslash = (backslash &- ones) & ~backslash
  let isControl = (word &- 0x2020_2020_2020_2020) & ~word
  return (isQuote | isBackslash | isControl) & 0x8080_8080_8080_8080
}

@inline(__always)
func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

func hexDigit(_ byte: UInt8) -> UInt32? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
  case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
  case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
  default: nil
  }
}
