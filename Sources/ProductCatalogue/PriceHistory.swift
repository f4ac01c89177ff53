public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

/// A period in which the devices of one storefront received the same price for a product.
public struct PriceChange: Sendable {
  /// `nil` if unknown.
  public var storefront: Storefront?
  /// The time and position of the first response that states it.
  public var since: Instant
  public var position: UInt64
  /// The last response that states it before a different one arrives.
  public var lastSeen: Instant
  /// `nil` if the store listed the product as invalid or gave no price.
  public var price: StorePrice?
  public var reading: PriceReading?
  /// Whether the store listed the product as invalid.
  public var isInvalid: Bool
  /// How many devices received it, and in how many responses. All responses that name no device
  /// count as one device.
  public var devices: Int
  public var responses: Int
}

extension LedgerView {
  /// A product's prices by storefront and in fold order, with a new entry each time the store's
  /// statement changes.
  ///
  /// - Parameter query: Its `product` is the product asked about.
  /// - Precondition: `query.product` is not nil.
  /// - Complexity: O(*n*) in the positions, one byte each; O(*k* log *k*) in the responses that
  ///   name the product, which are kept in memory.
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
      let sorted = (byStorefront[storefront] ?? []).sorted { $0.foldKey < $1.foldKey }
      changes += Self.changes(sorted)
    }
    return changes
  }

  /// Groups one storefront's sightings into periods without a change.
  private static func changes(_ sightings: [PriceSighting]) -> [PriceChange] {
    var changes: [PriceChange] = []
    var devices: Set<Name?> = []
    for sighting in sightings {
      let last = changes.count - 1
      if last >= 0, changes[last].isSame(as: sighting) {
        devices.insert(sighting.device)
        changes[last].devices = devices.count
        changes[last].responses += 1
        changes[last].lastSeen = sighting.foldKey.time
        continue
      }
      devices = [sighting.device]
      let price = sighting.offered?.price
      changes.append(
        PriceChange(
          storefront: sighting.storefront, since: sighting.foldKey.time,
          position: sighting.foldKey.position, lastSeen: sighting.foldKey.time, price: price,
          reading: price?.reading(storefront: sighting.storefront),
          isInvalid: sighting.offered == nil, devices: 1, responses: 1))
    }
    return changes
  }
}

extension PriceChange {
  /// Whether a sighting states the same price. The language of the title does not matter.
  fileprivate func isSame(as sighting: PriceSighting) -> Bool {
    guard isInvalid == (sighting.offered == nil) else { return false }
    switch (price, sighting.offered?.price) {
    case (nil, nil): return true
    case (let before?, let after?): return before.costsAsMuch(as: after)
    default: return false
    }
  }
}
