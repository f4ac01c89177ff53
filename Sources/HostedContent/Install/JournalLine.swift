internal import Crypto
internal import LedgerEvents

/// A line of a journal: the first digits of the SHA-256 of its JSON, a space, the JSON, and a line
/// feed.
///
/// The digits show whether the line was written completely.
enum JournalLine {
  /// The number of digits. 64 bits are enough, because nobody damages a line on purpose.
  private static let digitsCount = 16

  static func encode(_ json: [UInt8]) -> [UInt8] {
    digits(of: json) + [UInt8(ascii: " ")] + json + [UInt8(ascii: "\n")]
  }

  /// Returns the JSON of all lines up to the first incomplete one.
  static func whole(in bytes: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = rest[..<end]
      let json = Array(line.dropFirst(digitsCount + 1))
      guard line.count > digitsCount, line.starts(with: digits(of: json)) else { break }
      lines.append(json)
      rest = rest[(end + 1)...]
    }
    return lines
  }

  static func value(_ json: [UInt8]) -> JSONValue? {
    do { return try JSONValue(json: json) } catch { return nil }
  }

  private static func digits(of json: [UInt8]) -> [UInt8] {
    Array(ContentDigest(SHA256.hash(data: json)).hexadecimalBytes.prefix(digitsCount))
  }
}

extension JSONValue {
  /// Returns the value of a member of an object.
  func member(_ name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  func text(_ name: String) -> String? { member(name)?.string }
}
