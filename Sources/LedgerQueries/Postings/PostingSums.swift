public import LedgerEvents
public import LedgerModel
public import LedgerStore

/// Sums of postings by group: counts, quantities and exact amounts of money.
///
/// Sales, refunds, reversals and revocations are summed separately, and so are currencies: each sum
/// is of one kind and one currency.
public struct PostingSums<Group: Hashable & Sendable>: Sendable {
  /// What is summed separately.
  public struct Key: Hashable, Sendable {
    public var group: Group
    public var kind: Posting.Kind
    /// `nil` if no price is known.
    public var currency: Name?
  }

  /// The sums of one key.
  public struct Sum: Sendable {
    public var transactions = 0
    /// Wide enough for as many quantities as a ledger can have events.
    public var quantity: Int128 = 0
    /// `nil` if no amount is known for any of them.
    public var amount: ExactDecimal?
    /// How many have no amount, or no known amount.
    public var withoutAmount = 0

    public init() {}
  }

  public private(set) var sums: [Key: Sum] = [:]

  public init() {}

  /// Adds a posting.
  ///
  /// - Complexity: O(1).
  /// - Throws: ``LedgerError``: `limitReached` if a sum has too many digits.
  public mutating func add(_ posting: PostingAnswer, to group: Group) throws(LedgerError) {
    let key = Key(group: group, kind: posting.kind, currency: posting.currency)
    var sum = sums[key] ?? Sum()
    sum.transactions += 1
    var amount = sum.amount ?? .zero
    guard posting.amount.map({ amount.add($0) }) ?? true else {
      throw LedgerError(
        .limitReached, "A sum has too many digits at position \(posting.event.position).",
        position: posting.event.position)
    }
    sum.quantity += Int128(posting.quantity)
    if posting.amount != nil { sum.amount = amount } else { sum.withoutAmount += 1 }
    sums[key] = sum
  }
}
