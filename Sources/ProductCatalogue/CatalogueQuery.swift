public import LedgerEvents
public import LedgerStore

/// A question about the catalogue.
public struct CatalogueQuery: Sendable {
  public var environment: StoreEnvironment
  /// `nil` for any app.
  public var app: Name?
  /// `nil` for every storefront.
  public var storefront: Storefront?
  /// `nil` for every product.
  public var product: Name?
  public var clocks: Clocks
  /// The moment to use if the clocks name none. Entries that begin later are not in force.
  public var now: Instant

  public init(
    environment: StoreEnvironment = .production, app: Name? = nil, storefront: Storefront? = nil,
    product: Name? = nil, clocks: Clocks = .now, now: Instant
  ) {
    self.environment = environment
    self.app = app
    self.storefront = storefront
    self.product = product
    self.clocks = clocks
    self.now = now
  }
}
