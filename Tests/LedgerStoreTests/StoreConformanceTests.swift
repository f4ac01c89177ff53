import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import LedgerTesting
import Testing

/// Runs the histories through a ledger on disk: live, in pieces, and late.
@Suite("Histories through a ledger", .enabled(if: Conformance.isPresent))
struct StoreConformanceTests {
  private static let histories: [Conformance.History] = {
    do { return try Conformance()?.histories() ?? [] } catch {
      Issue.record(error)
      return []
    }
  }()

  @Test("appended whole and folded, each gives exactly what is expected")
  func whole() throws {
    try run { ledger, history in
      try ledger.append(history.events, pieces: [history.events.count])
      try ledger.ledger.fold()
      return history.events
    }
  }

  @Test("appended whole and asked from the tail, each gives exactly what is expected")
  func tail() throws {
    try run { ledger, history in
      try ledger.append(history.events, pieces: [history.events.count])
      return history.events
    }
  }

  @Test("shuffled, in pieces, with folds and questions between, each gives the same")
  func shuffledPieces() throws {
    try run { ledger, history in
      let events = RecordedEvent.shuffled(history.events, seed: 7)
      try ledger.append(events, pieces: [1, 7, 3, 11]) { piece in
        if piece % 2 == 0 { try ledger.ledger.fold() }
        if piece % 3 == 0 {
          _ = try ledger.ledger.read { (view) throws(LedgerError) in try view.findings() }
        }
      }
      return events
    }
  }

  private func run(
    _ append: (TemporaryLedger, Conformance.History) throws -> [RecordedEvent]
  ) throws {
    for history in Self.histories {
      let ledger = try TemporaryLedger()
      let events = try append(ledger, history)
      var original: [Name: UInt64] = [:]
      for recorded in history.events { original[recorded.event.id] = recorded.position }
      var positions: [UInt64: UInt64] = [:]
      for (index, recorded) in events.enumerated() {
        positions[UInt64(index + 1)] = original[recorded.event.id]
      }
      var comparison = try LedgerComparison(ledger.ledger, expectedPosition: positions)
      for (environment, expected) in history.expected {
        try comparison.compare(environment, expected)
      }
      #expect(comparison.differences.isEmpty, "\(history.name)")
    }
  }
}
