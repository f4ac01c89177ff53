public import LedgerEvents

/// One entry in the books about a transaction: a sale, a refund, a reversed refund or a revocation.
/// It is posted once, no matter how often and by whom it is reported.
///
/// A transaction has one sale in each environment. The newest fact about the sale decides it, and
/// store facts take precedence over queue facts (`model.md`, *Terms*). Refunds, reversals and
/// revocations are in the order of store time. If several of one kind follow each other, they are
/// reports of the same one.
public struct Posting: Sendable {
  /// What is posted.
  public enum Kind: UInt8, CaseIterable, Sendable {
    /// `transaction.purchased` or `subscription.renewed`; a restore sells nothing.
    case sale = 0
    case refund = 1
    case refundReversal = 2
    /// Family sharing was withdrawn: no money goes back.
    case revocation = 3

    /// The word that answers use.
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
  /// The first original that one of its events states; otherwise the transaction.
  public var original: NameNumber
  /// The product of the sale that decides; otherwise the first product that one of its events
  /// states; 0 if there is none.
  public var product: NameNumber
  /// The first account that one of its events states; 0 if there is none.
  public var owner: NameNumber
  /// The position of the fact that decides it.
  public var position: UInt64
  /// Store time as that fact states it, in microseconds.
  public var occurredAt: Int64
  /// Positions of the facts that report the sale. The one that decides comes first.
  public var sales: [UInt64]
  /// The part of the price that is posted, in millionths of one percent: all of it for a sale, none
  /// of it for a revocation.
  public var percentMillionths: Int64
}

extension Unit {
  /// The postings of a unit's transactions.
  ///
  /// The reducer's first pass says which transaction and environment each fact belongs to, and
  /// finds each transaction's owner, product and original. None of this depends on the shared
  /// context. The facts about money are gathered along the way.
  ///
  /// - Parameters:
  ///   - facts: All known facts of the unit, in any order.
  ///   - texts: The texts that their numbers and positions stand for.
  /// - Complexity: O(*n* log *n*) in the number of facts; O(*n*) if none of them is about money.
  public static func postings(of facts: [Fact], texts: any FactTexts) -> [Posting] {
    guard facts.contains(where: { Posting.Kind($0.kind) != nil }) else { return [] }
    var unit = Unit()
    let settled = unit.begin(facts, FoldContext(context: SharedContext(), texts: texts))
    var claims: [MoneyClaims.Key: MoneyClaims] = [:]
    // In the order of each transaction's first fact, whatever that fact is about.
    var order: [MoneyClaims.Key] = []
    for (ordinal, fact) in settled.facts.enumerated() where fact.kind != .unknown {
      let resolution = settled.resolutions[ordinal]
      guard resolution.root != 0, let environment = resolution.environment else { continue }
      let key = MoneyClaims.Key(environment: environment, transaction: resolution.root)
      if claims[key] == nil { order.append(key) }
      claims[key, default: MoneyClaims()].take(fact, ordinal)
    }
    return order.flatMap { key -> [Posting] in
      guard let transaction = unit.settledTransaction(key.transaction, in: key.environment) else {
        return []
      }
      return claims[key]?.postings(of: transaction, in: key.environment) ?? []
    }
  }

  private func settledTransaction(
    _ root: NameNumber, in environment: StoreEnvironment
  ) -> TransactionState? {
    guard let state = index(of: environment).map({ environments[$0] }) else { return nil }
    let index = state.transactionIndex.lookUp(UInt64(root))
    return index < 0 ? nil : state.transactions[index]
  }
}

/// What facts claim about the money of one transaction in one environment.
private struct MoneyClaims {
  struct Key: Hashable {
    var environment: StoreEnvironment
    var transaction: NameNumber
  }

  private struct Claim {
    var fact: Fact
    var kind: Posting.Kind
    var recency: Recency
  }

  private var storeSales: [Claim] = []
  /// In the fold order.
  private var queueSales: [Claim] = []
  private var reversals: [Claim] = []

  /// Adds the next fact in the fold order.
  mutating func take(_ fact: Fact, _ ordinal: Int) {
    guard let kind = Posting.Kind(fact.kind) else { return }
    let claim = Claim(fact: fact, kind: kind, recency: Recency(fact, ordinal: ordinal))
    switch kind {
    case .sale where fact.isStoreFact: storeSales.append(claim)
    case .sale: queueSales.append(claim)
    default: reversals.append(claim)
    }
  }

  func postings(
    of transaction: TransactionState, in environment: StoreEnvironment
  ) -> [Posting] {
    let sales = storeSales.sorted { $0.recency > $1.recency } + queueSales.reversed()
    func posting(_ claim: Claim, percent: Int64) -> Posting {
      Posting(
        kind: claim.kind, environment: environment, transaction: transaction.number,
        original: transaction.original, product: sales.first?.fact.product ?? transaction.product,
        owner: transaction.owner, position: claim.fact.position,
        occurredAt: claim.fact.statedOccurredAt, sales: sales.map(\.fact.position),
        percentMillionths: percent)
    }
    let whole = FactDetail.Fields.wholePercentMillionths
    var found = sales.first.map { [posting($0, percent: whole)] } ?? []
    // A reversal gives back what the refund before it took, and nothing if no refund is known.
    var refunded: Int64 = 0
    let sorted = reversals.sorted { $0.recency < $1.recency }
    for (index, claim) in sorted.enumerated() {
      if index + 1 < sorted.count, sorted[index + 1].kind == claim.kind { continue }
      switch claim.kind {
      case .refund:
        refunded = claim.fact.detail?.fields.percentMillionths ?? whole
        found.append(posting(claim, percent: refunded))
      case .refundReversal:
        found.append(posting(claim, percent: refunded))
        refunded = 0
      case .sale, .revocation: found.append(posting(claim, percent: 0))
      }
    }
    return found
  }
}

extension Posting.Kind {
  /// What an event of a kind posts; `nil` if it posts nothing.
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
