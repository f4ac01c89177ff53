import Foundation
import LedgerHistories
import LedgerModel
import QueueSimulator
import Testing

/// The rule that catches each policy, as in `docs/simulator.md`.
/// `UPDATE_GOLDEN=1 swift test --filter PolicyTests` updates it.
@Suite("The policies of apps") struct PolicyTests {
  /// The scenario in which a policy is caught, and the rule if nothing critical breaks.
  private struct Hunt {
    var file = "two-maps"
    var breach: Breach?
    var faults = 4
    /// The most events of the shrunk run, the catalogue among them.
    var eventCountMax = 16
  }

  private static let hunts: [String: Hunt] = [
    // A storm on the network is a warning, because nobody loses anything.
    "download-everything": Hunt(file: "shelf", breach: .rule(.restoreStorm)),
    // Faults leave transactions open, too.
    "never-finish": Hunt(file: "shelf", breach: .rule(.neverFinished), faults: 0),
    // The guide is there on another device.
    "purchased-only": Hunt(
      file: "bought-again", breach: .rule(.neverFinished), eventCountMax: 18),
    // What is taken away has to be bought, downloaded, installed and restored first.
    "restore-is-all": Hunt(eventCountMax: 28),
    "old-answers": Hunt(file: "bought-again"),
    "signed-in-gets-it": Hunt(file: "one-tablet-two-customers"),
  ]

  private struct Catch {
    var policy: AppPolicy
    var breach: Breach
    var file: String
    var eventCount: Int
    var runs: Int
  }

  private static func hunt(_ policy: AppPolicy) throws -> Catch {
    let hunt = hunts[policy.name] ?? Hunt()
    let scenario = try ScenarioFileTests.scenario("explore/\(hunt.file).json")
    var options = Exploration.Options()
    options.faults = hunt.faults
    options.faultsWhereAll = min(hunt.faults, 1)
    options.stateCountMax = 500
    if let breach = hunt.breach { options.breaches = [breach] }
    let exploration = try Exploration(scenario, policy: policy, options: options)
    let outcome = exploration.run()
    let failure = try #require(outcome.failure, "\(policy.name) was not caught")
    let shrunk = try #require(exploration.shrunk(failure), "\(policy.name) cannot be shown again")
    let run = try Simulation(shrunk).run()
    let expectation = ScenarioExpectation(of: run.events)
    let shown = Set(expectation.findings + expectation.findingsAtTheEnd)
      .union(run.brokenPromises.map(\.id))
    let breach = try #require(
      failure.breaches.first { shown.contains($0.id) }, "\(policy.name): \(failure.breaches)")
    return Catch(
      policy: policy, breach: breach, file: hunt.file, eventCount: run.events.count,
      runs: outcome.progress.runs)
  }

  @Test("every policy but the careful one is caught in a short run") func everyPolicy() throws {
    var lines = [
      "| policy | does | caught by | severity | scenario | after runs | events |",
      "| --- | --- | --- | --- | --- | --: | --: |",
    ]
    for policy in AppPolicy.all where policy != .careful {
      let found = try Self.hunt(policy)
      let eventCountMax = (Self.hunts[policy.name] ?? Hunt()).eventCountMax
      #expect(found.eventCount <= eventCountMax, "\(policy.name): \(found.eventCount) events")
      if Self.hunts[policy.name]?.breach == nil { #expect(found.breach.severity == .critical) }
      let cells = [
        "`\(policy.name)`", policy.summary, "`\(found.breach.id)`", found.breach.severity.text,
        found.file, "\(found.runs)", "\(found.eventCount)",
      ]
      lines.append("| \(cells.joined(separator: " | ")) |")
    }
    try compare(lines.joined(separator: "\n") + "\n")
  }

  private func compare(_ table: String) throws {
    let root = try #require(packageRoot())
    let page = root.appending(path: "docs/simulator.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- policies -->\n"))
    let stop = try #require(text.range(of: "<!-- end of policies -->"))
    let shown = text.replacingCharacters(in: start.upperBound..<stop.lowerBound, with: table)
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(shown.utf8).write(to: page)
    }
    #expect(
      shown == (try String(contentsOf: page, encoding: .utf8)),
      "docs/simulator.md shows something else: write it anew with UPDATE_GOLDEN=1")
  }
}
