public import LedgerEvents
public import LedgerModel

/// The facts of recorded events, with the texts behind their numbers.
public struct FoldedLedger: FactTexts {
  public let facts: [Fact]
  public let names: NameNumbers
  private let ids: [UInt64: Name]

  public init(_ events: [RecordedEvent]) {
    var names = NameNumbers()
    var ids: [UInt64: Name] = [:]
    facts = events.map { recorded in
      ids[recorded.position] = recorded.event.id
      return Fact(
        recorded.event, position: recorded.position, recordedAt: recorded.recordedAt,
        numbers: names.number(recorded.event))
    }
    self.names = names
    self.ids = ids
  }

  public func id(ofPosition position: UInt64) -> Name { ids[position] ?? Name("") }

  public func text(of number: NameNumber) -> Name { names.use(number)?.name ?? Name("") }

  public func number(_ kind: NameKind, _ name: Name) -> NameNumber {
    names.known(NameUse(kind: kind, name: name))
  }

  public var book: Book { Book(folding: facts, texts: self) }
}
