public import LedgerEvents
public import LedgerModel
public import LedgerStore

/// A sale, refund, reversal or revocation of a transaction, with names and amounts of money.
public struct PostingAnswer: Sendable {
  public var kind: Posting.Kind
  public var environment: StoreEnvironment
  public var transaction: Name
  /// The transaction itself if no event of it states another one.
  public var originalTransaction: Name
  public var product: Name?
  /// The first account that an event of the transaction states.
  public var account: Name?
  /// The event that decides it.
  public var event: RecordedEvent
  /// The quantity bought; 1 if no event states it.
  public var quantity: Int64
  /// The transaction's price as the store states it, for the whole quantity; `nil` if no event
  /// states one, or if somebody else paid (family sharing).
  public var price: ExactDecimal?
  /// ISO 4217, from the event that states the price.
  public var currency: Name?
  public var storefront: Name?
  /// The amount of money moved: the price for a sale, the refunded part of it for a refund or
  /// reversal, and `nil` for a revocation.
  public var amount: ExactDecimal?
}

extension LedgerView {
  /// Passes the postings of transactions to `body`, unit by unit. Stops when `body` returns false.
  ///
  /// The clocks of the query decide which events are known. The newest of these decides each
  /// posting, and then the filters apply to that event. So a transaction that five events report is
  /// counted once, and in only one period of store time. Product, original transaction and
  /// environment are those of the transaction, even if the deciding event does not state them. If
  /// the query knows some apps alone, all of that comes from events of these. The query's direction
  /// has no effect.
  ///
  /// - Complexity: O(*n* log *n*) in the facts of one unit at a time: of all units, or of one if
  ///   the query has an account, transaction or device.
  /// - Throws: ``LedgerError``: `limitReached` for a price with too many digits; and what `body`
  ///   throws.
  public func postings(
    _ query: EventsQuery, environments: [StoreEnvironment] = [.production],
    _ body: (PostingAnswer) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    guard let filter = try PostingFilter(query, environments, self) else { return }
    if let unit = filter.unit {
      _ = try postings(ofUnit: unit, query.clocks, filter, body)
      return
    }
    var walk = try units()
    while try walk.advance() {
      guard try postings(ofUnit: walk.unit, query.clocks, filter, body) else { return }
    }
  }

  private func postings(
    ofUnit unit: UInt32, _ clocks: Clocks, _ filter: PostingFilter,
    _ body: (PostingAnswer) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> Bool {
    var known = try cut(try facts(of: unit), clocks)
    if let apps = filter.apps { known = apps.cut(known) }
    let found = Unit.postings(of: known, texts: texts)
    try texts.check()
    for posting in found where try filter.admits(posting, self) {
      if try !body(try answer(posting)) { return false }
    }
    return true
  }

  func answer(_ posting: Posting) throws(LedgerError) -> PostingAnswer {
    var sale = SaleMembers()
    var known: RecordedEvent?
    for position in posting.sales {
      let event = try event(at: position)
      sale.take(event)
      if position == posting.position { known = event }
    }
    let deciding = if let known { known } else { try event(at: posting.position) }
    // No real price has more digits. Such an event must not make every sum fail.
    let price = sale.price.flatMap { ExactDecimal($0) }
    let paid = sale.isFamilyShared ?? false ? nil : price
    let amount: ExactDecimal? =
      switch posting.kind {
      case .sale: paid
      case .refund, .refundReversal:
        paid?.part(percentMillionths: posting.percentMillionths)
      case .revocation: nil
      }
    return PostingAnswer(
      kind: posting.kind, environment: posting.environment,
      transaction: try text(of: posting.transaction),
      originalTransaction: try text(of: posting.original), product: try text(posting.product),
      account: try text(posting.owner), event: deciding,
      quantity: sale.quantity ?? 1, price: paid, currency: paid == nil ? nil : sale.currency,
      storefront: sale.storefront, amount: amount)
  }
}

/// What the facts of a sale state, beginning with the one that decides. Each member comes from the
/// first fact that states it.
private struct SaleMembers {
  var price: String?
  var currency: Name?
  var quantity: Int64?
  var storefront: Name?
  var isFamilyShared: Bool?

  mutating func take(_ recorded: RecordedEvent) {
    let data = recorded.event.data
    if price == nil, let text = data.string("price") {
      price = text
      currency = data.name("currency")
    }
    quantity = quantity ?? data.integer("quantity")
    storefront = storefront ?? data.name("storefront")
    isFamilyShared = isFamilyShared ?? data.string("ownership").map { $0 == "familyShared" }
  }
}

/// A query, to be compared with postings.
struct PostingFilter {
  private let header: HeaderFilter
  private let environments: Set<StoreEnvironment>
  private let range: ClosedRange<UInt64>
  private var product: NameNumber?
  private var original: NameNumber?
  /// The unit of all matches, if a name determines it.
  var unit: UInt32? { header.unit }
  /// The events of which the answer knows; `nil` for all.
  var apps: KnownApps? { header.apps }

  /// `nil` if nothing can match.
  init?(
    _ query: EventsQuery, _ environments: [StoreEnvironment], _ view: LedgerView
  ) throws(LedgerError) {
    var own = query
    own.product = nil
    own.original = nil
    own.environment = nil
    guard query.from <= query.to, let header = try HeaderFilter(own, view) else { return nil }
    self.header = header
    self.environments = Set(environments)
    range = query.from...query.to
    if let name = query.product {
      guard let number = try view.number(of: .product, name) else { return nil }
      product = number
    }
    if let name = query.original {
      guard let number = try view.number(of: .transaction, name) else { return nil }
      original = number
    }
  }

  func admits(_ posting: Posting, _ view: LedgerView) throws(LedgerError) -> Bool {
    guard environments.contains(posting.environment), range.contains(posting.position),
      product == nil || posting.product == product,
      original == nil || posting.original == original,
      header.members?.contains(posting.position) ?? true
    else { return false }
    return header.admits(try view.log.record(at: posting.position, isChecked: false))
  }
}
