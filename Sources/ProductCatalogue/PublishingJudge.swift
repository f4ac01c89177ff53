public import LedgerEvents
public import LedgerModel
public import LedgerQueries

/// Why a version of hosted content must not be published.
public enum PublishingRefusal: Hashable, Sendable {
  /// The version on offer is the same or higher. Devices that have it would never see this one
  /// (`model.md` 18, finding `version-not-increased`).
  case notIncreased(onOffer: Name)
  /// Customers bought the product when the store hosted nothing for it. Their apps don't wait for a
  /// download, and the content reaches them in some other way.
  case soldWithout(since: Instant, delivery: String?)
  /// The seller's catalogue says that the content is delivered in another way.
  case otherDelivery(String)
  /// The store hosts content only for non-consumables (finding `hosted-content-unsupported`).
  case otherKind(ProductDefinition.Kind)
}

extension LedgerView {
  /// Why a version must not be published now; `nil` if it may be.
  ///
  /// A product counts as sold without hosted content if, in the environment where it was bought, no
  /// version was ever on offer, no queue announced a download of it, and the catalogue in force at
  /// its first purchase did not say that the store delivers it. Hosting is for new products only
  /// (Microsoft, *Changes to StoreKit in iOS 6*, iTunes Connect).
  ///
  /// - Complexity: O(*u*) in the units that observed the product if a version is on offer,
  ///   otherwise O(*n*) in all units, one at a time.
  /// - Throws: ``LedgerError``.
  public func refusal(
    ofPublishing version: Name, of product: Name, in environment: StoreEnvironment = .production,
    app: Name? = nil, now: Instant
  ) throws(LedgerError) -> PublishingRefusal? {
    let entry = try catalogue(in: environment, app: app, now: now)
      .first { $0.product == product }
    if let kind = entry?.kind, kind != .nonConsumable { return .otherKind(kind) }
    if let onOffer = try versionsOnOffer(of: [product], in: environment)[product] {
      return VersionOrder.compare(version, onOffer) > 0 ? nil : .notIncreased(onOffer: onOffer)
    }
    if let sold = try saleWithoutHosting(of: product, in: environment, app: app) { return sold }
    if let delivery = entry?.delivery, delivery != "store" { return .otherDelivery(delivery) }
    return nil
  }

  /// The first sale of a product if nothing says that the store hosted content for it.
  private func saleWithoutHosting(
    of product: Name, in environment: StoreEnvironment, app: Name?
  ) throws(LedgerError) -> PublishingRefusal? {
    guard let number = try number(of: .product, product) else { return nil }
    var first: Int64?
    var walk = try units()
    while let unit = try walk.next() {
      if unit.hasHostedContent(of: number, in: EnvironmentSet(environment)) { return nil }
      guard let time = unit.firstPurchase(of: number, in: environment) else { continue }
      first = min(first ?? time, time)
    }
    guard let first else { return nil }
    let since = Instant(microseconds: first)
    let delivery = try catalogue(in: environment, app: app, now: since)
      .first { $0.product == product }?.delivery
    return delivery == "store" ? nil : .soldWithout(since: since, delivery: delivery)
  }
}
