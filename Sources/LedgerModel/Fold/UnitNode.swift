public import LedgerEvents

/// What connects facts to one unit: two facts with a node in common are folded together.
///
/// Accounts, devices, transactions, originals and payments connect. The absent device connects
/// nothing but events of one session of it; what else it couples shows in `Unit.couplings`.
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

  /// Whether the fact belongs to nobody's unit.
  public var isEmpty: Bool { !contains { _ in true } }

  /// The first node; `nil` where there is none.
  public var first: NameNumber? { first { _ in true } }

  /// Gives the nodes in the order of the fact's names.
  public struct Iterator: IteratorProtocol {
    var nodes: UnitNodes
    var place = 0

    /// The next node: a name's number, unique over all kinds of names.
    public mutating func next() -> NameNumber? {
      while place < 7 {
        defer { place += 1 }
        let number = nodes[place]
        if number != 0 { return number }
      }
      return nil
    }
  }

  public func makeIterator() -> Iterator { Iterator(nodes: self) }

  private subscript(place: Int) -> NameNumber {
    switch place {
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
