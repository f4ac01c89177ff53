public import LedgerEvents

/// A product's definition in the catalogue: which `catalog.set` states it, and where it applies.
public struct CatalogueEntry: Sendable {
  public var definition: ProductDefinition
  /// The position of the `catalog.set`.
  public var position: UInt64
  /// When it takes effect, in microseconds: the event's believed `occurredAt`.
  public var time: Int64
  /// 0 if it applies to every app.
  public var app: NameNumber
  /// `nil` if it applies to every environment.
  public var environment: StoreEnvironment?
}

extension Catalogue {
  /// The products that any `catalog.set` names, in no particular order.
  public var products: [NameNumber] { Array(points.keys) }

  /// The entry in force at `time`; `nil` if there is none yet (`model.md` 5). If `app` is 0,
  /// entries of any app count.
  ///
  /// - Complexity: O(*n*) in the product's change points.
  public func entryInForce(
    of product: NameNumber, in environment: StoreEnvironment, app: NameNumber, at time: Int64
  ) -> CatalogueEntry? {
    guard let all = points[product] else { return nil }
    let after = all.partitionPoint { $0.key.time <= time }
    return all[..<after].last { $0.matches(environment, app: app) }.map(CatalogueEntry.init)
  }

  /// The entries up to `time` that are in force in any part of a scope, newest first. If
  /// `environment` is `nil` or `app` is 0, the scope includes all of them. An entry that covers the
  /// whole scope is the last one: it replaces those before it.
  ///
  /// - Complexity: O(*n*) in the product's change points.
  public func entries(
    of product: NameNumber, reaching environment: StoreEnvironment?, app: NameNumber,
    at time: Int64
  ) -> [CatalogueEntry] {
    guard let all = points[product] else { return [] }
    var found: [CatalogueEntry] = []
    for point in all[..<all.partitionPoint({ $0.key.time <= time })].reversed() {
      let entry = CatalogueEntry(point)
      guard entry.reaches(environment, app: app),
        !found.contains(where: { $0.covers(entry.environment, app: entry.app) })
      else { continue }
      found.append(entry)
      if entry.covers(environment, app: app) { break }
    }
    return found
  }
}

extension CatalogueEntry {
  fileprivate init(_ point: Catalogue.Point) {
    self.init(
      definition: point.definition, position: point.key.position, time: point.key.time,
      app: point.app,
      environment: point.environment)
  }

  /// Whether it applies to anything in a scope.
  fileprivate func reaches(_ environment: StoreEnvironment?, app: NameNumber) -> Bool {
    (environment == nil || self.environment == nil || self.environment == environment)
      && (app == 0 || self.app == 0 || self.app == app)
  }

  /// Whether it applies to everything in a scope.
  public func covers(_ environment: StoreEnvironment?, app: NameNumber) -> Bool {
    (self.environment == nil || self.environment == environment)
      && (self.app == 0 || self.app == app)
  }
}
