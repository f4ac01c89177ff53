import Foundation
import Testing

/// The simulated queue through the program: processes agree with each other and with what was
/// written down.
struct SimulationTests {
  private static let scenario = "Tests/Scenarios/explore/two-maps.json"

  @Test(arguments: ["careful", "finish-at-once", "latest-answers"])
  func `Two processes simulate the same bytes, which are those of the golden file`(
    policy: String
  ) throws {
    let arguments = ["simulate", Self.scenario, "--policy", policy]
    let one = try Program.run(arguments)
    let other = try Program.run(arguments)
    #expect(one.status == 0, "\(one.errors)")
    #expect(one.output == other.output)
    let golden = try Program.packageFolder()
      .appending(path: "Tests/QueueSimulatorTests/Golden/two-maps.\(policy).jsonl")
    #expect(one.output == String(decoding: try Data(contentsOf: golden), as: UTF8.self))
  }

  @Test func `Two processes explore to the same failure, and its file simulates`() throws {
    let folder = try TemporaryFolder()
    var emitted: [Data] = []
    for name in ["one.json", "other.json"] {
      let file = folder.file(name)
      let outcome = try Program.run([
        "explore", Self.scenario, "--policy", "finish-at-once", "--states", "300", "--shrink",
        "--emit", file.path,
      ])
      #expect(outcome.status == 1, "\(outcome.errors)")
      emitted.append(try Data(contentsOf: file))
    }
    #expect(emitted[0] == emitted[1])
    let run = try Program.run(["simulate", folder.file("one.json").path])
    #expect(run.status == 0, "\(run.errors)")
    #expect(!run.lines.isEmpty)
  }
}
