public import LedgerEvents
internal import LedgerModel
public import LedgerStore

/// What one unit of other currencies was worth in one currency, and from when on: what somebody
/// says who keeps books. No event states a rate.
public struct ExchangeRates: Sendable {
  /// A rate, from a time on.
  public struct Rate: Sendable {
    /// ISO 4217.
    public var currency: Name
    /// Units of the target currency for one unit of this one.
    public var rate: ExactDecimal
    /// From when on it counts, until the next one of its currency; `nil` for ever before.
    public var since: Instant?

    public init(currency: Name, rate: ExactDecimal, since: Instant? = nil) {
      self.currency = currency
      self.rate = rate
      self.since = since
    }
  }

  /// The currency that amounts are converted into, ISO 4217.
  public let currency: Name
  /// By currency, the latest first.
  private let rates: [Name: [Rate]]

  /// - Complexity: O(*n* log *n*).
  public init(into currency: Name, _ rates: [Rate]) {
    self.currency = currency
    self.rates = Dictionary(grouping: rates, by: \.currency).mapValues { own in
      own.sorted { ($0.since?.microseconds ?? .min) > ($1.since?.microseconds ?? .min) }
    }
  }

  /// The rate of a currency at a time; `nil` where none is known.
  ///
  /// - Complexity: O(*n*) in the rates of the currency.
  public func rate(of currency: Name, at time: Instant) -> ExactDecimal? {
    if currency == self.currency { return ExactDecimal(integer: 1) }
    return rates[currency]?.first { $0.since.map { $0 <= time } ?? true }?.rate
  }

  /// The posting in the target currency, by the rate at the time of the event that decided it.
  ///
  /// - Returns: `nil` where no rate is known for it. A posting without a price needs none.
  /// - Complexity: as ``rate(of:at:)``.
  /// - Throws: ``LedgerError``, `limitReached` where an amount has too many digits.
  public func converted(_ posting: PostingAnswer) throws(LedgerError) -> PostingAnswer? {
    guard posting.price != nil else { return posting }
    guard let own = posting.currency,
      let rate = rate(of: own, at: posting.event.event.occurredAt)
    else { return nil }
    var converted = posting
    converted.currency = currency
    converted.price = try product(posting.price, rate, posting)
    converted.amount = try product(posting.amount, rate, posting)
    return converted
  }

  private func product(
    _ amount: ExactDecimal?, _ rate: ExactDecimal, _ posting: PostingAnswer
  ) throws(LedgerError) -> ExactDecimal? {
    guard let amount else { return nil }
    guard let product = amount.multiplied(by: rate) else {
      throw LedgerError(
        .limitReached,
        "An amount has too many digits in another currency at position \(posting.event.position).",
        position: posting.event.position)
    }
    return product
  }
}

/// What postings of a group come to net of refunds, in one currency.
public struct NetSums<Group: Hashable & Sendable>: Sendable {
  /// What is summed apart.
  public struct Key: Hashable, Sendable {
    public var group: Group
    /// `nil` where no price is known.
    public var currency: Name?
  }

  /// The sums of one key.
  public struct Sum: Sendable {
    /// How many sales, and how many refunds and revocations that were not reversed.
    public var sales = 0
    public var refunds = 0
    public var sold = ExactDecimal.zero
    /// What refunds gave back, less what reversals took again.
    public var refunded = ExactDecimal.zero
    /// What was sold less what was refunded.
    public var net = ExactDecimal.zero
    /// How many sales state no price.
    public var withoutAmount = 0
  }

  public private(set) var sums: [Key: Sum] = [:]

  /// Nets what was summed by kind.
  ///
  /// - Complexity: O(*n*) in the sums.
  /// - Throws: ``LedgerError``, `limitReached` where a sum has too many digits.
  public init(_ postings: PostingSums<Group>) throws(LedgerError) {
    for (key, found) in postings.sums {
      let netKey = Key(group: key.group, currency: key.currency)
      var sum = sums[netKey] ?? Sum()
      let amount = found.amount ?? .zero
      var isAdded = true
      switch key.kind {
      case .sale:
        sum.sales += found.transactions
        sum.withoutAmount += found.withoutAmount
        isAdded = sum.sold.add(amount) && sum.net.add(amount)
      case .refund:
        sum.refunds += found.transactions
        isAdded = sum.refunded.add(amount) && sum.net.add(amount.negated)
      case .refundReversal:
        sum.refunds -= found.transactions
        isAdded = sum.refunded.add(amount.negated) && sum.net.add(amount)
      case .revocation: sum.refunds += found.transactions
      }
      guard isAdded else { throw LedgerError(.limitReached, "A sum has too many digits.") }
      sums[netKey] = sum
    }
  }
}
