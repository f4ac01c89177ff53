public import LedgerEvents
internal import LedgerModel
internal import LedgerQueries

/// Where a catalogue applies: the app and environment that a `catalog.set` states beside its
/// products.
public struct CatalogueScope: Hashable, Sendable {
  /// `nil` for every app.
  public var app: Name?
  /// `nil` for every environment.
  public var environment: StoreEnvironment?

  public init(app: Name? = nil, environment: StoreEnvironment? = nil) {
    self.app = app
    self.environment = environment
  }
}

extension LedgerView {
  /// A product's newest entry up to a moment that overlaps the scope, and whether it covers the
  /// whole scope.
  ///
  /// - Throws: ``LedgerError``.
  func newestEntry(
    of product: Name, reaching scope: CatalogueScope, at moment: Instant
  ) throws(LedgerError) -> (answer: CatalogueAnswer, coversScope: Bool)? {
    guard let number = try number(of: .product, product) else { return nil }
    // An app that no event names yet has no entry of its own. Entries for every app apply to it.
    let app =
      try scope.app.map { (name) throws(LedgerError) in
        try self.number(of: .app, name) ?? .max
      } ?? 0
    guard
      let found = context.catalogue.newestEntry(
        of: number, reaching: scope.environment, app: app, at: moment.microseconds)
    else { return nil }
    return (try answer(found), found.covers(scope.environment, app: app))
  }
}

extension CatalogueScope {
  /// A text for people: `app com.example.reader, production`, `every app and environment`.
  public var text: String {
    switch (app, environment) {
    case (nil, nil): "every app and environment"
    case (let app?, nil): "app \(app), every environment"
    case (nil, let environment?): "every app, \(environment.text)"
    case (let app?, let environment?): "app \(app), \(environment.text)"
    }
  }
}
