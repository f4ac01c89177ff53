import Foundation
import LedgerHistories
import LedgerModel
import Testing

@testable import LedgerEvents

/// Whoever changes the results of histories must change the version, because ledgers fold again
/// only if it changes.
@Suite("The reducer's version") struct ReducerVersionTests {
  private static let histories: ClosedRange<UInt64> = 1...60

  /// Returns all results of a history, as lines.
  private func statement(_ seed: UInt64) -> [String] {
    let numbered = NumberedEvents(Histories.dense(seed: seed).map(Self.withNegativeGrants))
    let ledger = InMemoryLedger(folding: numbered.facts, texts: numbered)
    var lines = ledger.findings.map { "\($0)" }
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

  /// Every third catalogue takes credits away, which no history does by itself.
  private static func withNegativeGrants(_ recorded: RecordedEvent) -> RecordedEvent {
    guard recorded.event.type.kind == .catalogSet, recorded.position % 3 == 0 else {
      return recorded
    }
    var recorded = recorded
    for index in recorded.event.data.members.indices {
      let member = recorded.event.data.members[index]
      recorded.event.data.members[index] = .init(
        name: member.name,
        json: Array(
          String(decoding: member.json, as: UTF8.self)
            .replacing(#""credits":5"#, with: #""credits":-5"#).utf8))
    }
    return recorded
  }

  @Test("counts up when any answer changes") func fingerprint() throws {
    var bytes: [UInt8] = []
    for seed in Self.histories {
      for line in statement(seed) { bytes += Array((line + "\n").utf8) }
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
      Some history has another outcome: count Reducer.version up, so that ledgers are folded \
      anew, and write the file anew with UPDATE_GOLDEN=1 swift test --filter ReducerVersionTests.
      """)
  }
}
