public import LedgerEvents

/// Recorded events as facts, with the texts that their numbers and positions stand for. An
/// `InMemoryLedger` or a `Unit` folds them if there is no log that numbers names.
public struct NumberedEvents: FactTexts, Sendable {
  /// In the order of the events.
  public let facts: [Fact]
  private let names: NameNumbers
  private let ids: [UInt64: Name]

  /// - Parameter events: Valid events with unique ids.
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

  /// The text of a number; `nil` if the number is 0.
  public func name(_ number: NameNumber) -> Name? { number == 0 ? nil : text(of: number) }

  /// The number of a name; 0 if no event states it.
  public func number(_ kind: NameKind, _ name: Name) -> NameNumber {
    names.known(NameUse(kind: kind, name: name))
  }

  /// Whether a number belongs to a payment, and not to a transaction.
  public func isPayment(_ number: NameNumber) -> Bool { names.use(number)?.kind == .payment }
}
