/// The numeric Apple ID of something in the store: an app, an album, a book.
///
/// Source: the guide's *Product Page*, which presents the item with the identifier
/// `SKStoreProductParameterITunesItemIdentifier`.
public struct StoreItem: Hashable, Sendable {
  /// The digits without leading zeros.
  public let number: UInt64

  public init(number: UInt64) {
    self.number = number
  }
}
