public import LedgerEvents

/// The events that an append's condition is about: those that state everything named here.
public struct EventFilter: Hashable, Sendable {
  public var account: Name?
  public var transaction: Name?
  /// The original transaction. It matches events that state it, and events of the transaction
  /// itself.
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

/// A condition for appending a batch. It is checked in the transaction that writes the batch.
public enum AppendCondition: Sendable {
  /// No event after the position matches the filter.
  case noEvent(matching: EventFilter, after: UInt64)

  /// The closure decides, from the log that the batch would follow. It rejects the batch by
  /// throwing an error, usually `conditionFailed`.
  ///
  /// The writer calls it while it holds the log's lock, so it must be short and must not append.
  case holds(@Sendable (LogView) throws(LedgerError) -> Void)
}

/// The required consumptions of a batch, for a `ConsumptionCheck`.
package struct PendingConsumptions: Sendable {
  /// The positions of the batch, if it is accepted.
  package let batch: ClosedRange<UInt64>
  /// The positions of its `consumable.consumed` events that are `required` and were not accepted
  /// before.
  package let required: [UInt64]
}

/// Checks that required consumptions are covered. The layer that knows the balances provides it.
///
/// The writer calls it after the batch was written and before it is committed, so the view contains
/// the batch like any other events. To reject the batch, and no other, it throws `notCovered` with
/// the position. The batch is then removed again.
package typealias ConsumptionCheck =
  @Sendable (PendingConsumptions, LogView) throws(LedgerError) -> Void
