public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

/// A product as the seller describes it, and what the store last told devices about it.
public struct CatalogueProduct: Sendable {
  /// What the newest response in a storefront says about the product.
  public struct Offer: Sendable {
    /// `nil` if unknown.
    public var storefront: Storefront?
    /// `nil` if the newest response lists the product as invalid or without a price.
    public var price: StorePrice?
    public var reading: PriceReading?
    /// As that device received it, in its own language.
    public var title: String?
    public var description: String?
    /// Whether that response lists the product as invalid.
    public var isInvalid: Bool
    /// When the device received the response, and the event that recorded it.
    public var seenAt: Instant
    public var position: UInt64
  }

  public var product: Name
  /// The seller's entry in force; `nil` if only the store has named the product.
  public var entry: CatalogueAnswer?
  /// The state of its hosted content at the store, from the newest `content.hostingChanged`; `nil`
  /// if unknown.
  public var hosting: String?
  /// The version on offer (`model.md` 18).
  public var versionOnOffer: Name?
  /// One for each storefront; the offer of an unknown storefront is last.
  public var offers: [Offer]
}

extension LedgerView {
  /// The products that the seller's catalogue in force or the store's responses name, sorted by
  /// identifier, as known at the query's clocks.
  ///
  /// An identifier that the store never sold and the seller never set is not included: see
  /// `invalidIdentifiers`.
  ///
  /// - Complexity: O(*n*) in the positions, one byte each; O(*k*) in the responses, of which one
  ///   for each product and storefront is kept in memory; and as `versionsOnOffer`.
  /// - Throws: ``LedgerError``.
  public func catalogueListing(
    _ query: CatalogueQuery
  ) throws(LedgerError) -> [CatalogueProduct] {
    var entries: [Name: CatalogueAnswer] = [:]
    for entry in try catalogue(
      in: query.environment, app: query.app, clocks: query.clocks, now: query.now)
    {
      entries[entry.product] = entry
    }
    var newest: [Name: [Storefront?: PriceSighting]] = [:]
    var sold: Set<Name> = []
    try query.sightings(self, of: query.product) { sighting in
      if sighting.offered != nil { sold.insert(sighting.product) }
      let known = newest[sighting.product]?[sighting.storefront]
      if known.map({ $0.foldKey < sighting.foldKey }) ?? true {
        newest[sighting.product, default: [:]][sighting.storefront] = sighting
      }
    }
    var products = Set(entries.keys).union(sold)
    if let asked = query.product { products.formIntersection([asked]) }
    let names = products.sorted()
    let versions = try versionsOnOffer(
      of: names, in: query.environment, clocks: query.clocks)
    let hosting = try hostingStates(
      in: query.environment, app: query.app, clocks: query.clocks)
    return names.map { name in
      let offers = (newest[name] ?? [:]).values.filter { query.admits($0.storefront) }
      return CatalogueProduct(
        product: name, entry: entries[name], hosting: hosting[name],
        versionOnOffer: versions[name],
        offers: offers.sorted { Storefront.precedes($0.storefront, $1.storefront) }
          .map(CatalogueProduct.Offer.init))
    }
  }
}

extension LedgerView {
  /// The state of each product's hosted content at the store, from its newest
  /// `content.hostingChanged` in fold order. Products without one are left out.
  ///
  /// - Complexity: O(*n*) in the positions, one byte each.
  /// - Throws: ``LedgerError``.
  public func hostingStates(
    in environment: StoreEnvironment, app: Name? = nil, clocks: Clocks = .now
  ) throws(LedgerError) -> [Name: String] {
    var newest: [Name: (foldKey: EventFoldKey, hosting: String)] = [:]
    try events(ofKinds: [.contentHostingChanged], clocks: clocks) { recorded, foldKey in
      let event = recorded.event
      guard let product = event.product, let hosting = event.data.string("hosting"),
        event.environment ?? .production == environment,
        app == nil || event.app == nil || event.app == app
      else { return true }
      if newest[product].map({ $0.foldKey < foldKey }) ?? true {
        newest[product] = (foldKey, hosting)
      }
      return true
    }
    return newest.mapValues(\.hosting)
  }
}

extension CatalogueProduct.Offer {
  init(_ sighting: PriceSighting) {
    let offered = sighting.offered
    self.init(
      storefront: sighting.storefront, price: offered?.price,
      reading: offered?.price?.reading(storefront: sighting.storefront), title: offered?.title,
      description: offered?.description, isInvalid: offered == nil, seenAt: sighting.foldKey.time,
      position: sighting.foldKey.position)
  }
}

extension Storefront {
  /// Sorts by code, with an unknown storefront last.
  static func precedes(_ left: Storefront?, _ right: Storefront?) -> Bool {
    guard let left else { return false }
    guard let right else { return true }
    return Name(left.code) < Name(right.code)
  }
}
