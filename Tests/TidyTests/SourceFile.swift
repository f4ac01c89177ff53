/// One file of the package: its path and, for Swift, its code without comments and strings.
struct SourceFile {
  /// The path relative to the package's folder, with slashes.
  let path: String
  let bytes: [UInt8]
  let lines: [ArraySlice<UInt8>]
  /// The lines with comments and strings blanked; for other files, the original lines.
  let code: [ArraySlice<UInt8>]
  /// For each line, the number of bytes in string literals.
  let textBytes: [Int]

  init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
    var split = bytes.lines
    if split.last?.isEmpty == true { split.removeLast() }
    lines = split
    if path.hasSuffix(".swift") {
      let swift = SwiftCode(bytes)
      code = Array(swift.lines.prefix(split.count))
      textBytes = swift.textBytes
    } else {
      code = split
      textBytes = split.map { _ in 0 }
    }
  }

  init(path: String, _ text: String) {
    self.init(path: path, bytes: [UInt8](text.utf8))
  }

  var isSwift: Bool { path.hasSuffix(".swift") }

  /// The path's folders and its name.
  var components: [String] { path.split(separator: "/").map(String.init) }

  var name: String { components.last ?? path }

  /// Whether the file is code that is shipped or run with the product, to which the rules about
  /// traps apply.
  var isProductCode: Bool {
    isSwift && (path.hasPrefix("Sources/") || path.hasPrefix("Tools/")) && name != "Package.swift"
  }

  /// The target to whose folder the file belongs.
  var module: String? {
    let parts = components
    guard isSwift, parts.count > 2 else { return nil }
    return ["Sources", "Tests", "Tools"].contains(parts[0]) ? parts[1] : nil
  }
}

/// A line that breaks a rule.
struct Breach: Equatable, CustomStringConvertible {
  var path: String
  /// The line, from 1; 0 for the whole file.
  var line: Int
  var message: String

  var description: String { "\(path):\(line): \(message)" }
}

/// A check of one file.
protocol TidyRule {
  func breaches(in file: SourceFile) -> [Breach]
}

extension ArraySlice<UInt8> {
  /// Returns whether the byte is part of an identifier.
  static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF:
      true
    default: false
    }
  }

  /// Returns the indexes at which `pattern` occurs, in order.
  func offsets(of pattern: [UInt8]) -> [Int] {
    guard let first = pattern.first, count >= pattern.count else { return [] }
    var found: [Int] = []
    var offset = startIndex
    while offset <= endIndex - pattern.count {
      if self[offset] == first, self[offset..<offset + pattern.count].elementsEqual(pattern) {
        found.append(offset)
      }
      offset += 1
    }
    return found
  }

  /// Returns whether `word` occurs without a letter, digit or underscore on either side.
  func hasWord(_ word: [UInt8]) -> Bool {
    offsets(of: word).contains { offset in
      let end = offset + word.count
      return (offset == startIndex || !Self.isWordByte(self[offset - 1]))
        && (end == endIndex || !Self.isWordByte(self[end]))
    }
  }

  /// The words of the line, in order.
  var words: [String] {
    split { !Self.isWordByte($0) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The line without leading spaces.
  var trimmed: ArraySlice<UInt8> { drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

  func begins(with text: String) -> Bool { starts(with: text.utf8) }
}
