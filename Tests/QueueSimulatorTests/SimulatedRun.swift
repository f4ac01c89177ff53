import Foundation
import LedgerEvents
import LedgerHistories
import QueueAuditor
import Testing

@testable import QueueSimulator

/// A scenario of `Tests/Scenarios` that the simulator can play.
struct ScenarioCase: Sendable, CustomTestStringConvertible {
  /// The path below `Tests/Scenarios`.
  let name: String
  let scenario: Scenario

  var testDescription: String { name }

  /// All scenarios with a script, in the order of their names.
  static let all: [ScenarioCase] = read { _ in true }

  /// The scenarios from which explorations start.
  static let explored: [ScenarioCase] = all.filter { $0.name.hasPrefix("explore/") }

  private static func read(_ isWanted: (String) -> Bool) -> [ScenarioCase] {
    guard let folder = packageRoot()?.appending(path: "Tests/Scenarios") else { return [] }
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    var cases: [ScenarioCase] = []
    for path in (paths ?? []).sorted() where path.hasSuffix(".json") && isWanted(path) {
      do {
        let data = try Data(contentsOf: folder.appending(path: path))
        let scenario = try Scenario(json: Array(data))
        if !scenario.script.isEmpty { cases.append(ScenarioCase(name: path, scenario: scenario)) }
      } catch {
        preconditionFailure("\(path) does not read: \(error)")
      }
    }
    return cases
  }
}

/// A run to test: one by the clock, or a random one.
struct SimulatedRun {
  let file: ScenarioCase
  let policy: AppPolicy
  /// The number of a random run; `nil` for a run by the clock.
  let number: Int?
  var options = Exploration.Options()
  let run: Simulation.Run

  init(_ file: ScenarioCase, _ policy: AppPolicy, _ number: Int?) throws {
    self.file = file
    self.policy = policy
    self.number = number
    let simulation = try Simulation(file.scenario, policy: policy)
    if let number {
      // Some runs have few faults, some have many.
      options.faults = [4, 1, 12][number % 3]
      options.actionCountMax = number % 2 == 0 ? 160 : 400
      options.faultInterval = number % 4 == 3 ? 3 : 8
      run = simulation.run(atRandom: number, options: options)
    } else {
      run = simulation.run()
    }
  }

  /// Creates a run that was already played.
  init(_ file: ScenarioCase, _ policy: AppPolicy, played run: Simulation.Run) {
    self.file = file
    self.policy = policy
    self.run = run
    number = nil
  }

  /// The run with its actions, as a scenario that reproduces it.
  var scenario: Scenario {
    get throws {
      var scenario = file.scenario
      scenario.policy = policy.name
      scenario.expectation = nil
      guard let number else { return scenario }
      let cast = Cast(scenario, policy: policy, seed: scenario.seed)
      scenario.seed = Play.atRandom(number, cast, options).seed
      scenario.schedule = run.actions.map(\.text)
      return scenario
    }
  }

  /// The names of the faults in the run.
  var faults: Set<String> {
    var faults = Set(run.actions.filter(\.verb.isFault).map(\.verb.rawValue))
    for entry in file.scenario.script {
      switch entry.command {
      case .fault(let action): faults.insert(action.verb.rawValue)
      case .decline: faults.insert("decline")
      case .buy(_, _, _, .failed): faults.insert("refuse-payment")
      case .buy(_, _, _, .cancelled): faults.insert("cancel")
      case .buy(_, _, _, .interrupted): faults.insert("interrupt-payment")
      case .buy(_, _, _, .restored): faults.insert("answer-as-restored")
      default: break
      }
    }
    return faults
  }

  var audited: AuditedRun {
    AuditedRun(
      events: run.events, policy: policy.name, faults: faults,
      boughtBefore: Set(file.scenario.owned.map { file.scenario.products[$0.product].name }),
      isOver: number != nil)
  }

  /// The events that a ledger has of the run. An event that is repeated under its id is only
  /// acknowledged.
  var recorded: [RecordedEvent] {
    RecordedEvent.appended(run.events.map { EventInput(event: $0) })
  }

  /// The text for a failing test: which run it is, and the command that shows it.
  var label: String {
    var label = "\(file.name), \(policy.name), "
    label += number.map { "run \($0) at random" } ?? "by the clock"
    do {
      let file = FileManager.default.temporaryDirectory
        .appending(path: "daybook-run-\(policy.name)-\(number ?? -1).json")
      try Data(try scenario.json).write(to: file)
      return label + ". Shown by: daybook replay \(file.path)"
    } catch {
      return label + ", which cannot be written: \(error)"
    }
  }
}
