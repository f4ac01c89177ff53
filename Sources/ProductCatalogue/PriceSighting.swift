internal import LedgerEvents
internal import LedgerModel
internal import LedgerStore

/// One product in one response of the store, with the storefront of that response.
struct PriceSighting {
  var product: Name
  /// `nil` if neither the response nor the device states one.
  var storefront: Storefront?
  var device: Name?
  var foldKey: EventFoldKey
  /// `nil` if the response lists the product as invalid.
  var offered: StoreResponse.Offered?
}

extension CatalogueQuery {
  /// Passes each product of each response to `body`, in no particular order. If a response does not
  /// state a storefront, the device's storefront is used.
  ///
  /// - Complexity: O(*n*) in the positions and in the responses; those without a storefront are
  ///   kept in memory.
  func sightings(
    _ view: LedgerView, of product: Name? = nil, _ body: (PriceSighting) -> Void
  ) throws(LedgerError) {
    var waiting: [(sighting: PriceSighting, environment: StoreEnvironment?)] = []
    try view.responses(in: environment, app: app, clocks: clocks) { response in
      for sighting in response.sightings where product == nil || sighting.product == product {
        if sighting.storefront == nil {
          waiting.append((sighting, response.environment))
        } else {
          body(sighting)
        }
      }
    }
    let devices = try DeviceStorefronts(
      of: Set(waiting.map(\.sighting.device)), view, clocks)
    for (sighting, environment) in waiting {
      var sighting = sighting
      sighting.storefront = devices.storefront(
        of: sighting.device, before: sighting.foldKey, in: environment)
      body(sighting)
    }
  }

  /// Whether a storefront matches the query.
  func admits(_ storefront: Storefront?) -> Bool {
    guard let asked = self.storefront else { return true }
    return storefront == asked
  }
}

extension StoreResponse {
  fileprivate var sightings: [PriceSighting] {
    let common = storefront
    return offered.map { offered in
      PriceSighting(
        product: offered.product, storefront: offered.storefront ?? common, device: device,
        foldKey: foldKey, offered: offered)
    }
      + invalid.map { product in
        PriceSighting(
          product: product, storefront: common, device: device, foldKey: foldKey, offered: nil)
      }
  }
}
