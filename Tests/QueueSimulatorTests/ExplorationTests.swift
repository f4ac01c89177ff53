import Foundation
import LedgerEvents
import LedgerHistories
import LedgerModel
import ModelComparison
import Testing

@testable import QueueSimulator

/// Every policy except `careful` is caught, by a run that can be shown again. The scenarios'
/// `PolicyTests` check by which rule, and in how few events.
struct ExplorationTests {
  private static let careless = AppPolicy.all.map(\.name).filter { $0 != "careful" }

  /// What costs nobody money or content, and is no more than a warning.
  private static let warnings: Set<String> = [
    "download-everything", "never-finish", "purchased-only",
  ]

  /// Where a policy is caught that does nothing wrong with two maps.
  private static let files = [
    "old-answers": "bought-again", "purchased-only": "bought-again",
    "signed-in-gets-it": "one-tablet-two-customers",
  ]

  @Test("an exploration catches every policy but careful, and shows how", arguments: careless)
  func explorationCatches(policy: String) throws {
    let name = "explore/\(Self.files[policy] ?? "two-maps").json"
    let file = try #require(ScenarioCase.all.first { $0.name == name })
    var options = Exploration.Options()
    options.stateCountMax = 300
    options.runCountMax = 3_000
    options.severity = Self.warnings.contains(policy) ? .warning : .critical
    let exploration = try Exploration(
      file.scenario, policy: #require(AppPolicy.named(policy)), options: options)
    let outcome = exploration.run()
    let again =
      "daybook explore Tests/Scenarios/\(file.name) --policy \(policy) --states 300 "
      + "--severity \(options.severity.text) --shrink"
    let failure = try #require(outcome.failure, "\(policy) survives: \(again)")
    let shrunk = try #require(exploration.shrunk(failure), "\(policy): \(again)")
    let read = try Scenario(json: shrunk.json)
    let run = try Simulation(shrunk).run()
    let second = try Simulation(read).run()
    let encoder = EventEncoder()
    #expect(run.events.map { encoder.encode($0) } == second.events.map { encoder.encode($0) })
    // A shrunk run may break another rule of the same severity.
    let wanted = Set(Rule.allCases.filter { $0.severity >= options.severity }.map(\.id))
      .union(Promise.allCases.map(\.id))
    #expect(!wanted.isDisjoint(with: breaches(second)), "\(policy): \(again)")
    try audit(shrunk, policy, second)
  }

  /// Returns the rules and promises that a run breaks, by the reducer on its written events.
  private func breaches(_ run: Simulation.Run) -> Set<String> {
    let ledger = FoldedLedger(
      RecordedEvent.appended(run.events.map { EventInput(event: $0) })
    ).folded
    var ids = Set(ledger.findings.map(\.rule.id) + run.brokenPromises.map(\.id))
    for environment in StoreEnvironment.allCases {
      guard let moment = ledger.newestEvent(in: environment) else { continue }
      ids.formUnion(ledger.findings(at: moment, in: environment).map(\.rule.id))
    }
    return ids
  }

  /// A shrunk run follows the queue's rules, too.
  private func audit(_ shrunk: Scenario, _ policy: String, _ run: Simulation.Run) throws {
    let file = ScenarioCase(name: "\(policy), shrunk", scenario: shrunk)
    try QueueSimulatorTests.audit(
      SimulatedRun(file, #require(AppPolicy.named(policy)), played: run))
  }

  @Test("an exploration finds the same failure after the same runs each time")
  func explorationFinds() throws {
    let file = try #require(ScenarioCase.explored.first)
    let exploration = try Exploration(
      file.scenario, policy: #require(AppPolicy.named("finish-before-copy")))
    let one = exploration.run()
    let other = exploration.run()
    #expect(one.failure == other.failure)
    #expect(one.progress == other.progress)
    #expect(one.counts == other.counts)
  }

  @Test("careful installs no version over a newer one") func carefulInstalls() throws {
    let file = try #require(ScenarioCase.all.first { $0.name == "explore/new-version.json" })
    var options = Exploration.Options()
    options.stateCountMax = 5_000
    options.runCountMax = 3_000
    options.breaches = [.rule(.installDowngraded)]
    let outcome = try Exploration(file.scenario, policy: .careful, options: options).run()
    let events = try outcome.failure.map { failure in
      try Simulation(
        Exploration(file.scenario, policy: .careful, options: options).scenario(of: failure)
      ).run().events.map { "\($0.type.text) \($0.transaction?.text ?? "")" }
    }
    #expect(outcome.failure == nil, "\(events ?? [])")
    #expect(outcome.progress.runs >= options.runCountMax)
  }

  @Test("a search says which faults, commands and events it never reached") func searchSays() throws
  {
    let scenario = try Scenario(
      json: Array(
        """
        {"title": "t", "products": [{"product": "map", "downloads": ["map"]}], "script": [
          {"at": "PT0S", "do": "launch"}, {"at": "PT1S", "do": "approve"},
          {"at": "PT2S", "do": "buy"}, {"on": "payment.added", "nth": 3, "do": "kill"},
          {"at": "PT9S", "do": "quit"}]}
        """.utf8))
    var options = Exploration.Options()
    options.stateCountMax = 50
    options.runCountMax = 200
    let outcome = try Exploration(scenario, policy: .careful, options: options).run()
    let unreached = outcome.unreached
    #expect(outcome.failure == nil)
    // There is one customer and nothing that could be restored twice or restored for a payment.
    #expect(unreached.faults.contains(.switchAccount))
    #expect(unreached.faults.contains(.switchAppleID))
    #expect(!unreached.faults.contains(.kill))
    #expect(!unreached.faults.contains(.failDownload))
    #expect(!unreached.faults.contains(.app))
    #expect(unreached.commands.map(\.index) == [1, 3, 4])
    #expect(unreached.commands.first?.reason.contains("waiting for approval") == true)
    #expect(
      unreached.commands.dropFirst().first?.reason
        == "it waits for event 3 of type payment.added, and no run had more than 1")
    #expect(unreached.commands.last?.reason == "no run came as far as this command")
    #expect(unreached.nearRules.contains(.finishedBeforeDownload))
    #expect(unreached.farRules.contains(.fulfilledTwice))
    #expect(unreached.impossibleRules.contains(.clockAhead))
    let broken = Set(outcome.counts.keys)
    #expect(broken.contains(.rule(.redelivered)))
    let rules = unreached.nearRules + unreached.farRules + unreached.impossibleRules
    #expect(Set(rules).count == rules.count)
    #expect(
      Set(rules.map { Breach.rule($0) }).union(broken)
        .isSuperset(of: Rule.allCases.map { Breach.rule($0) }))
    #expect(rules.allSatisfy { !broken.contains(.rule($0)) })
  }

  @Test("no search breaks a rule that it says no run can break") func noSearch() throws {
    for file in ScenarioCase.explored {
      var options = Exploration.Options()
      options.stateCountMax = 100
      options.runCountMax = 100
      options.breaches = [.promise(.creditedOnce)]
      for policy in AppPolicy.all {
        let outcome = try Exploration(file.scenario, policy: policy, options: options).run()
        for rule in Self.impossible {
          #expect(outcome.counts[.rule(rule)] == nil, "\(rule.id): \(file.name), \(policy.name)")
        }
        #expect(Set(outcome.unreached.impossibleRules) == Self.impossible)
      }
    }
  }

  private static let impossible: Set<Rule> = [
    .paymentNotAllowed, .invalidProduct, .fulfilledUnpurchased, .digestMismatch,
    .backupNotExcluded, .restoredWithoutOriginal, .failedWithoutError, .hostedContentUnsupported,
    .environmentMixed, .arrivedLate, .clockAhead, .clockStepped,
  ]

  @Test("worlds that differ only in where a restore began are different states")
  func restoreStart() throws {
    let file = try #require(ScenarioCase.explored.first)
    let cast = Cast(file.scenario, policy: .careful, seed: 1)
    let world = World(cast, random: SplitMix(seed: 1), drawsProgress: false, faults: 0)
    var other = world
    other.devices[0].restoreStart = 1
    #expect(world.fingerprint != other.fingerprint)
  }

  @Test("careful survives") func carefulSurvives() throws {
    for file in ScenarioCase.explored {
      try expectCarefulSurvives(file, runs: 300, states: 500)
    }
  }
}

/// Fails if `careful` breaks something critical, and shows how to reproduce it.
func expectCarefulSurvives(_ file: ScenarioCase, runs: Int, states: Int) throws {
  var options = Exploration.Options()
  options.runCountMax = runs
  options.stateCountMax = states
  let outcome = try Exploration(file.scenario, policy: .careful, options: options).run()
  guard let failure = outcome.failure else {
    #expect(outcome.progress.runs >= runs)
    return
  }
  Issue.record(
    """
    \(file.name): careful breaks \(failure.breaches.map(\.id).joined(separator: ", ")) in run \
    \(failure.run): daybook explore Tests/Scenarios/\(file.name) --policy careful --states \
    \(states) --runs \(runs) --shrink
    """)
}
