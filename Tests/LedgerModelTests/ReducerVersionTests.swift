import Foundation
import LedgerHistories
import LedgerModel
import Testing

@testable import LedgerEvents

/// Whoever changes the results of histories must change the version, because ledgers fold again
/// only if it changes.
///
/// The golden file has the version and a fingerprint of the results. If the reducer gives another
/// result for some history, count `Reducer.version` up and write the file again with
/// `UPDATE_GOLDEN=1`. If only this test changed, because it asks about more or folds other
/// histories, the version stays: delete the file first, so that it is written again.
@Suite("The reducer's version") struct ReducerVersionTests {
  private static let histories: ClosedRange<UInt64> = 1...60

  /// Returns all results of a history, as lines.
  private func statement(_ history: [RecordedEvent]) -> [String] {
    let numbered = NumberedEvents(history)
    let ledger = InMemoryLedger(folding: numbered.facts, texts: numbered)
    var lines = ledger.findings.map { "\($0)" }
    // Across environments, the best grantor of a product counts.
    let all = EnvironmentSet(StoreEnvironment.allCases)
    if let newest = StoreEnvironment.allCases.compactMap({ ledger.newestEvent(in: $0) }).max() {
      for unit in ledger.units {
        for account in unit.knownAccounts {
          let answer = ledger.answer(.account(account), environments: all, at: newest)
          lines.append("\(account) \(answer)")
        }
      }
    }
    for environment in StoreEnvironment.allCases {
      let only = EnvironmentSet(environment)
      guard let newest = ledger.newestEvent(in: environment) else { continue }
      lines += ledger.findings(at: newest, in: environment).map { "\($0)" }
      for unit in ledger.units {
        for account in unit.knownAccounts {
          let subject = Subject.account(account)
          lines.append("\(account) \(ledger.answer(subject, environments: only, at: newest))")
          lines += unit.installed(subject, environments: only).map { "\($0)" }
          lines += unit.standings(of: subject, environments: only).map { "\($0)" }
        }
      }
    }
    return lines
  }

  /// Every second catalogue takes credits away, which no history does by itself.
  private static func withNegativeGrants(_ recorded: RecordedEvent) -> RecordedEvent {
    guard recorded.event.type.kind == .catalogSet, recorded.position % 2 == 0 else {
      return recorded
    }
    var recorded = recorded
    for index in recorded.event.data.members.indices {
      let member = recorded.event.data.members[index]
      recorded.event.data.members[index] = .init(
        name: member.name,
        json: Array(
          String(decoding: member.json, as: UTF8.self)
            .replacing(#""credits":"#, with: #""credits":-"#).utf8))
    }
    return recorded
  }

  private static func history(_ seed: UInt64) -> [RecordedEvent] {
    Histories.dense(seed: seed).map(withNegativeGrants)
  }

  @Test("depends on how credits are taken away") func negativeGrants() {
    #expect(
      Self.histories.contains { seed in
        statement(Self.history(seed)) != statement(Histories.dense(seed: seed))
      })
  }

  @Test("counts up when any answer changes") func fingerprint() throws {
    var bytes: [UInt8] = []
    for seed in Self.histories {
      for line in statement(Self.history(seed)) { bytes += Array((line + "\n").utf8) }
    }
    let found = "\(Reducer.version) \(String(XXH64.hash(bytes.span), radix: 16))\n"
    let page = try #require(packageRoot())
      .appending(path: "Tests/LedgerModelTests/Golden/reducer.txt")
    let known =
      FileManager.default.fileExists(atPath: page.path)
      ? try String(contentsOf: page, encoding: .utf8) : ""
    let isCounted = known.split(separator: " ").first != found.split(separator: " ").first
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1", isCounted {
      return try Data(found.utf8).write(to: page)
    }
    #expect(
      found == known,
      """
      The results of some history changed: count Reducer.version up, so that ledgers are folded \
      again, and write the file with UPDATE_GOLDEN=1 swift test --filter ReducerVersionTests.
      """)
  }
}
