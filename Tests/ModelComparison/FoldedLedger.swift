public import LedgerModel

/// Recorded events and the in-memory ledger to which they fold.
public typealias FoldedLedger = NumberedEvents

extension NumberedEvents {
  public var folded: InMemoryLedger { InMemoryLedger(folding: facts, texts: self) }
}
