public import LedgerModel

/// Recorded events, and the book that they fold to.
public typealias FoldedLedger = NumberedEvents

extension NumberedEvents {
  public var book: InMemoryLedger { InMemoryLedger(folding: facts, texts: self) }
}
