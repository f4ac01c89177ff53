internal import LedgerEvents
internal import LedgerModel

/// Which facts of a unit a question needs.
struct FactSelection {
  /// The last position.
  var end: UInt64 = .max
  /// The last store time, in microseconds.
  var until: Int64 = .max
  /// The store time of a question about nothing but what customers have; `nil` for any question.
  var entitlementsAt: Int64?
  /// The kinds of events whose facts are needed; `nil` for all.
  var kinds: Set<EventKind>?

  static let all = FactSelection()

  /// Whether a fact is within the limits.
  func includes(_ fact: Fact) -> Bool { fact.position <= end && fact.occurredAt <= until }

  /// Whether what was read for this selection serves for another one, too: of what customers have,
  /// fewer facts are needed for a later moment. Facts of some kinds serve for nothing else.
  func serves(_ other: FactSelection) -> Bool {
    guard kinds == nil, end == other.end, until == other.until, let moment = entitlementsAt,
      let later = other.entitlementsAt
    else { return false }
    return moment <= later
  }
}

extension LogView {
  /// The facts at `positions`, in their order.
  ///
  /// - Complexity: O(*k* log *n*) for *k* positions.
  func facts(at positions: [UInt64]) throws(LedgerError) -> [Fact] {
    try facts(at: positions[...], .all)
  }

  /// The facts at `positions` that are needed, in their order. Several cores read many of them.
  ///
  /// - Parameter log: The log that this view is of.
  /// - Complexity: O(*k* log *n*) for *k* positions, shared by the cores.
  func facts(
    at positions: [UInt64], _ selection: FactSelection, of log: EventLog
  ) throws(LedgerError) -> [Fact] {
    let read = try inPieces(positions.count, of: log) { (view, piece) throws(LedgerError) in
      try view.facts(at: positions[piece], selection)
    }
    return read.count == 1 ? read[0] : read.flatMap(\.self)
  }

  private func facts(
    at positions: ArraySlice<UInt64>, _ selection: FactSelection
  ) throws(LedgerError) -> [Fact] {
    guard let first = positions.min(), let last = positions.max() else { return [] }
    var facts: [Fact] = []
    var needed = selection.entitlementsAt.map { EntitlementFacts(at: $0) }
    if needed == nil { facts.reserveCapacity(positions.count) }
    var cursor = try records(in: first...last)
    for position in positions {
      try cursor.move(to: position)
      if let kinds = selection.kinds {
        // The header tells. The checksum is compared of what is needed.
        guard kinds.contains(try cursor.record(isChecked: false).kind) else { continue }
      }
      let record = try cursor.record()
      guard needed?.needs(record) ?? true else { continue }
      do throws(RecordError) {
        let fact = try Fact(record)
        if selection.includes(fact) { facts.append(fact) }
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
