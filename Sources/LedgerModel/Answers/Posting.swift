public import LedgerEvents

/// What a transaction puts into the books once, whoever reports it and how often: that it was sold,
/// refunded, that the refund was taken back, that it was revoked.
///
/// Of a transaction there is one sale in each environment, decided by the newest fact that says so:
/// store facts go before queue facts (`model.md`, *Terms*). Its refunds, reversals and revocations
/// stand in the order of store time, and what says the same as the one before it is that one
/// reported again.
public struct Posting: Sendable {
  /// What is put into the books.
  public enum Kind: UInt8, CaseIterable, Sendable {
    /// `transaction.purchased` or `subscription.renewed`; a restore sells nothing.
    case sale = 0
    case refund = 1
    case refundReversal = 2
    /// Family sharing was withdrawn: no money goes back.
    case revocation = 3

    /// As answers write it.
    public var text: String {
      switch self {
      case .sale: "sale"
      case .refund: "refund"
      case .refundReversal: "refundReversal"
      case .revocation: "revocation"
      }
    }
  }

  public var kind: Kind
  public var environment: StoreEnvironment
  public var transaction: NameNumber
  /// The first original that an event of it states, else the transaction.
  public var original: NameNumber
  /// The product of the deciding sale, else the first that an event of it states; 0 where none.
  public var product: NameNumber
  /// The first account that an event of it states; 0 where none does.
  public var owner: NameNumber
  /// Of the fact that decides it.
  public var position: UInt64
  /// Store time as that fact states it, in microseconds.
  public var occurredAt: Int64
  /// Positions of the facts that say it was sold, the one that decides first.
  public var sales: [UInt64]
  /// How much of the price goes back, in millionths of one percent.
  public var percentMillionths: Int64
}

extension Unit {
  /// What the transactions of a unit put into the books.
  ///
  /// - Parameters:
  ///   - facts: All of the unit that are known, in any order.
  ///   - texts: The texts behind their numbers and positions.
  /// - Complexity: O(*n* log *n*) in the number of facts; O(*n*) where none is about money.
  public static func postings(of facts: [Fact], texts: any FactTexts) -> [Posting] {
    guard facts.contains(where: { Posting.Kind($0.kind) != nil }) else { return [] }
    let sorted = facts.inFoldOrder(texts)
    var identity = Identity(settling: sorted)
    var accounts: [TransactionAccount.Key: TransactionAccount] = [:]
    var order: [TransactionAccount.Key] = []
    for (ordinal, fact) in sorted.enumerated() {
      let resolution = identity.resolve(Identity.Statement(fact))
      guard fact.kind != .unknown, resolution.root != 0, let environment = resolution.environment
      else { continue }
      let key = TransactionAccount.Key(environment: environment, transaction: resolution.root)
      if accounts[key] == nil { order.append(key) }
      accounts[key, default: TransactionAccount()].take(fact, ordinal)
    }
    return order.flatMap { accounts[$0]?.postings($0) ?? [] }
  }
}

/// The facts of one transaction in one environment that the books are made of.
private struct TransactionAccount {
  struct Key: Hashable {
    var environment: StoreEnvironment
    var transaction: NameNumber
  }

  /// A fact, and what orders it.
  private struct Entry {
    var fact: Fact
    var kind: Posting.Kind
    var ordinal: Int

    func isOlder(than other: Entry) -> Bool {
      (fact.storeTime, ordinal) < (other.fact.storeTime, other.ordinal)
    }
  }

  private var original: NameNumber = 0
  private var product: NameNumber = 0
  private var owner: NameNumber = 0
  private var storeSales: [Entry] = []
  private var queueSales: [Entry] = []
  private var reversals: [Entry] = []

  /// Takes in the next fact of the fold's order.
  mutating func take(_ fact: Fact, _ ordinal: Int) {
    if original == 0 { original = fact.original }
    if product == 0 { product = fact.product }
    if owner == 0 { owner = fact.account }
    guard let kind = Posting.Kind(fact.kind) else { return }
    let entry = Entry(fact: fact, kind: kind, ordinal: ordinal)
    switch kind {
    case .sale where fact.isStoreFact: storeSales.append(entry)
    case .sale: queueSales.append(entry)
    default: reversals.append(entry)
    }
  }

  func postings(_ key: Key) -> [Posting] {
    let sales =
      storeSales.sorted { $1.isOlder(than: $0) } + queueSales.sorted { $0.ordinal > $1.ordinal }
    let product = sales.first?.fact.product ?? self.product
    func posting(_ entry: Entry, percent: Int64) -> Posting {
      Posting(
        kind: entry.kind, environment: key.environment, transaction: key.transaction,
        original: original == 0 ? key.transaction : original, product: product, owner: owner,
        position: entry.fact.position, occurredAt: entry.fact.statedOccurredAt,
        sales: sales.map(\.fact.position), percentMillionths: percent)
    }
    var found = sales.first.map { [posting($0, percent: FactDetail.wholePercent)] } ?? []
    // What a reversal gives back is what the refund before it took.
    var refunded = FactDetail.wholePercent
    let sorted = reversals.sorted { $0.isOlder(than: $1) }
    for (place, entry) in sorted.enumerated() {
      switch entry.kind {
      case .refund:
        refunded = entry.fact.detail?.fields.percentMillionths ?? FactDetail.wholePercent
      case .revocation: refunded = 0
      case .sale, .refundReversal: break
      }
      let isRepeated = place + 1 < sorted.count && sorted[place + 1].kind == entry.kind
      if !isRepeated { found.append(posting(entry, percent: refunded)) }
    }
    return found
  }
}

extension Posting.Kind {
  /// What an event of a kind is to the books; `nil` where it is nothing.
  public init?(_ kind: EventKind) {
    switch kind {
    case .transactionPurchased, .subscriptionRenewed: self = .sale
    case .transactionRefunded: self = .refund
    case .transactionRefundReversed: self = .refundReversal
    case .transactionRevoked: self = .revocation
    default: return nil
    }
  }
}

extension FactDetail {
  /// All of it: 100 percent in millionths of one percent.
  fileprivate static let wholePercent: Int64 = 100_000_000
}
