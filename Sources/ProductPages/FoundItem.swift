/// An item of the store and what the source that named it says beside.
public struct FoundItem: Hashable, Sendable {
  public var item: StoreItem
  /// What it is in the source's own word: `app`, `album`, `software`, `ebook`, `song`.
  public var kind: String?
  public var name: String?
  /// The address of a picture of it, the largest that the source names.
  public var artwork: String?
  /// The bundle identifier of an app.
  public var bundle: String?
  /// The two letters of the storefront that the source speaks of.
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
