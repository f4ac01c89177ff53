internal import LedgerEvents
internal import LedgerModel
internal import WorkThreads

/// Which facts of a unit a question needs.
struct FactSelection {
  /// Store time, in microseconds: only facts up to it are needed; `nil` if all are.
  var until: Int64?
  /// The store time of a question about nothing but what customers have; `nil` for any question.
  var entitlementsAt: Int64?

  static let all = FactSelection()
}

extension LogView {
  /// The facts at `positions`, in their order.
  ///
  /// - Complexity: O(*k* log *n*) for *k* positions.
  func facts(at positions: [UInt64]) throws(LedgerError) -> [Fact] {
    try facts(at: positions[...], .all)
  }

  /// The facts at `positions` that are needed, in their order. Several cores read many of them,
  /// each in its own snapshot: records never change.
  ///
  /// - Parameter log: The log that this view is of.
  /// - Complexity: O(*k* log *n*) for *k* positions, shared by the cores.
  func facts(
    at positions: [UInt64], _ selection: FactSelection, of log: EventLog
  ) throws(LedgerError) -> [Fact] {
    let pieces = ReadingPieces.of(positions.count)
    if pieces.count < 2 { return try facts(at: positions[...], selection) }
    let found = concurrentMap(pieces.count) { index in
      Result { () throws(LedgerError) in
        try log.read { (view) throws(LedgerError) in
          try view.facts(at: positions[pieces[index]], selection)
        }
      }
    }
    var facts: [Fact] = []
    for (piece, found) in zip(pieces, found) {
      // What failed is read again. There may have been no snapshots left for so many threads.
      if case .success(let found) = found {
        facts += found
      } else {
        facts += try self.facts(at: positions[piece], selection)
      }
    }
    return facts
  }

  private func facts(
    at positions: ArraySlice<UInt64>, _ selection: FactSelection
  ) throws(LedgerError) -> [Fact] {
    guard let first = positions.min(), let last = positions.max() else { return [] }
    var facts: [Fact] = []
    var needed = selection.entitlementsAt.map { EntitlementFacts(at: $0) }
    if needed == nil { facts.reserveCapacity(positions.count) }
    let until = selection.until ?? .max
    var cursor = try records(in: first...last)
    for position in positions {
      try cursor.move(to: position)
      let record = try cursor.record()
      guard needed?.needs(record) ?? true else { continue }
      do throws(RecordError) {
        let fact = try Fact(record)
        if fact.occurredAt <= until { facts.append(fact) }
      } catch {
        throw LedgerError(error, at: position)
      }
    }
    return facts
  }

  func fact(at position: UInt64) throws(LedgerError) -> Fact {
    let record = try record(at: position)
    do throws(RecordError) { return try Fact(record) } catch {
      throw LedgerError(error, at: position)
    }
  }
}
