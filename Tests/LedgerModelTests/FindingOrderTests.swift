import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

struct FindingOrderTests {
  /// The finding from which the others differ in one member each.
  private static let base = Finding(
    rule: .finishedTwice, environment: .production, position: 5, occurredAt: 7, account: 3,
    device: 3, transaction: 3, product: 3, download: 3)

  @Test(
    "findings that differ in any member have one order",
    arguments: [
      { $0.position = 6 }, { $0.environment = .sandbox }, { $0.rule = .undelivered },
      { $0.transaction = 4 }, { $0.download = 4 }, { $0.device = 4 }, { $0.product = 4 },
      { $0.account = 4 }, { $0.occurredAt = 8 }, { $0.detail = "" },
    ] as [@Sendable (inout Finding) -> Void])
  func findingsDiffer(
    change: @Sendable (inout Finding) -> Void
  ) {
    var other = Self.base
    change(&other)
    #expect(other != Self.base)
    #expect((other < Self.base) != (Self.base < other))
  }

  @Test("earlier members decide before later ones") func earlierMembers() {
    var late = Self.base
    late.device = 9
    var early = Self.base
    early.download = 4
    early.device = 0
    #expect(late < early)
    early.position = 4
    #expect(early < late)
  }

  @Test("a text comes after none, and texts by their bytes") func textComes() {
    let details: [Name?] = [nil, "", "1.0", "1.1", "2"]
    let findings = details.map { detail in
      var finding = Self.base
      finding.detail = detail
      return finding
    }
    #expect(findings.reversed().sorted() == findings)
  }
}
