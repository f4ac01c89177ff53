public import LedgerEvents
public import LedgerModel
public import LedgerStore

/// What postings of a group come to: counts, quantities and exact sums of money.
///
/// Sales, refunds, reversals and revocations stay apart, and so do currencies: what comes to one
/// number is of one kind and one currency.
public struct PostingSums<Group: Hashable & Sendable>: Sendable {
  /// What is summed apart.
  public struct Key: Hashable, Sendable {
    public var group: Group
    public var kind: Posting.Kind
    /// `nil` where no price is known.
    public var currency: Name?
  }

  /// The sums of one key.
  public struct Sum: Sendable {
    public var transactions = 0
    /// Wide enough for as many quantities as a ledger has events.
    public var quantity: Int128 = 0
    /// `nil` where none of them moves money that is known.
    public var amount: ExactDecimal?
    /// How many move no money, or none that is known.
    public var withoutAmount = 0

    public init() {}
  }

  public private(set) var sums: [Key: Sum] = [:]

  public init() {}

  /// Adds a posting.
  ///
  /// - Complexity: O(1).
  /// - Throws: ``LedgerError``, `limitReached` where a sum has too many digits.
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
