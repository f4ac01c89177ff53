import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

@Suite("A ledger whose units share state of the absent device for a while")
struct PartingTests {
  private func states(_ ledger: InMemoryLedger) -> [UnitNumber: [UInt8]] {
    var states: [UnitNumber: [UInt8]] = [:]
    ledger.forEachUnit { number, unit in states[number] = unit.encoded() }
    return states
  }

  @Test("has the units of a fold of all events at once, after each piece")
  func growing() {
    var partingCount = 0
    for seed in 0..<40 as Range<UInt64> {
      var random = SeededRandom(seed: seed &+ 0xF01D)
      let events = Histories.dense(seed: seed, count: 140).mostlyWithoutDevices(&random)
      let ledger = NumberedEvents(RecordedEvent.shuffled(events, seed: seed))
      var growing = InMemoryLedger(texts: ledger)
      var rest = ledger.facts[...]
      while !rest.isEmpty {
        let piece = rest.prefix(1 + random.below(30))
        rest = rest.dropFirst(piece.count)
        growing.append(Array(piece))
        let known = Array(ledger.facts[..<piece.endIndex])
        let fresh = InMemoryLedger(folding: known, texts: ledger)
        #expect(states(growing) == states(fresh), "seed \(seed), \(piece.endIndex) events")
        #expect(growing.findings == fresh.findings, "seed \(seed), \(piece.endIndex) events")
      }
      partingCount += growing.partingCount
    }
    #expect(partingCount > 10)
  }
}
