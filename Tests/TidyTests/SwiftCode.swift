/// The code of a Swift file: the same bytes at the same offsets, with comments and string literals
/// blanked, so that a check for a word or a brace sees only code.
///
/// Interpolations are code and are kept. The project has no regular expression literals.
struct SwiftCode {
  /// As long as the source, with line feeds at the same offsets.
  let bytes: [UInt8]
  /// For each line, the number of bytes in string literals.
  let textBytes: [Int]

  init(_ source: [UInt8]) {
    var scan = Scan(source: source)
    scan.run()
    bytes = scan.blanked
    textBytes = scan.textBytes
  }

  /// The lines of the code, without their line feeds.
  var lines: [ArraySlice<UInt8>] { bytes.lines }
}

/// One pass over a source, from the first byte to the last.
private struct Scan {
  private let source: [UInt8]
  private(set) var blanked: [UInt8]
  private(set) var textBytes = [0]
  private var offset = 0
  /// The string literals around an interpolation, with the number of open parentheses in it.
  private var outer: [(literal: Literal, parentheses: Int)] = []

  private struct Literal {
    var hashes: Int
    var isMultiline: Bool
  }

  init(source: [UInt8]) {
    self.source = source
    blanked = source
  }

  private static let beginnings: [Bool] = {
    var beginnings = [Bool](repeating: false, count: 256)
    for byte in [UInt8]("/\"#()\n".utf8) { beginnings[Int(byte)] = true }
    return beginnings
  }()

  mutating func run() {
    while offset < source.count {
      let byte = source[offset]
      // Most bytes begin nothing. The checks run without optimization, so skip those bytes first.
      guard Self.beginnings[Int(byte)] else {
        offset += 1
        continue
      }
      if byte == UInt8(ascii: "/"), byteAhead(1) == UInt8(ascii: "/") {
        blankLineComment()
      } else if byte == UInt8(ascii: "/"), byteAhead(1) == UInt8(ascii: "*") {
        blankBlockComment()
      } else if let literal = literalBegin() {
        offset += literal.hashes + (literal.isMultiline ? 3 : 1)
        blankText(of: literal)
      } else {
        if byte == UInt8(ascii: "\n") { textBytes.append(0) }
        followParentheses(byte)
        offset += 1
      }
    }
  }

  private func byteAhead(_ distance: Int) -> UInt8 {
    offset + distance < source.count ? source[offset + distance] : 0
  }

  private func repeats(_ byte: UInt8, _ count: Int, from start: Int) -> Bool {
    start + count <= source.count && source[start..<start + count].allSatisfy { $0 == byte }
  }

  private mutating func blank(_ count: Int) {
    for _ in 0..<count where offset < source.count {
      if source[offset] == UInt8(ascii: "\n") {
        textBytes.append(0)
      } else {
        blanked[offset] = UInt8(ascii: " ")
      }
      offset += 1
    }
  }

  private mutating func blankLineComment() {
    while offset < source.count, source[offset] != UInt8(ascii: "\n") { blank(1) }
  }

  private mutating func blankBlockComment() {
    var depth = 0
    repeat {
      if byteAhead(0) == UInt8(ascii: "/"), byteAhead(1) == UInt8(ascii: "*") {
        depth += 1
        blank(2)
      } else if byteAhead(0) == UInt8(ascii: "*"), byteAhead(1) == UInt8(ascii: "/") {
        depth -= 1
        blank(2)
      } else {
        blank(1)
      }
    } while depth > 0 && offset < source.count
  }

  private func literalBegin() -> Literal? {
    var hashes = 0
    while byteAhead(hashes) == UInt8(ascii: "#") { hashes += 1 }
    guard byteAhead(hashes) == UInt8(ascii: "\"") else { return nil }
    return Literal(
      hashes: hashes, isMultiline: repeats(UInt8(ascii: "\""), 3, from: offset + hashes))
  }

  /// Continues after the closing quotes, or in an interpolation.
  private mutating func blankText(of literal: Literal) {
    let quotes = literal.isMultiline ? 3 : 1
    while offset < source.count {
      if repeats(UInt8(ascii: "\""), quotes, from: offset),
        repeats(UInt8(ascii: "#"), literal.hashes, from: offset + quotes)
      {
        offset += quotes + literal.hashes
        return
      }
      let isEscape =
        source[offset] == UInt8(ascii: "\\")
        && repeats(UInt8(ascii: "#"), literal.hashes, from: offset + 1)
      if isEscape, byteAhead(1 + literal.hashes) == UInt8(ascii: "(") {
        blank(1 + literal.hashes)
        offset += 1
        outer.append((literal, 1))
        return
      }
      if !literal.isMultiline, source[offset] == UInt8(ascii: "\n") { return }
      let count = isEscape ? 2 + literal.hashes : 1
      if source[offset] != UInt8(ascii: "\n") { textBytes[textBytes.count - 1] += count }
      blank(count)
    }
  }

  private mutating func followParentheses(_ byte: UInt8) {
    guard let innermost = outer.last else { return }
    if byte == UInt8(ascii: "(") { outer[outer.count - 1].parentheses += 1 }
    if byte == UInt8(ascii: ")") {
      outer[outer.count - 1].parentheses -= 1
      if innermost.parentheses == 1 {
        outer.removeLast()
        offset += 1
        blankText(of: innermost.literal)
        offset -= 1
      }
    }
  }
}

extension [UInt8] {
  /// The parts between line feeds.
  ///
  /// Written by hand because `split` takes a second for the package without optimization.
  var lines: [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    for offset in 0..<count where self[offset] == 10 {
      lines.append(self[start..<offset])
      start = offset + 1
    }
    lines.append(self[start...])
    return lines
  }
}
