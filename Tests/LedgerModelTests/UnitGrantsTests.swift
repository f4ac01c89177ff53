import LedgerEvents
import LedgerHistories
import Testing

@testable import LedgerModel

@Suite("What grants something to a unit's customers") struct UnitGrantsTests {
  /// What a stored answer says of one moment.
  private struct Item: Hashable {
    var product: NameNumber
    var entitlement: Name?
    var entitlements: [Name]
    var state: EntitlementState
    var since: Int64
    var end: Int64?
    var source: EntitlementEntry.Source
  }

  private func items(of answer: Answer) -> Set<Item> {
    Set(
      answer.entries.map {
        Item(
          product: $0.product, entitlement: $0.entitlement, entitlements: $0.entitlements,
          state: $0.state, since: $0.since, end: $0.expiresAt, source: $0.source)
      })
  }

  private func items(of segment: GrantSegment) -> Set<Item> {
    Set(
      segment.items.map {
        Item(
          product: $0.product, entitlement: $0.entitlement, entitlements: $0.entitlements,
          state: $0.state, since: $0.since, end: $0.end == .max ? nil : $0.end, source: $0.source)
      })
  }

  /// The moments from the customer's newest event on at which anything could change.
  private func moments(_ segments: [GrantSegment], _ random: inout SeededRandom) -> [Int64] {
    segments.flatMap { segment in
      let next = segment.nextChange ?? segment.from + 40 * 86_400_000_000
      return [segment.from, next - 1, segment.from + Int64(random.below(Int(next - segment.from)))]
    }
  }

  @Test("is what the unit answers, from its newest event on", arguments: 0..<3)
  func agrees(kind: Int) throws {
    var compared = 0
    for seed in 900..<930 as Range<UInt64> { compared += try compare(kind: kind, seed: seed) }
    #expect(compared > 400)
  }

  /// Compares all answers of a history, and returns how many items they have.
  private func compare(kind: Int, seed: UInt64) throws -> Int {
    var random = SeededRandom(seed: seed)
    let dense = Histories.dense(seed: seed, count: 120)
    let events =
      switch kind {
      case 0: dense
      case 1: RecordedEvent.shuffled(dense, seed: seed)
      default: dense.mostlyWithoutDevices(&random)
      }
    let ledger = NumberedEvents(RecordedEvent.renumbered(events))
    let folded = InMemoryLedger(folding: ledger.facts, texts: ledger)
    var compared = 0
    for unit in folded.units {
      var grants = UnitGrants(of: unit, context: folded.context, texts: ledger)
      for account in unit.answeredAccounts {
        for environment in StoreEnvironment.allCases {
          let only = EnvironmentSet(environment)
          let found = grants.segments(
            of: account, in: environment, of: unit, context: folded.context, texts: ledger)
          let newest = unit.newestEvent(of: .account(account), environments: only)
          #expect(found?.newest == newest)
          for moment in moments(found?.segments ?? [], &random) {
            let segment = found?.segments.last { $0.from <= moment }
            let answer = unit.answer(
              .account(account), environments: only, at: moment, context: folded.context,
              texts: ledger)
            let stored = try #require(segment)
            #expect(
              items(of: stored) == items(of: answer),
              "kind \(kind), seed \(seed), account \(account) at \(moment)")
            compared += answer.entries.count
          }
        }
      }
    }
    return compared
  }
}
