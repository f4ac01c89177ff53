internal import LedgerEvents
internal import LedgerModel

/// Recorded events as facts, with the texts behind their numbers and positions.
struct NumberedEvents: FactTexts {
  /// In the order of `events`.
  let facts: [Fact]
  private let names: NameNumbers
  private let ids: [UInt64: Name]

  /// - Complexity: O(*n*) in the size of the events.
  init(_ events: [RecordedEvent]) {
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

  func id(ofPosition position: UInt64) -> Name { ids[position] ?? "" }

  func text(of number: NameNumber) -> Name { names.use(number)?.name ?? "" }

  /// The text of a number, `nil` for 0.
  func name(_ number: NameNumber) -> Name? { number == 0 ? nil : text(of: number) }

  func isPayment(_ number: NameNumber) -> Bool { names.use(number)?.kind == .payment }
}
