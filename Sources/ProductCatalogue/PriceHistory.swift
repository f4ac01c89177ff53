public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

/// A stretch of time in which devices of one storefront were told one price of a product.
public struct PriceChange: Sendable {
  /// `nil` where nothing says it.
  public var storefront: Storefront?
  /// The first response that says so, and its place.
  public var since: Instant
  public var position: UInt64
  /// The last response that says so before one says otherwise.
  public var lastSeen: Instant
  /// `nil` where the store listed the product as invalid, or gave no price.
  public var price: StorePrice?
  public var reading: PriceReading?
  /// Whether the store listed the product as invalid.
  public var isInvalid: Bool
  /// How many devices were told, and in how many responses. Responses that name no device count as
  /// one device's.
  public var devices: Int
  public var responses: Int
}

extension LedgerView {
  /// What a product cost, storefront by storefront and in the fold's order: a line each time that
  /// the store said otherwise than before.
  ///
  /// - Parameter query: Its `product` is the one asked for.
  /// - Precondition: `query.product` is not nil.
  /// - Complexity: O(*n*) in the positions, one byte of each; O(*k* log *k*) in the responses that
  ///   name the product, which are held.
  /// - Throws: ``LedgerError``.
  public func priceHistory(_ query: CatalogueQuery) throws(LedgerError) -> [PriceChange] {
    precondition(query.product != nil, "a history is of one product")
    var sightings: [PriceSighting] = []
    try query.sightings(self, of: query.product) { sighting in
      if query.admits(sighting.storefront) { sightings.append(sighting) }
    }
    let byStorefront = Dictionary(grouping: sightings, by: \.storefront)
    var changes: [PriceChange] = []
    for storefront in byStorefront.keys.sorted(by: Storefront.precedes) {
      let sorted = (byStorefront[storefront] ?? []).sorted { $0.place < $1.place }
      changes += Self.changes(sorted)
    }
    return changes
  }

  /// Stretches of one storefront's sightings in which nothing changes.
  private static func changes(_ sightings: [PriceSighting]) -> [PriceChange] {
    var changes: [PriceChange] = []
    var devices: Set<Name?> = []
    for sighting in sightings {
      let last = changes.count - 1
      if last >= 0, changes[last].isSame(as: sighting) {
        devices.insert(sighting.device)
        changes[last].devices = devices.count
        changes[last].responses += 1
        changes[last].lastSeen = sighting.place.time
        continue
      }
      devices = [sighting.device]
      let price = sighting.offered?.price
      changes.append(
        PriceChange(
          storefront: sighting.storefront, since: sighting.place.time,
          position: sighting.place.position, lastSeen: sighting.place.time, price: price,
          reading: price?.reading(storefront: sighting.storefront),
          isInvalid: sighting.offered == nil, devices: 1, responses: 1))
    }
    return changes
  }
}

extension PriceChange {
  /// Whether a sighting says what this one does: in another language it is still the same price.
  fileprivate func isSame(as sighting: PriceSighting) -> Bool {
    guard isInvalid == (sighting.offered == nil) else { return false }
    switch (price, sighting.offered?.price) {
    case (nil, nil): return true
    case (let before?, let after?): return before.costsAsMuch(as: after)
    default: return false
    }
  }
}
