/// One file of the package: its path and, for Swift, its code apart from comments and texts.
struct SourceFile {
  /// Relative to the package's folder, with slashes.
  let path: String
  let bytes: [UInt8]
  let lines: [ArraySlice<UInt8>]
  /// The lines with comments and string texts blanked; as they are where it is not Swift.
  let code: [ArraySlice<UInt8>]
  /// By line, how many bytes belong to the texts of string literals.
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

  /// Code that is shipped or run beside the product: the rules about traps hold for it.
  var isProductCode: Bool {
    isSwift && (path.hasPrefix("Sources/") || path.hasPrefix("Tools/")) && name != "Package.swift"
  }

  /// The target whose folder the file lies in.
  var module: String? {
    let parts = components
    guard isSwift, parts.count > 2 else { return nil }
    return ["Sources", "Tests", "Tools"].contains(parts[0]) ? parts[1] : nil
  }
}

/// A rule that a line breaks.
struct Breach: Equatable, CustomStringConvertible {
  var path: String
  /// From 1; 0 speaks of the file as a whole.
  var line: Int
  var message: String

  var description: String { "\(path):\(line): \(message)" }
}

/// A check of one file by itself.
protocol TidyRule {
  func breaches(in file: SourceFile) -> [Breach]
}

extension ArraySlice<UInt8> {
  /// Whether the bytes are a part of an identifier.
  static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF:
      true
    default: false
    }
  }

  /// The places at which `pattern` stands, from the front.
  func places(of pattern: [UInt8]) -> [Int] {
    guard let first = pattern.first, count >= pattern.count else { return [] }
    var found: [Int] = []
    var place = startIndex
    while place <= endIndex - pattern.count {
      if self[place] == first, self[place..<place + pattern.count].elementsEqual(pattern) {
        found.append(place)
      }
      place += 1
    }
    return found
  }

  /// Whether `word` stands there with no letter, digit or underscore on either side.
  func hasWord(_ word: [UInt8]) -> Bool {
    places(of: word).contains { place in
      let end = place + word.count
      return (place == startIndex || !Self.isWordByte(self[place - 1]))
        && (end == endIndex || !Self.isWordByte(self[end]))
    }
  }

  /// The words of the line, in order.
  var words: [String] {
    split { !Self.isWordByte($0) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Without the spaces in front of it.
  var trimmed: ArraySlice<UInt8> { drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

  func begins(with text: String) -> Bool { starts(with: text.utf8) }
}
