import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

@testable import LedgerQueries
@testable import LedgerStore

@Suite("Findings of one cause") struct FindingIncidentTests {
  private func finding(
    _ rule: Rule, _ position: UInt64, hour: Int64 = 0, account: Name? = nil, device: Name? = nil,
    transaction: Name? = nil, environment: StoreEnvironment = .production
  ) -> FindingAnswer {
    FindingAnswer(
      rule: rule, severity: rule.severity, position: position,
      occurredAt: Instant(microseconds: hour * Instant.hour), environment: environment,
      account: account, device: device, transaction: transaction, product: nil, download: nil,
      detail: nil)
  }

  private func positions(_ findings: [FindingAnswer]) -> [[UInt64]] {
    FindingIncident.incidents(of: findings).map { $0.findings.map(\.position) }
  }

  @Test("concern one transaction, or were broken at one event") func together() {
    let found = [
      finding(.contentMissingAtInstall, 7, transaction: "t1"),
      finding(.finishedBeforeInstall, 3, transaction: "t1"),
      finding(.redelivered, 4, transaction: "t2"), finding(.clockAhead, 4),
      finding(.redelivered, 4, transaction: "t2", environment: .sandbox),
    ]
    #expect(positions(found) == [[3, 7], [4, 4], [4]])
    let first = FindingIncident.incidents(of: found)[0]
    #expect(first.head.rule == .finishedBeforeInstall)
    #expect(first.rules == [.finishedBeforeInstall, .contentMissingAtInstall])
  }

  @Test("the worst gives the name, whenever it came") func head() {
    let found = [
      finding(.redelivered, 1, transaction: "t1"), finding(.neverFinished, 2, transaction: "t1"),
    ]
    #expect(FindingIncident.incidents(of: found).map(\.head.rule) == [.neverFinished])
  }

  @Test("are one rule for one customer on one device within a day") func sitting() {
    func again(_ position: UInt64, _ hour: Int64, _ device: Name? = "phone") -> FindingAnswer {
      finding(
        .finishedTwice, position, hour: hour, account: "ada", device: device,
        transaction: Name("t\(position)"))
    }
    #expect(positions([again(1, 0), again(2, 24), again(3, 48)]) == [[1, 2, 3]])
    #expect(positions([again(1, 0), again(2, 25)]) == [[1], [2]])
    #expect(positions([again(1, 0), again(2, 1, "tablet")]) == [[1], [2]])
    let nobody = [
      finding(.clockAhead, 1, transaction: "t1"), finding(.clockAhead, 2, transaction: "t2"),
    ]
    #expect(positions(nobody) == [[1], [2]])
  }

  @Test(
    "are what comparing each with each puts together", arguments: 1...8 as ClosedRange<UInt64>)
  func pairs(_ seed: UInt64) throws {
    let walk = try LedgerWalk()
    try walk.append(Histories.dense(seed: seed, count: 120))
    let found = try walk.ledger().read { (view) throws(LedgerError) in try view.findings() }
    // A chain of the same rule, sorted by time, links exactly those that are within a day of the
    // next one; comparing all pairs gives the same groups.
    func isOne(_ left: FindingAnswer, _ right: FindingAnswer) -> Bool {
      guard left.environment == right.environment else { return false }
      if left.position == right.position { return true }
      if left.transaction != nil, left.transaction == right.transaction { return true }
      return left.rule == right.rule && left.account == right.account
        && left.device == right.device && (left.account != nil || left.device != nil)
        && abs(left.occurredAt.microseconds - right.occurredAt.microseconds) <= Instant.day
    }
    var groups = found.map { [$0] }
    var isChanged = true
    while isChanged {
      isChanged = false
      for one in groups.indices.reversed() {
        guard
          let other = groups[..<one].firstIndex(where: { group in
            group.contains { member in groups[one].contains { isOne(member, $0) } }
          })
        else { continue }
        groups[other] += groups.remove(at: one)
        isChanged = true
      }
    }
    func key(_ groups: [[FindingAnswer]]) -> Set<[String]> {
      Set(groups.map { $0.map { "\($0.position) \($0.rule.id) \($0.environment)" }.sorted() })
    }
    let reported = FindingIncident.incidents(of: found)
    #expect(key(reported.map(\.findings)) == key(groups), "seed \(seed)")
    #expect(found.isEmpty || reported.count < found.count, "seed \(seed): nothing belongs together")
  }
}
