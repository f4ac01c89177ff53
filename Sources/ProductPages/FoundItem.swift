/// An item of the store, with further information from the same source.
public struct FoundItem: Hashable, Sendable {
  public var item: StoreItem
  /// The kind of item, in the source's words: `app`, `album`, `software`, `ebook`, `song`.
  public var kind: String?
  public var name: String?
  /// The URL of the item's largest picture in the source.
  public var artwork: String?
  /// The bundle identifier of an app.
  public var bundle: String?
  /// The two-letter code of the source's storefront.
  public var storefront: String?

  public init(
    _ item: StoreItem, kind: String? = nil, name: String? = nil, artwork: String? = nil,
    bundle: String? = nil, storefront: String? = nil
  ) {
    self.item = item
    self.kind = kind
    self.name = name
    self.artwork = artwork
    self.bundle = bundle
    self.storefront = storefront
  }
}
