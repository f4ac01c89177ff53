public import LedgerEvents
internal import LedgerModel

/// A part of a ledger to be replayed.
public struct ReplaySlice: Sendable {
  /// Events of this customer.
  public var account: Name?
  /// Events that state this transaction.
  public var transaction: Name?
  /// Positions, both included.
  public var from: UInt64 = 1
  public var to: UInt64 = .max

  public init() {}
}

/// The events that a replay folds, and which of them are its steps.
public struct ReplayEvents: Sendable {
  /// By position: the steps, and what they rest on.
  public var events: [RecordedEvent]
  /// The positions of the steps.
  public var steps: Set<UInt64>

  public init(events: [RecordedEvent], steps: Set<UInt64>) {
    self.events = events
    self.steps = steps
  }
}

extension LedgerView {
  /// The events of a slice with everything that decides what they come to: what is connected with
  /// them, and the catalogue.
  ///
  /// - Complexity: O(*n*) in the events of the customer's unit, or in the ledger's where no
  ///   customer is named; all are held in memory.
  /// - Throws: ``LedgerError``.
  public func replayEvents(_ slice: ReplaySlice) throws(LedgerError) -> ReplayEvents {
    var query = EventsQuery()
    query.account = slice.account
    query.transaction = slice.transaction
    query.from = slice.from
    query.to = slice.to
    var steps: Set<UInt64> = []
    try events(query) { recorded in
      steps.insert(recorded.position)
      return true
    }
    guard let last = steps.max() else { return ReplayEvents(events: [], steps: []) }
    var events: [RecordedEvent] = []
    for position in try positions(deciding: slice, through: last) {
      events.append(try log.event(at: position))
    }
    return ReplayEvents(events: events, steps: steps)
  }

  private func positions(
    deciding slice: ReplaySlice, through last: UInt64
  ) throws(LedgerError) -> [UInt64] {
    let number: NameNumber?
    if let account = slice.account {
      number = try self.number(of: .account, account)
    } else if let transaction = slice.transaction {
      number = try self.number(of: .transaction, transaction)
    } else {
      return Array(1...last)
    }
    guard let number, let unit = try unitNumber(of: number) else { return [] }
    var positions: Set<UInt64> = []
    for part in [unit, IndexKey.contextUnit] {
      for fact in try reader.overlay.allFacts(of: part, log, tables, projections)
      where fact.position <= last {
        positions.insert(fact.position)
      }
    }
    return positions.sorted()
  }
}
