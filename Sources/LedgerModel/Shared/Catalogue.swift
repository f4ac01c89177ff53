import LedgerEvents

/// The sellers' catalogues as change points: what a product is, from when on, and for which app and
/// environment (`model.md` 5).
public struct Catalogue: Sendable {
  /// One product in one `catalog.set`.
  struct Point: Sendable {
    var key: FoldKey
    /// 0 matches every app.
    var app: NameNumber
    /// `nil` matches every environment.
    var environment: StoreEnvironment?
    var definition: ProductDefinition

    func matches(_ environment: StoreEnvironment, app: NameNumber) -> Bool {
      (self.environment == nil || self.environment == environment)
        && (self.app == 0 || app == 0 || self.app == app)
    }
  }

  /// By product, in the fold's order.
  private(set) var points: [NameNumber: [Point]] = [:]

  public init() {}

  /// The definition that a fact at `time` uses: the one in force then, otherwise the next one.
  ///
  /// - Complexity: O(log *n*) in the product's change points, if the nearest ones match.
  func definition(
    of product: NameNumber, in environment: StoreEnvironment, app: NameNumber, at time: Int64
  ) -> ProductDefinition? {
    guard let all = points[product] else { return nil }
    let after = all.partitionPoint { $0.key.time <= time }
    for index in stride(from: after - 1, through: 0, by: -1)
    where all[index].matches(environment, app: app) {
      return all[index].definition
    }
    return all[after...].first { $0.matches(environment, app: app) }?.definition
  }

  /// The definition in force at `time` for any app. Answers use it to map products to entitlements.
  func definitionInForce(
    of product: NameNumber, in environment: StoreEnvironment, at time: Int64
  ) -> ProductDefinition? {
    entryInForce(of: product, in: environment, app: 0, at: time)?.definition
  }

  /// The moments after `time` at which a product's definition changes.
  func changes(of product: NameNumber, after time: Int64) -> [Int64] {
    guard let all = points[product] else { return [] }
    return all[all.partitionPoint { $0.key.time <= time }...].map(\.key.time)
  }

  /// Adds the products of a `catalog.set`. Returns the spans whose facts may now use another
  /// definition.
  ///
  /// - Complexity: O(*n*) in the product's change points after it.
  mutating func add(_ fact: Fact, _ texts: any FactTexts) -> [ContextChange.ProductSpan] {
    guard let detail = fact.detail else { return [] }
    let key = FoldKey(fact)
    return Self.lastOfEach(detail.fields.definitions).map { definition in
      let point = Point(
        key: key, app: fact.app, environment: fact.environment, definition: definition)
      return insert(point, texts)
    }
  }

  /// If a product is named more than once, its last definition counts (`model.md` 5).
  private static func lastOfEach(_ definitions: [ProductDefinition]) -> [ProductDefinition] {
    if definitions.count < 2 { return definitions }
    var named: Set<NameNumber> = []
    return definitions.reversed().filter { named.insert($0.product).inserted }.reversed()
  }

  private mutating func insert(
    _ point: Point, _ texts: any FactTexts
  ) -> ContextChange.ProductSpan {
    let product = point.definition.product
    var all = points.removeValue(forKey: product) ?? []
    let index = all.partitionPoint { !point.key.precedes($0.key, texts) }
    let isPreceded = all[..<index].contains {
      ($0.app == 0 || $0.app == point.app)
        && ($0.environment == nil || $0.environment == point.environment)
    }
    let next = all[index...].first { $0.app == 0 && $0.environment == nil }
    all.insert(point, at: index)
    points[product] = all
    return ContextChange.ProductSpan(
      product: product, from: isPreceded ? point.key.time : .min, to: next?.key.time ?? .max)
  }
}
