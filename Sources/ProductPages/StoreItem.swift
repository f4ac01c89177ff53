/// The numeric Apple ID of something in the store: an app, an album, a book.
///
/// Source: Apple, *SKStoreProductViewController*. It presents the item whose ID is in the parameter
/// `SKStoreProductParameterITunesItemIdentifier`.
public struct StoreItem: Hashable, Sendable, CustomStringConvertible {
  /// The number, never 0.
  public let number: UInt64

  /// Creates an item from its number. Returns `nil` for 0, which is not a valid Apple ID.
  ///
  /// - Parameter number: The Apple ID.
  public init?(number: UInt64) {
    guard number > 0 else { return nil }
    self.number = number
  }

  /// Parses decimal digits, with or without `id` before them.
  ///
  /// - Returns: `nil` if the text is anything else, or if the number exceeds 64 bits.
  public init?(digits text: some StringProtocol) {
    let bytes = Array(text.utf8)
    let hasPrefix = bytes.count > 2 && (bytes[0] | 0x20) == 0x69 && (bytes[1] | 0x20) == 0x64
    let digits = hasPrefix ? bytes[2...] : bytes[...]
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    guard let number = UInt64(String(decoding: digits, as: UTF8.self)) else { return nil }
    self.init(number: number)
  }

  /// The digits, as in an event's `storeItem`.
  public var description: String { "\(number)" }
}
