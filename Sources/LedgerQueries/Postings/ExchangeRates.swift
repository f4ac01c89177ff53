public import LedgerEvents
internal import LedgerModel
public import LedgerStore

/// The values of other currencies in one target currency over time, as a bookkeeper supplies them.
/// No event states a rate.
public struct ExchangeRates: Sendable {
  /// A rate that applies from a given time.
  public struct Rate: Sendable {
    /// ISO 4217.
    public var currency: Name
    /// How many units of the target currency one unit of this currency is worth.
    public var rate: ExactDecimal
    /// When the rate begins to apply, until the currency's next rate; `nil` for the beginning of
    /// time.
    public var since: Instant?

    public init(currency: Name, rate: ExactDecimal, since: Instant? = nil) {
      self.currency = currency
      self.rate = rate
      self.since = since
    }
  }

  /// The currency that amounts are converted into, ISO 4217.
  public let currency: Name
  /// By currency, with the latest rate first.
  private let rates: [Name: [Rate]]

  /// - Complexity: O(*n* log *n*).
  public init(into currency: Name, _ rates: [Rate]) {
    self.currency = currency
    self.rates = Dictionary(grouping: rates, by: \.currency).mapValues { own in
      own.sorted { ($0.since?.microseconds ?? .min) > ($1.since?.microseconds ?? .min) }
    }
  }

  /// The rate of a currency at a time; `nil` if none is known.
  ///
  /// - Complexity: O(*n*) in the rates of the currency.
  public func rate(of currency: Name, at time: Instant) -> ExactDecimal? {
    if currency == self.currency { return ExactDecimal(integer: 1) }
    return rates[currency]?.first { $0.since.map { $0 <= time } ?? true }?.rate
  }

  /// The posting in the target currency, at the rate for the time of the deciding event.
  ///
  /// - Returns: `nil` if no rate is known. A posting without a price needs none.
  /// - Complexity: as ``rate(of:at:)``.
  /// - Throws: ``LedgerError``: `limitReached` if an amount has too many digits.
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

/// Sums of postings net of refunds, in one currency per group.
public struct NetSums<Group: Hashable & Sendable>: Sendable {
  /// What is summed separately.
  public struct Key: Hashable, Sendable {
    public var group: Group
    /// `nil` if no price is known.
    public var currency: Name?
  }

  /// The sums of one key.
  public struct Sum: Sendable {
    /// How many sales, and how many refunds and revocations that were not reversed.
    public var sales = 0
    public var refunds = 0
    public var sold = ExactDecimal.zero
    /// What refunds gave back, minus what reversals took back.
    public var refunded = ExactDecimal.zero
    /// What was sold, minus what was refunded.
    public var net = ExactDecimal.zero
    /// The number of sales without a price.
    public var withoutAmount = 0
  }

  public private(set) var sums: [Key: Sum] = [:]

  /// Computes net sums from sums by kind.
  ///
  /// - Complexity: O(*n*) in the sums.
  /// - Throws: ``LedgerError``: `limitReached` if a sum has too many digits.
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
