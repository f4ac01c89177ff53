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

/// A product's entries that are in force in any part of a scope.
struct KnownEntries {
  /// The entry that a document for the scope continues: the one that applies to the whole scope. If
  /// there is none, the one for production, because customers live there, or else the newest one.
  var base: CatalogueAnswer
  /// Entries that apply to a part of the scope.
  var narrower: [CatalogueAnswer]

  /// All entries that the document would replace.
  var all: [CatalogueAnswer]
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
    let found = context.catalogue.entries(
      of: number, reaching: scope.environment, app: app, at: moment.microseconds)
    let all = try found.map { (entry) throws(LedgerError) in try answer(entry) }
    guard let newest = all.first, let oldest = all.last else { return nil }
    let isCovered = found.last?.covers(scope.environment, app: app) ?? false
    let uncovered = all.first { $0.environment == nil || $0.environment == .production } ?? newest
    return KnownEntries(
      base: isCovered ? oldest : uncovered, narrower: isCovered ? all.dropLast() : all, all: all)
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
