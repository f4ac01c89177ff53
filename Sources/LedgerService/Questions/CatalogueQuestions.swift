import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import ProductCatalogue

/// The questions about products, their prices and their content.
enum CatalogueQuestions {
  /// The parameters that select what the catalogue is asked about.
  static let filter = ["app", "environment", "at", "asOf"]

  /// Every product with its prices by storefront.
  static let products: QuestionReader = { (items) throws(Problem) in
    try page(items, prices: true) { (view, query) throws(LedgerError) in
      try view.catalogueListing(query).map { product in JSONText.text { product.write(to: &$0) } }
    }
  }

  /// How the prices of one product changed.
  static let history: QuestionReader = { (items) throws(Problem) in
    let product = try items.required("product")
    return try page(items, prices: true) { (view, query) throws(LedgerError) in
      try view.priceHistory(query).map { change in
        JSONText.text { change.write(to: &$0, product: product) }
      }
    }
  }

  /// Identifiers that the store did not know, and requests that failed.
  static let invalid: QuestionReader = { (items) throws(Problem) in
    let clocks = try items.clocks()
    let ask = try query(items, product: try items.name("product"))
    return Question(.everybody) { (view, now) throws(LedgerError) in
      let report = try view.invalidIdentifiers(ask(clocks, now))
      return Answer(
        content: .document(JSONText.text { report.write(to: &$0) }, rows: nil),
        position: try view.position(at: clocks), at: clocks.at ?? now)
    }
  }

  /// Devices that may not pay, and what was tried on them.
  static let payments: QuestionReader = { (items) throws(Problem) in
    try page(items, prices: false) { (view, query) throws(LedgerError) in
      try view.paymentBlocks(query).map { block in JSONText.text { block.write(to: &$0) } }
    }
  }

  /// Who has which content, what is on offer, and which devices are behind.
  static let updates: QuestionReader = { (items) throws(Problem) in
    let (product, device) = (try items.name("product"), try items.name("device"))
    let environments = try items.environments()
    let isCount = try items.flag("count")
    let (page, limit) = (try PageClocks(items), try items.limit())
    return Question(.everybody, named: device.map { "device \($0.text)" }) {
      (view, now) throws(LedgerError) in
      let moment = try page.moment(view, now)
      let query = ContentUpdatesQuery(
        environments: environments, product: product, device: device, clocks: moment.clocks,
        now: moment.at)
      var counts: [ContentUpdateCounts] = []
      var pager = try Pager(page.cursor, limit: limit, in: view)
      try view.contentUpdates(query, counts: { counts = $0 }) { update in
        !isCount && pager.add { JSONText.text { update.write(to: &$0) } }
      }
      guard isCount else { return pager.answer(columns: [], moment) }
      let json = JSONText.text { json in
        json.object { json in json.member("counts", each: counts) { $1.write(to: &$0) } }
      }
      return Answer(
        content: .document(json, rows: nil), position: moment.position, at: moment.at)
    }
  }

  // MARK: - What they have in common

  private typealias Asked = @Sendable (Clocks, Instant) -> CatalogueQuery

  /// The question, once the clocks and the present are known.
  private static func query(
    _ items: QueryItems, product: Name?, storefront: Storefront? = nil
  ) throws(Problem) -> Asked {
    let (app, environment) = (try items.name("app"), try items.environment() ?? .production)
    return { clocks, now in
      CatalogueQuery(
        environment: environment, app: app, storefront: storefront, product: product,
        clocks: clocks, now: now)
    }
  }

  /// A question whose answer is a list.
  ///
  /// - Parameters:
  ///   - items: The parameters.
  ///   - prices: Whether it takes a product and a storefront.
  ///   - list: The items of the answer.
  private static func page(
    _ items: QueryItems, prices: Bool,
    _ list: @escaping @Sendable (LedgerView, CatalogueQuery) throws(LedgerError) -> [String]
  ) throws(Problem) -> Question {
    let (page, limit) = (try PageClocks(items), try items.limit())
    let ask = try query(
      items, product: prices ? try items.name("product") : nil,
      storefront: prices ? try items.text("storefront").map { Storefront($0) } : nil)
    return Question(.everybody) { (view, now) throws(LedgerError) in
      let moment = try page.moment(view, now)
      var pager = try Pager(page.cursor, limit: limit, in: view)
      for item in try list(view, ask(moment.clocks, moment.at)) {
        guard pager.add({ item }) else { break }
      }
      return pager.answer(columns: [], moment)
    }
  }
}

extension LedgerView {
  /// The last position that an answer with these clocks knows.
  ///
  /// - Throws: `LedgerError`.
  func position(at clocks: Clocks) throws(LedgerError) -> UInt64 {
    if let asOf = clocks.asOf { try position(asOf) } else { position }
  }
}
