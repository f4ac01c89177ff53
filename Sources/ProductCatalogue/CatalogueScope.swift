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

/// A product's entries in the catalogue, as far as a scope is concerned.
struct KnownEntries {
  /// The entry that a document for the scope continues: the newest one that applies to the whole
  /// scope, or the newest one that applies to any part of it if there is none.
  var base: CatalogueAnswer
  /// Whether `base` applies to the whole scope.
  var coversScope: Bool
  /// Other entries in force in a part of the scope.
  var exceptions: [CatalogueAnswer]
}

extension LedgerView {
  /// A product's entries up to a moment that overlap the scope; `nil` if there are none.
  ///
  /// - Complexity: O(*n*) in the product's change points.
  /// - Throws: ``LedgerError``.
  func entries(
    of product: Name, in scope: CatalogueScope, at moment: Instant
  ) throws(LedgerError) -> KnownEntries? {
    guard let number = try number(of: .product, product) else { return nil }
    // An app that no event names yet has no entry of its own. Entries for every app apply to it.
    let app =
      try scope.app.map { (name) throws(LedgerError) in
        try self.number(of: .app, name) ?? .max
      } ?? 0
    let catalogue = context.catalogue
    let time = moment.microseconds
    let covering = catalogue.newestEntry(
      of: number, covering: scope.environment, app: app, at: time)
    guard
      let base = covering
        ?? catalogue.newestEntry(of: number, reaching: scope.environment, app: app, at: time)
    else { return nil }
    var exceptions: [UInt64: CatalogueAnswer] = [:]
    for environment in scope.environment.map({ [$0] }) ?? StoreEnvironment.allCases {
      guard
        let found = catalogue.entryInForce(of: number, in: environment, app: app, at: time),
        found.position != base.position
      else { continue }
      exceptions[found.position] = try answer(found)
    }
    return KnownEntries(
      base: try answer(base), coversScope: covering != nil,
      exceptions: exceptions.sorted { $0.key < $1.key }.map(\.value))
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
