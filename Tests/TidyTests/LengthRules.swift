/// Lines within 100 columns, files within 500 lines. A test may have a long string in one line,
/// such as an event of JSON Lines.
struct SizeRule: TidyRule {
  static let lineColumnsMax = 100
  static let fileLinesMax = 500

  func breaches(in file: SourceFile) -> [Breach] {
    guard file.isSwift else { return [] }
    var found: [Breach] = []
    if file.lines.count > Self.fileLinesMax {
      found.append(
        Breach(
          path: file.path, line: 0,
          message: "\(file.lines.count) lines are more than \(Self.fileLinesMax)"))
    }
    for (index, line) in file.lines.enumerated() where line.count > Self.lineColumnsMax {
      let columns = String(decoding: line, as: UTF8.self).count
      let excused = file.path.hasPrefix("Tests/") ? file.textBytes[index] : 0
      guard columns - excused > Self.lineColumnsMax else { continue }
      found.append(
        Breach(
          path: file.path, line: index + 1,
          message: "\(columns) columns are more than \(Self.lineColumnsMax)"))
    }
    return found
  }
}

/// Functions, initializers and subscripts within 70 lines, from the declaration to the closing
/// brace.
struct FunctionRule: TidyRule {
  static let functionLinesMax = 69

  func breaches(in file: SourceFile) -> [Breach] {
    guard file.isSwift else { return [] }
    var found: [Breach] = []
    for index in file.code.indices {
      guard let keyword = Self.declaration(on: file.code[index]) else { continue }
      guard let end = Self.end(ofDeclarationAt: index, after: keyword, in: file.code) else {
        continue
      }
      let lines = end - index + 1
      guard lines > Self.functionLinesMax else { continue }
      found.append(
        Breach(
          path: file.path, line: index + 1,
          message: "a function of \(lines) lines is longer than \(Self.functionLinesMax)"))
    }
    return found
  }

  /// Returns the index after the keyword if the line declares something with a body.
  private static func declaration(on line: ArraySlice<UInt8>) -> Int? {
    let trimmed = line.trimmed
    guard let first = trimmed.first, first == UInt8(ascii: "@") || isLowercase(first) else {
      return nil
    }
    var word = trimmed.startIndex
    while word < trimmed.endIndex {
      var end = word
      while end < trimmed.endIndex, ArraySlice.isWordByte(trimmed[end]) { end += 1 }
      let text = trimmed[word..<end]
      let isMember = word > trimmed.startIndex && trimmed[word - 1] == UInt8(ascii: ".")
      if !isMember, keywords.contains(where: { text.elementsEqual($0) }) { return end }
      // Only modifiers and attributes can precede the keyword.
      if end < trimmed.endIndex, !between.contains(trimmed[end]) { return nil }
      word = end + 1
    }
    return nil
  }

  private static let keywords = ["func", "init", "deinit", "subscript"].map { [UInt8]($0.utf8) }
  private static let between = [UInt8](" @()".utf8)

  private static func isLowercase(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
  }

  /// Returns the line of the brace that closes the body; nil if there is none, as in a protocol.
  private static func end(
    ofDeclarationAt index: Int, after keyword: Int, in code: [ArraySlice<UInt8>]
  ) -> Int? {
    var braces = 0
    var parentheses = 0
    for line in index..<code.count {
      if line > index, braces == 0, parentheses == 0, declaration(on: code[line]) != nil {
        return nil
      }
      let slice = line == index ? code[line][keyword...] : code[line]
      for byte in slice {
        switch byte {
        case UInt8(ascii: "("): parentheses += 1
        case UInt8(ascii: ")"): parentheses -= 1
        // A brace inside parentheses opens the closure of a default argument, not the body.
        case UInt8(ascii: "{") where parentheses == 0 || braces > 0: braces += 1
        case UInt8(ascii: "}") where parentheses == 0 || braces > 0:
          braces -= 1
          if braces <= 0 { return braces == 0 ? line : nil }
        default: break
        }
      }
    }
    return nil
  }
}
