import Foundation
import QueueSimulator
import Testing

/// The tests of a few runs, for thousands of runs. `DAYBOOK_LONG=1` tests a million.
struct HeavyRunTests {
  private static let isLong = ProcessInfo.processInfo.environment["DAYBOOK_LONG"] == "1"

  @Test("careful survives thousands of runs", arguments: ScenarioCase.explored)
  func carefulSurvives(file: ScenarioCase) throws {
    try expectCarefulSurvives(
      file, runs: Self.isLong ? 1_000_000 : 20_000, states: Self.isLong ? 1_000_000 : 20_000)
  }

  @Test("auditor and oracle agree with thousands of runs", arguments: AppPolicy.all.map(\.name))
  func auditorOracle(policy: String) throws {
    let policy = try #require(AppPolicy.named(policy))
    for file in ScenarioCase.explored {
      for number in 100..<(Self.isLong ? 10_000 : 200) {
        let run = try SimulatedRun(file, policy, number)
        try audit(run)
        try compareWithOracle(run)
        try compareFacts(file, policy, number)
      }
    }
  }
}
