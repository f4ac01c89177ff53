public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

/// What setting a document would change in the catalogue, and the event that would do it.
public struct CataloguePlan: Sendable {
  /// A product in the document, compared with its entry in force.
  public struct Product: Sendable {
    /// How the entry differs from the one in force.
    public enum Change: String, Sendable {
      /// No entry is in force for the product in this scope yet.
      case added
      case changed
      case same
    }

    /// A member that changes, as JSON; `nil` on the side where it is absent.
    public struct Member: Sendable {
      public var name: String
      public var before: String?
      public var after: String?
    }

    public var product: Name
    public var change: Change
    public var members: [Member]
    /// Units that a consumable would grant fewer of than now, or none.
    public var grantsTaken: [Name]
    /// Whether the store hosts its content now and would no longer. The store does not take hosting
    /// away from a product that was sold with it (Xamarin, *Changes to StoreKit in iOS 6*).
    public var endsHosting: Bool
  }

  /// The document, completed with what a `.storekit` file cannot state.
  public var document: CatalogueDocument
  /// In the order of the document.
  public var products: [Product]
  /// Products in the catalogue in force that the document does not name. They stay as they are.
  public var leftOut: [Name]
  /// The `catalog.set`; `nil` if nothing would change, so setting the same document again appends
  /// nothing.
  public var event: Event?

  /// When it would take effect.
  public var effective: Instant

  /// The products that somebody has bought and from which a grant or the hosting would be taken.
  public func takenFromBuyers(_ effect: CatalogueEffect) -> [Product] {
    products.filter {
      (!$0.grantsTaken.isEmpty || $0.endsHosting) && (effect.buyers[$0.product] ?? 0) > 0
    }
  }
}

extension LedgerView {
  /// What setting a document would change from a given time.
  ///
  /// - Parameters:
  ///   - document: The document to set.
  ///   - effective: When it takes effect.
  ///   - operator: The person who sets it.
  /// - Complexity: O(*n*) in the products and their change points.
  /// - Throws: ``LedgerError``.
  public func plan(
    setting document: CatalogueDocument, from effective: Instant, operator: String? = nil
  ) throws(LedgerError) -> CataloguePlan {
    let scope = document.scope
    var known: [Name: KnownEntries] = [:]
    for entry in document.products {
      let name = Name(entry["product"]?.string ?? "")
      known[name] = try entries(of: name, in: scope, at: effective)
    }
    let document = document.completed { known[$0]?.base }
    let products = document.products.map { entry in
      let name = Name(entry["product"]?.string ?? "")
      return CataloguePlan.Product(name, entry, known[name], scope)
    }
    let named = Set(products.map(\.product))
    let inForce = try catalogue(
      in: scope.environment ?? .production, app: scope.app, now: effective)
    var event: Event?
    if products.contains(where: { $0.change != .same }) {
      event = document.event(
        id: document.identifier(at: effective, operator: `operator`), at: effective,
        operator: `operator`)
    }
    return CataloguePlan(
      document: document, products: products,
      leftOut: inForce.map(\.product).filter { !named.contains($0) }, event: event,
      effective: effective)
  }
}

extension CataloguePlan.Product {
  fileprivate init(
    _ name: Name, _ entry: JSONValue, _ known: KnownEntries?, _ scope: CatalogueScope
  ) {
    guard let known else {
      let members = (entry.object ?? []).filter { $0.name != "product" }
      self.init(
        product: name, change: .added,
        members: members.map { Member(name: $0.name, before: nil, after: Self.text($0.value)) },
        grantsTaken: [], endsHosting: false)
      return
    }
    var members = Self.differences(known.base.entry, entry)
    for narrower in known.narrower {
      let before = CatalogueScope(app: narrower.app, environment: narrower.environment)
      members.append(Member(name: "scope", before: before.text, after: scope.text))
    }
    self.init(
      product: name, change: members.isEmpty ? .same : .changed, members: members,
      grantsTaken: Set(known.all.flatMap { Self.grantsTaken($0, entry) }).sorted(),
      endsHosting: entry["delivery"]?.string != Self.hosted
        && known.all.contains { $0.delivery == Self.hosted })
  }

  /// The delivery of content that the store hosts.
  private static let hosted = "store"

  private static func differences(_ before: JSONValue, _ after: JSONValue) -> [Member] {
    var names = (before.object ?? []).map(\.name)
    for member in after.object ?? [] where !names.contains(member.name) {
      names.append(member.name)
    }
    return names.compactMap { name in
      let texts = [before[name], after[name]].map { $0.map(text) }
      if texts[0] == texts[1] { return nil }
      // An empty list states the same as an absent member.
      if texts.allSatisfy({ $0 == nil || $0 == "[]" || $0 == "{}" }) { return nil }
      return Member(name: name, before: texts[0], after: texts[1])
    }
  }

  /// JSON in which equal values have equal bytes: members are sorted by name, and so are the names
  /// of entitlements, which are a set.
  private static func text(_ value: JSONValue) -> String {
    String(decoding: value.ordered.json, as: UTF8.self)
  }

  private static func grantsTaken(_ before: CatalogueAnswer, _ after: JSONValue) -> [Name] {
    guard before.kind == .consumable else { return [] }
    let isConsumable = after["kind"]?.string == "consumable"
    return before.grants.filter { grant in
      let later = isConsumable ? after["grants"]?[grant.unit.text]?.integer ?? 0 : 0
      return later < grant.amount
    }.map(\.unit).sorted()
  }
}

extension JSONValue {
  fileprivate var ordered: JSONValue {
    switch self {
    case .object(let members):
      .object(
        members.map { ($0.name, $0.value.ordered) }.sorted { Name($0.0) < Name($1.0) })
    case .array(let elements):
      .array(
        elements.map(\.ordered).sorted {
          $0.json.lexicographicallyPrecedes($1.json)
        })
    default: self
    }
  }
}
