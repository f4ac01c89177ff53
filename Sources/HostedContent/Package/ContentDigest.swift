/// A SHA-256 digest (FIPS 180-4): of a file's bytes, or of a whole package (``PackageManifest``).
public struct ContentDigest: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The size of a digest in bytes.
  public static let byteCount = 32

  /// The digest in four words, so that a list of files needs no array for each.
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// - Parameter bytes: Exactly ``byteCount`` bytes.
  public init(_ bytes: some Sequence<UInt8>) {
    var words: [UInt64] = [0, 0, 0, 0]
    var count = 0
    for byte in bytes {
      precondition(count < Self.byteCount, "a digest has 32 bytes")
      words[count / 8] = words[count / 8] << 8 | UInt64(byte)
      count += 1
    }
    precondition(count == Self.byteCount, "a digest has 32 bytes")
    self.words = (words[0], words[1], words[2], words[3])
  }

  /// Parses a digest from text, `sha256:` and 64 hexadecimal digits; nil if the text is not a
  /// digest.
  public init?(text: String) {
    let bytes = Array(text.utf8)
    let prefix = Array(Self.prefix.utf8)
    guard bytes.starts(with: prefix), bytes.count == prefix.count + 2 * Self.byteCount else {
      return nil
    }
    var digest: [UInt8] = []
    var high: UInt8?
    for byte in bytes.dropFirst(prefix.count) {
      guard let digit = Self.value(ofDigit: byte) else { return nil }
      if let first = high {
        digest.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    self.init(digest)
  }

  private static let prefix = "sha256:"

  private static func value(ofDigit byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  /// The 64 hexadecimal digits, in lowercase.
  public var hexadecimal: String { String(decoding: hexadecimalBytes, as: UTF8.self) }

  /// The 64 hexadecimal digits as ASCII bytes.
  var hexadecimalBytes: [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * Self.byteCount)
    for word in [words.0, words.1, words.2, words.3] {
      for shift in stride(from: 60, through: 0, by: -4) {
        text.append(digits[Int(word >> UInt64(shift) & 15)])
      }
    }
    return text
  }

  /// `sha256:` and the hexadecimal digits.
  public var description: String { Self.prefix + hexadecimal }

  public static func == (left: ContentDigest, right: ContentDigest) -> Bool {
    left.words == right.words
  }

  public static func < (left: ContentDigest, right: ContentDigest) -> Bool {
    left.words < right.words
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}
