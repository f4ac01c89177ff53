internal import LMDB
internal import LedgerEvents
package import LedgerModel

extension LedgerView {
  /// The position at a ledger time.
  ///
  /// - Complexity: O(1) for a position, O(log *n*) for an instant, and O(*k*) in the events after
  ///   the projections.
  /// - Throws: ``LedgerError``: `notFound` if the ledger is shorter.
  public func position(_ time: Clocks.LedgerTime) throws(LedgerError) -> UInt64 {
    switch time {
    case .position(let asked):
      guard asked <= position else {
        throw LedgerError(
          .notFound, "There is no position \(asked): the ledger ends at \(position).",
          position: asked)
      }
      return asked
    case .instant(let instant):
      return try RecordedTimes().lastPosition(
        recordedBy: instant, log, through: position, tables.recorded, projections,
        storedThrough: reader.overlay.checkpoint.position)
    }
  }

  /// The last position that the clocks include.
  package func lastPosition(_ clocks: Clocks) throws(LedgerError) -> UInt64 {
    if let asOf = clocks.asOf { return try position(asOf) }
    return position
  }

  /// An in-memory ledger of the events of a unit and of the fold context at the clocks.
  ///
  /// - Parameter entitlementsAt: See ``facts(of:at:entitlementsAt:)``.
  /// - Complexity: O(*n* log *n*) in the facts of the unit and of the context.
  func inMemoryLedger(
    of unit: UnitNumber, at clocks: Clocks, entitlementsAt: Int64? = nil
  ) throws(LedgerError) -> InMemoryLedger {
    let facts = try facts(of: unit, at: clocks, entitlementsAt: entitlementsAt)
    return try inMemoryLedger(facts.merged(with: try contextFacts(at: clocks)))
  }

  /// An in-memory ledger of all events at the clocks.
  ///
  /// - Complexity: O(*n* log *n*) in all events up to the requested position. All of them are in
  ///   memory.
  package func inMemoryLedger(at clocks: Clocks) throws(LedgerError) -> InMemoryLedger {
    let end = try lastPosition(clocks)
    guard end > 0 else { return InMemoryLedger(folding: [], texts: texts) }
    let batch = try FactBatch(1...end, of: texts.log, in: log, indexesIDs: false)
    let facts = try cut(batch.facts, Clocks(at: clocks.at))
    return try inMemoryLedger(facts) { [eventLog = texts.log] in UnitsAhead.fold($0, eventLog) }
  }

  /// Returns the facts that the clocks include.
  ///
  /// - Complexity: O(*n*) in the facts; as `position(_:)` for a ledger time that is an instant.
  package func cut(_ facts: [Fact], _ clocks: Clocks) throws(LedgerError) -> [Fact] {
    var facts = facts
    if let asOf = clocks.asOf {
      let end = try position(asOf)
      facts.removeAll { $0.position > end }
    }
    if let at = clocks.at { facts.removeAll { $0.occurredAt > at.microseconds } }
    return facts
  }

  private func inMemoryLedger(
    _ facts: [Fact], ahead: ((SeparateUnits) -> [UnitNumber: FoldedUnit])? = nil
  ) throws(LedgerError) -> InMemoryLedger {
    let ledger = InMemoryLedger(folding: facts, texts: texts, ahead: ahead)
    try texts.check()
    return ledger
  }
}

extension [Fact] {
  /// Returns these facts and others, each once. Both must be in the order of their positions, and
  /// so is the result.
  ///
  /// - Complexity: O(*n*) in their number.
  package func merged(with others: [Fact]) -> [Fact] {
    var merged: [Fact] = []
    merged.reserveCapacity(count + others.count)
    var rest = others[...]
    for fact in self {
      while let other = rest.first, other.position < fact.position {
        merged.append(other)
        rest.removeFirst()
      }
      if rest.first?.position == fact.position { rest.removeFirst() }
      merged.append(fact)
    }
    return merged + rest
  }
}
