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
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  public static func < (left: Name, right: Name) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(0xFF as UInt8)
  }
}

extension Name: ExpressibleByStringLiteral, CustomStringConvertible {
  public init(stringLiteral text: String) { self.init(text) }

  public var description: String { text }
}
