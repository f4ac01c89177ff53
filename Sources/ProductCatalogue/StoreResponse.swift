public import LedgerEvents
public import LedgerModel
internal import LedgerQueries

/// What the store told a device about its products: a `catalog.received`.
public struct StoreResponse: Sendable {
  /// A product that the store sells.
  public struct Offered: Sendable {
    public var product: Name
    /// In the device's language, like the description.
    public var title: String?
    public var description: String?
    public var price: StorePrice?
    /// As the response states it for the product.
    public var storefront: Storefront?
    public var downloadable: Bool?
    public var contentVersion: String?
  }

  public var foldKey: EventFoldKey
  public var device: Name?
  public var app: Name?
  /// `nil` if it counts in every environment (`model.md`, *Environment*).
  public var environment: StoreEnvironment?
  /// Empty if the event states none.
  public var requested: [Name]
  public var offered: [Offered]
  public var invalid: [Name]

  init(_ recorded: RecordedEvent, _ foldKey: EventFoldKey) {
    let event = recorded.event
    self.foldKey = foldKey
    device = event.device
    app = event.app
    environment = event.environment
    requested = Self.names(event.data.array("requested"))
    invalid = Self.names(event.data.array("invalid"))
    offered = (event.data.array("products") ?? []).compactMap(Offered.init)
  }

  private static func names(_ values: [JSONValue]?) -> [Name] {
    (values ?? []).compactMap { $0.string.map { Name($0) } }
  }

  /// Whether the store knew none of the requested products.
  public var refusesAll: Bool {
    !invalid.isEmpty && offered.isEmpty && requested.allSatisfy(invalid.contains)
  }

  /// The storefront that its products state, if any.
  var storefront: Storefront? { offered.lazy.compactMap(\.storefront).first }
}

extension StoreResponse.Offered {
  init?(_ value: JSONValue) {
    guard let product = value["product"]?.string else { return nil }
    self.product = Name(product)
    title = value["title"]?.string
    description = value["description"]?.string
    price = value["price"]?.string.map {
      StorePrice(
        amount: $0, currency: value["currency"]?.string,
        priceLocale: value["priceLocale"]?.string)
    }
    storefront = value["storefront"]?.string.map { Storefront($0) }
    downloadable = value["downloadable"]?.boolean
    contentVersion = value["contentVersion"]?.string
  }
}

extension LedgerView {
  /// Passes the store's responses to `body` by position: those that count in an environment, or all
  /// of them if `environment` is `nil`.
  ///
  /// - Parameter app: The app; a response that states none matches every app (`model.md` 5).
  /// - Complexity: O(*n*) in the positions, one byte each, and in the responses.
  /// - Throws: ``LedgerError``.
  func responses(
    in environment: StoreEnvironment?, app: Name?, clocks: Clocks,
    _ body: (StoreResponse) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    try events(ofKinds: [.catalogReceived], clocks: clocks) {
      (recorded, foldKey) throws(LedgerError) in
      let response = StoreResponse(recorded, foldKey)
      let isInScope =
        environment == nil || response.environment == nil || response.environment == environment
      if isInScope && (app == nil || response.app == nil || response.app == app) {
        try body(response)
      }
      return true
    }
  }
}
