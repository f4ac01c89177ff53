/// A name that the ledger stores as given: the identifier of a transaction, an account, a product
/// and so on.
///
/// Names are opaque and are compared by their UTF-8 bytes. Swift's `String` compares by canonical
/// equivalence, which would merge two customers whose ids differ only in how an accent is encoded.
/// That is why names have their own type.
public struct Name: Sendable {
  /// The text, exactly as given.
  public let text: String

  /// Wraps `text` unchanged.
  ///
  /// - Complexity: O(*n*) in the length of `text` if its storage is not native UTF-8.
  public init(_ text: String) {
    var text = text
    text.makeContiguousUTF8()
    self.text = text
  }

  /// The length in bytes of UTF-8.
  public var byteCount: Int { text.utf8.count }

  /// The first eight bytes, the first byte highest, padded with zeros: what a record's `idPrefix`
  /// is for its id.
  ///
  /// - Complexity: O(1).
  package var prefixWord: UInt64 { NameKey.prefix(text) }
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
    // The length in the top byte keeps texts that differ only in trailing zeros apart.
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

/// Returns whether two texts have the same UTF-8 bytes. This is stricter than Swift's equality,
/// which treats different encodings of one accent as equal.
///
/// - Complexity: O(*n*) in the length of the texts.
func hasSameBytes(_ left: String, _ right: String) -> Bool {
  hasSameBytes(left.utf8Span.span, right.utf8Span.span)
}

func hasSameBytes(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
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
