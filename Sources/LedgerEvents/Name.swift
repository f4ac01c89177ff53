/// A name that the ledger takes as it comes: an identifier of a transaction, an account, a product.
///
/// Names are opaque and compare by their UTF-8 bytes. Swift's `String` compares by canonical
/// equivalence, which would make one customer of two whose ids differ only in how an accent is
/// encoded, so a name is a type of its own.
public struct Name: Sendable {
  /// The text, exactly as it was given.
  public let text: String

  /// Wraps `text` as it is.
  ///
  /// - Complexity: O(*n*) in the length of `text` where its storage is not native UTF-8.
  public init(_ text: String) {
    var text = text
    text.makeContiguousUTF8()
    self.text = text
  }

  /// The length in bytes of UTF-8.
  public var byteCount: Int { text.utf8.count }
}

extension Name: Hashable, Comparable {
  public static func == (left: Name, right: Name) -> Bool {
    hasSameBytes(left.text, right.text)
  }

  public static func < (left: Name, right: Name) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    let bytes = text.utf8Span.span
    var index = 0
    while index + 8 <= bytes.count {
      hasher.combine(load64(bytes, index))
      index += 8
    }
    // The rest with its length above it, so that no two texts are fed alike.
    var rest = UInt64(bytes.count) << 56
    var shift: UInt64 = 0
    while index < bytes.count {
      rest |= UInt64(bytes[index]) << shift
      shift += 8
      index += 1
    }
    hasher.combine(rest)
  }
}

extension Name: ExpressibleByStringLiteral, CustomStringConvertible {
  public init(stringLiteral text: String) { self.init(text) }

  public var description: String { text }
}

/// Whether two texts are the same UTF-8, which is less than Swift's equality asks: that holds
/// different encodings of one accent for the same.
///
/// - Complexity: O(*n*) in the length of the texts.
func hasSameBytes(_ left: String, _ right: String) -> Bool {
  let left = left.utf8Span.span
  let right = right.utf8Span.span
  guard left.count == right.count else { return false }
  var index = 0
  while index + 8 <= left.count {
    guard load64(left, index) == load64(right, index) else { return false }
    index += 8
  }
  while index < left.count {
    guard left[index] == right[index] else { return false }
    index += 1
  }
  return true
}
