import Foundation
import QueueSimulator

/// A scenario's document, by the name of its file.
struct ScenarioFile {
  let name: String
  let scenario: Scenario

  /// - Throws: `InputProblem`: exit 66 where there is no such file, 65 with the path in the
  ///   document and what was expected where it is no scenario.
  init(_ name: String) throws {
    self.name = name
    let bytes: [UInt8]
    let handle = try FileHandle(readingInput: name, as: "a scenario, one JSON document")
    do {
      bytes = Array(try handle.readToEnd() ?? Data())
      try handle.close()
    } catch {
      throw InputProblem(
        "\(name) cannot be read: \(error.localizedDescription)", exitCode: ExitStatus.inputOutput)
    }
    do throws(ScenarioError) {
      scenario = try Scenario(json: bytes)
    } catch {
      throw InputProblem("\(name): \(error)")
    }
  }

  /// The scenario that the simulator is to play.
  ///
  /// - Throws: `InputProblem` where it is a recording.
  func script() throws -> Scenario {
    guard scenario.events.isEmpty else {
      throw InputProblem(
        "\(name): events: expected a script, found a recording: `daybook replay \(name)` plays it")
    }
    return scenario
  }

  /// Runs a body whose errors speak of this document.
  func reading<Value>(_ body: () throws(ScenarioError) -> Value) throws -> Value {
    do throws(ScenarioError) { return try body() } catch {
      throw InputProblem("\(name): \(error)")
    }
  }
}
