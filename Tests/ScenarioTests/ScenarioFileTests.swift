import Foundation
import LedgerEvents
import LedgerHistories
import QueueSimulator
import Testing

/// All files in `Tests/Scenarios`: a new incident is a new file and needs no code.
@Suite("Scenario files") struct ScenarioFileTests {
  static let folder = (packageRoot()?.path ?? ".") + "/Tests/Scenarios"

  /// Returns the paths below the folder, sorted.
  static func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".json") }.sorted()
  }

  static func scenario(_ file: String) throws -> Scenario {
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)"))
    return try Scenario(json: Array(data))
  }

  private static func outcome(_ scenario: Scenario) throws -> ScenarioExpectation {
    let environment = scenario.environment ?? .production
    if !scenario.events.isEmpty {
      return ScenarioExpectation(
        of: scenario.events, recordedAt: scenario.recordedAt, ground: scenario.ground,
        background: scenario.background, in: environment)
    }
    let run = try Simulation(scenario).run()
    #expect(run.omissions == [])
    return run.outcome(in: environment)
  }

  @Test(
    "a scenario has the outcome that it expects",
    arguments: try files().filter { !$0.hasPrefix("explore/") })
  func scenarioComes(file: String) throws {
    let scenario = try Self.scenario(file)
    let expectation = try #require(scenario.expectation, "\(file) expects nothing")
    let differences = expectation.differences(of: try Self.outcome(scenario))
    #expect(differences == [], "\(file): daybook simulate Tests/Scenarios/\(file) --check")
  }

  @Test("a scenario that is written and read again plays the same", arguments: try files())
  func scenarioWritten(file: String) throws {
    let scenario = try Self.scenario(file)
    let again = try Scenario(json: scenario.json)
    #expect(again.json == scenario.json)
    guard scenario.events.isEmpty else { return }
    let (first, second) = (try Simulation(scenario).run(), try Simulation(again).run())
    #expect(first.actions == second.actions)
    #expect(first.events.map(\.id) == second.events.map(\.id))
  }

  @Test("every rule has a file that shows it and a near miss that stays silent") func everyRule()
    throws
  {
    var shown: Set<String> = []
    var spared: Set<String> = []
    for file in try Self.files() {
      guard let expectation = try Self.scenario(file).expectation else { continue }
      let rules = Set(expectation.findings + expectation.findingsAtTheEnd)
      if file.hasPrefix("near-misses/") {
        let rule = String(file.dropFirst("near-misses/".count).dropLast(".json".count))
        #expect(!rules.contains(rule), "\(file) breaks the rule that it is to miss")
        spared.insert(rule)
      } else {
        shown.formUnion(rules)
      }
    }
    let all = Set(ScenarioExpectation.ruleIDs)
    #expect(all.subtracting(shown).sorted() == [], "rules that no file shows")
    #expect(all.subtracting(spared).sorted() == [], "rules without a near miss")
  }
}
