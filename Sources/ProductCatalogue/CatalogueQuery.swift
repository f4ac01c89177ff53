public import LedgerEvents
public import LedgerStore

/// What is asked of a catalogue.
public struct CatalogueQuery: Sendable {
  public var environment: StoreEnvironment
  /// `nil` for whatever app.
  public var app: Name?
  /// `nil` for every one.
  public var storefront: Storefront?
  /// `nil` for every one.
  public var product: Name?
  public var clocks: Clocks
  /// The moment that counts where the clocks name none: entries that begin later are not in force.
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
