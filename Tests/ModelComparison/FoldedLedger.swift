public import LedgerModel

/// Recorded events, and the book that they fold to.
public typealias FoldedLedger = NumberedEvents

extension NumberedEvents {
  public var book: Book { Book(folding: facts, texts: self) }
}
