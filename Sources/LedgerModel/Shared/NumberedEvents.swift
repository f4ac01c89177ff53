public import LedgerEvents

/// Recorded events as facts, with the texts behind their numbers and positions: what an
/// `InMemoryLedger` or a `Unit` folds where there is no log to number names.
public struct NumberedEvents: FactTexts, Sendable {
  /// In the order of the events.
  public let facts: [Fact]
  private let names: NameNumbers
  private let ids: [UInt64: Name]

  /// - Parameter events: Valid ones, each id once.
  /// - Complexity: O(*n*) in the size of the events.
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

  /// The id of the event at a position; empty if there is none.
  public func id(ofPosition position: UInt64) -> Name { ids[position] ?? "" }

  /// The text that a number stands for; empty if no name has the number.
  public func text(of number: NameNumber) -> Name { names.use(number)?.name ?? "" }

  /// The text of a number, `nil` for 0.
  public func name(_ number: NameNumber) -> Name? { number == 0 ? nil : text(of: number) }

  /// The number of a name; 0 if no event states it.
  public func number(_ kind: NameKind, _ name: Name) -> NameNumber {
    names.known(NameUse(kind: kind, name: name))
  }

  /// Whether a number is of a payment, and not of a transaction.
  public func isPayment(_ number: NameNumber) -> Bool { names.use(number)?.kind == .payment }
}
