public import LedgerEvents

/// Which events an append's condition speaks of: those that state everything named here.
public struct EventFilter: Hashable, Sendable {
  public var account: Name?
  public var transaction: Name?
  /// The stated original, or the transaction of that id itself.
  public var originalTransaction: Name?
  public var product: Name?
  public var type: EventType?

  public init(
    account: Name? = nil, transaction: Name? = nil, originalTransaction: Name? = nil,
    product: Name? = nil, type: EventType? = nil
  ) {
    self.account = account
    self.transaction = transaction
    self.originalTransaction = originalTransaction
    self.product = product
    self.type = type
  }
}

/// What must hold for a batch to be appended, checked and written in one.
public enum AppendCondition: Sendable {
  /// No event that the filter matches stands after the position.
  case noEvent(matching: EventFilter, after: UInt64)

  /// Whatever the closure finds in the log as the batch would come behind it; it refuses by
  /// throwing, `conditionFailed` as a rule.
  ///
  /// It is called by the writer, which holds the log's lock: let it be short and not append.
  case holds(@Sendable (LogView) throws(LedgerError) -> Void)
}

/// What a `ConsumptionCheck` is asked about.
package struct PendingConsumptions: Sendable {
  /// The positions that the batch takes if it stays.
  package let batch: ClosedRange<UInt64>
  /// Those of its `consumable.consumed` events that are `required` and were not accepted before.
  package let required: [UInt64]
}

/// Whether required consumptions are covered, given by the layer that knows balances.
///
/// It is called by the writer after the batch was written and before it is committed, so that the
/// view holds the batch like any other events. It refuses the batch, and no other, by throwing
/// `notCovered` with the position; the batch is then taken out again.
package typealias ConsumptionCheck =
  @Sendable (PendingConsumptions, LogView) throws(LedgerError) -> Void
