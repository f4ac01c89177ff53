import LedgerModel
import RunStorage
import Testing

@testable import LedgerStore

@Suite("The index of a unit")
struct UnitPostingsTests {
  /// What the index says after the entries, in its order.
  private func index(_ entries: [RunEntry]) -> UnitPostings {
    entries.sorted().reduce(into: UnitPostings()) { $0.add($1) }
  }

  @Test("holds what it was told to hold, however often positions leave and come back")
  func changes() {
    var entries: [RunEntry] = []
    for wanted in [[1, 2, 3], [1], [1, 2], [], [2, 3, 9], [2, 3, 9]] as [Set<UInt64>] {
      let added = index(entries).entries(toHold: wanted, 7)
      #expect(added.allSatisfy { $0.key >> 32 == 7 })
      entries += added
      #expect(index(entries).positions == wanted.sorted())
    }
  }

  @Test("adds nothing where nothing changes, and no value where a position is new")
  func leanest() {
    let first = index([]).entries(toHold: [4, 5], 7)
    #expect(first.allSatisfy { $0.value == 0 })
    #expect(index(first).entries(toHold: [4, 5], 7).isEmpty)
  }
}
