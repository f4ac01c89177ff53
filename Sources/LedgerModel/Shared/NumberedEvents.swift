public import LedgerEvents

/// Recorded events as facts, with the texts that their numbers and positions stand for. An
/// `InMemoryLedger` or a `Unit` folds them if there is no log that numbers names.
public struct NumberedEvents: FactTexts, Sendable {
  /// In the order of the events.
  public let facts: [Fact]
  private let names: [NameNumber: NameUse]
  private let numbers: [NameUse: NameNumber]
  private let ids: [UInt64: Name]

  /// - Parameter events: Valid events with unique ids.
  /// - Complexity: O(*n*) in the size of the events.
  public init(_ events: [RecordedEvent]) {
    var numbers = NameNumbers()
    let facts = events.map { recorded in
      Fact(
        recorded.event, position: recorded.position, recordedAt: recorded.recordedAt,
        numbers: numbers.number(recorded.event))
    }
    var names: [NameNumber: NameUse] = [:]
    for number in 0..<NameNumber(numbers.count) { names[number + 1] = numbers.use(number + 1) }
    self.init(events, facts: facts, names: names)
  }

  /// Events whose facts were read from a log.
  ///
  /// - Parameters:
  ///   - events: Valid events with unique ids.
  ///   - facts: The fact of each event, in the same order.
  ///   - names: The names with the numbers that the facts have.
  /// - Complexity: O(*n*) in the number of events and names.
  package init(_ events: [RecordedEvent], facts: [Fact], names: [NameNumber: NameUse]) {
    assert(facts.map(\.position) == events.map(\.position), "facts of other events")
    self.facts = facts
    self.names = names
    numbers = Dictionary(names.map { ($0.value, $0.key) }) { min($0, $1) }
    ids = Dictionary(events.map { ($0.position, $0.event.id) }) { _, last in last }
  }

  private init(facts: [Fact], of numbered: NumberedEvents) {
    self.facts = facts
    (names, numbers, ids) = (numbered.names, numbered.numbers, numbered.ids)
  }

  /// The events whose positions satisfy `isIncluded`, with the same numbers.
  ///
  /// - Complexity: O(*n*) in the number of events.
  package func filter(_ isIncluded: (UInt64) -> Bool) -> NumberedEvents {
    NumberedEvents(facts: facts.filter { isIncluded($0.position) }, of: self)
  }

  /// The id of the event at a position; empty if there is none.
  public func id(ofPosition position: UInt64) -> Name { ids[position] ?? "" }

  /// The text that a number stands for; empty if no name has the number.
  public func text(of number: NameNumber) -> Name { names[number]?.name ?? "" }

  /// The text of a number; `nil` if the number is 0.
  public func name(_ number: NameNumber) -> Name? { number == 0 ? nil : text(of: number) }

  /// The number of a name; 0 if no event states it.
  public func number(_ kind: NameKind, _ name: Name) -> NameNumber {
    numbers[NameUse(kind: kind, name: name)] ?? 0
  }

  /// Whether a number belongs to a payment, and not to a transaction.
  public func isPayment(_ number: NameNumber) -> Bool { names[number]?.kind == .payment }
}
