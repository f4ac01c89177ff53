public import LedgerEvents

/// The names that connect a fact to others: two facts with a node in common are folded in one unit.
///
/// Accounts, devices, transactions, originals and payments connect. The absent device connects only
/// the events of one of its sessions. What else it couples is in `Unit.couplings`.
public struct UnitNodes: Sequence, Sendable {
  private let numbers: (NameNumber, NameNumber, NameNumber, NameNumber, NameNumber, NameNumber)
  private let session: NameNumber

  public init(_ fact: Fact) {
    numbers = (
      fact.account, fact.detail?.fields.to ?? 0, fact.device, fact.transaction, fact.original,
      fact.payment
    )
    session = fact.device == 0 ? fact.session : 0
  }

  /// Whether no name connects the fact to others.
  public var isEmpty: Bool { !contains { _ in true } }

  /// The first node; `nil` if there is none.
  public var first: NameNumber? { first { _ in true } }

  /// Iterates over the nodes in the order of the fact's names.
  public struct Iterator: IteratorProtocol {
    var nodes: UnitNodes
    var index = 0

    /// The next node: the number of a name, which is unique across all kinds of names.
    public mutating func next() -> NameNumber? {
      while index < 7 {
        defer { index += 1 }
        let number = nodes[index]
        if number != 0 { return number }
      }
      return nil
    }
  }

  public func makeIterator() -> Iterator { Iterator(nodes: self) }

  private subscript(index: Int) -> NameNumber {
    switch index {
    case 0: numbers.0
    case 1: numbers.1
    case 2: numbers.2
    case 3: numbers.3
    case 4: numbers.4
    case 5: numbers.5
    default: session
    }
  }
}
