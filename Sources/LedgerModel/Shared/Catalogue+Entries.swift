public import LedgerEvents

/// A product's definition in the catalogue: where one `catalog.set` states it, and where it counts.
public struct CatalogueEntry: Sendable {
  public var definition: ProductDefinition
  /// Of the `catalog.set`.
  public var position: UInt64
  /// From when it counts, in microseconds: the event's believed `occurredAt`.
  public var time: Int64
  /// 0 where it counts for every app.
  public var app: NameNumber
  /// `nil` where it counts in every environment.
  public var environment: StoreEnvironment?
}

extension Catalogue {
  /// The products that any `catalog.set` names, in no particular order.
  public var products: [NameNumber] { Array(points.keys) }

  /// The entry in force at `time`, for one app or, where it is 0, of whatever app; `nil` where none
  /// is yet (`model.md` 5).
  ///
  /// - Complexity: O(*n*) in the product's change points.
  public func entryInForce(
    of product: NameNumber, in environment: StoreEnvironment, app: NameNumber, at time: Int64
  ) -> CatalogueEntry? {
    guard let all = points[product] else { return nil }
    let after = all.partitionPoint { $0.key.time <= time }
    return all[..<after].last { $0.matches(environment, app: app) }.map(CatalogueEntry.init)
  }

  /// The newest entry up to `time` of all that reach into a scope, be it that of one app or
  /// environment or wider.
  ///
  /// - Complexity: O(*n*) in the product's change points.
  public func newestEntry(
    of product: NameNumber, reaching environment: StoreEnvironment?, app: NameNumber,
    at time: Int64
  ) -> CatalogueEntry? {
    guard let all = points[product] else { return nil }
    let after = all.partitionPoint { $0.key.time <= time }
    return all[..<after].last { point in
      (environment == nil || point.environment == nil || point.environment == environment)
        && (app == 0 || point.app == 0 || point.app == app)
    }.map(CatalogueEntry.init)
  }
}

extension CatalogueEntry {
  fileprivate init(_ point: Catalogue.Point) {
    self.init(
      definition: point.definition, position: point.key.position, time: point.key.time,
      app: point.app,
      environment: point.environment)
  }

  /// Whether it counts for everything of a scope.
  public func covers(_ environment: StoreEnvironment?, app: NameNumber) -> Bool {
    (self.environment == nil || self.environment == environment)
      && (self.app == 0 || self.app == app)
  }
}
