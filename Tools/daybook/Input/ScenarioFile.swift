import Foundation
import LedgerEvents
import QueueSimulator

/// A scenario's document, by the name of its file.
struct ScenarioFile {
  let name: String
  let scenario: Scenario

  /// - Throws: `InputProblem`: exit 66 if there is no such file; 65, with the path in the document
  ///   and what was expected, if it is not a scenario.
  init(_ name: String) throws {
    self.name = name
    let bytes = try FileHandle.readInput(
      name, as: "a scenario, one JSON document", bytesMax: ScenarioLimits.sizeBytesMax)
    do throws(ScenarioError) {
      scenario = try Scenario(json: bytes)
    } catch {
      throw InputProblem("\(name): \(error)")
    }
  }

  /// The scenario that the simulator is to play.
  ///
  /// - Throws: `InputProblem` if it is a recording.
  func script() throws -> Scenario {
    guard scenario.events.isEmpty else {
      throw InputProblem(
        "\(name): events: expected a script, found a recording: `daybook replay \(name)` plays it")
    }
    return scenario
  }

  /// Plays the scenario: the simulator runs a script, and a recording is taken as it is.
  ///
  /// What did not happen of a script is also reported on standard error.
  func play(policy: AppPolicy? = nil, seed: UInt64? = nil) throws -> PlayedScenario {
    let environment = scenario.environment ?? .production
    if !scenario.events.isEmpty {
      guard policy == nil && seed == nil else {
        throw InputProblem(
          "\(name): events: expected a script, found a recording, which no policy or seed changes")
      }
      return PlayedScenario(
        events: scenario.events, recordedAt: scenario.recordedAt,
        outcome: ScenarioExpectation(
          of: scenario.events, recordedAt: scenario.recordedAt, ground: scenario.ground,
          background: scenario.background, in: environment), omissions: [])
    }
    let run = try reading { () throws(ScenarioError) in
      try Simulation(scenario, policy: policy, seed: seed)
    }.run()
    for omission in run.omissions {
      Console.complain("daybook: \(name): \(omission)".printable)
    }
    return PlayedScenario(
      events: run.events, recordedAt: [], outcome: run.outcome(in: environment),
      omissions: run.omissions)
  }

  /// Runs a body whose errors are about this document.
  func reading<Value>(_ body: () throws(ScenarioError) -> Value) throws -> Value {
    do throws(ScenarioError) { return try body() } catch {
      throw InputProblem("\(name): \(error)")
    }
  }
}

/// The events of a scenario and their outcome.
struct PlayedScenario {
  let events: [Event]
  /// The time of recording of each event, if a recording states it.
  let recordedAt: [Instant?]
  let outcome: ScenarioExpectation
  /// What did not happen of the script or the schedule.
  let omissions: [String]
}
