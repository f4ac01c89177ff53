import Foundation
import LedgerEvents
import LedgerHistories
import Testing

@testable import QueueSimulator

/// The same scenario, policy and seed give the same bytes, in any process and from a file.
struct ReproductionTests {
  @Test("a run that is played twice gives the same bytes") func runPlayed() throws {
    for file in ScenarioCase.explored {
      for policy in AppPolicy.all {
        #expect(
          bytes(try Simulation(file.scenario, policy: policy).run().events)
            == bytes(try Simulation(file.scenario, policy: policy).run().events))
        #expect(
          bytes(try SimulatedRun(file, policy, 3).run.events)
            == bytes(try SimulatedRun(file, policy, 3).run.events))
      }
    }
  }

  @Test("another seed gives another run") func anotherSeed() throws {
    for file in ScenarioCase.explored {
      let one = try Simulation(file.scenario, seed: 1)
      let other = try Simulation(file.scenario, seed: 2)
      #expect(
        text(one.run().events, of: one.cast) != text(other.run().events, of: other.cast),
        "\(file.name)")
    }
  }

  @Test(
    "a run that is written as a scenario and read again is the same run",
    arguments: AppPolicy.all.map(\.name))
  func runWritten(
    policy: String
  ) throws {
    let policy = try #require(AppPolicy.named(policy))
    for file in ScenarioCase.explored {
      for number in 0..<3 {
        let run = try SimulatedRun(file, policy, number)
        let original = Cast(file.scenario, policy: policy, seed: file.scenario.seed)
        let again = try Simulation(Scenario(json: try run.scenario.json))
        #expect(
          text(again.run().events, of: again.cast) == text(run.run.events, of: original),
          "\(run.label)")
        #expect(again.run().brokenPromises == run.run.brokenPromises, "\(run.label)")
      }
    }
  }

  @Test("a scenario that is written and read again is written the same") func scenarioWritten()
    throws
  {
    for file in ScenarioCase.all {
      let json = file.scenario.json
      #expect(try Scenario(json: json).json == json, "\(file.name)")
      #expect(
        bytes(try Simulation(Scenario(json: json)).run().events)
          == bytes(try Simulation(file.scenario).run().events), "\(file.name)")
    }
  }

  private func bytes(_ events: [Event]) -> [[UInt8]] { events.map { EventEncoder().encode($0) } }

  /// Returns the text without the parts of identifiers that depend on the scenario and the seed.
  private func text(_ events: [Event], of cast: Cast) -> String {
    bytes(events).map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
      .replacing(cast.stamp, with: "*")
  }
}

/// The recorded results of runs. Debug and release builds and other machines must reproduce them to
/// the byte.
struct GoldenRunTests {
  @Test(
    "a scenario gives the bytes that it always gave",
    arguments: ["careful", "finish-at-once", "latest-answers"])
  func scenarioGives(policy: String) throws {
    let file = try #require(ScenarioCase.all.first { $0.name == "explore/two-maps.json" })
    let run = try SimulatedRun(file, #require(AppPolicy.named(policy)), nil)
    let lines = run.run.events.map {
      String(decoding: EventEncoder().encode($0), as: UTF8.self) + "\n"
    }
    try Golden.compare(lines.joined(), with: "two-maps.\(policy).jsonl")
  }

  @Test("runs at random give the bytes that they always gave") func runsAt() throws {
    var table = ""
    for file in ScenarioCase.explored
    where ["explore/two-maps.json", "explore/two-customers.json"].contains(file.name) {
      for policy in AppPolicy.all {
        for number in [0, 1, 7] {
          let run = try SimulatedRun(file, policy, number).run
          var hash = FowlerNollVo()
          for event in run.events { for byte in EventEncoder().encode(event) { hash.feed(byte) } }
          for promise in run.brokenPromises { for byte in promise.id.utf8 { hash.feed(byte) } }
          table += "\(file.name) \(policy.name) \(number): \(run.actions.count) actions, "
          table += "\(run.events.count) events, \(String(hash.value, radix: 16))\n"
        }
      }
    }
    try Golden.compare(table, with: "runs.txt")
  }
}

/// FNV-1a, 64 bits: a hash for comparing bytes, the same on every machine.
private struct FowlerNollVo {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func feed(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
}

enum Golden {
  /// Fails if a text differs from the file with that name. `UPDATE_GOLDEN=1` updates it.
  static func compare(_ text: String, with name: String) throws {
    let url = try #require(packageRoot())
      .appending(path: "Tests/QueueSimulatorTests/Golden/\(name)")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(text.utf8).write(to: url)
      return
    }
    let expected = String(decoding: try Data(contentsOf: url), as: UTF8.self)
    if text == expected { return }
    let lines = text.split(separator: "\n")
    let expectedLines = expected.split(separator: "\n")
    let difference = zip(lines, expectedLines).enumerated().first { $1.0 != $1.1 }
    Issue.record(
      """
      \(name): \(lines.count) lines, expected \(expectedLines.count); they part at line \
      \(difference.map { $0.offset + 1 } ?? min(lines.count, expectedLines.count) + 1):
        \(difference?.element.0 ?? "")
        \(difference?.element.1 ?? "")
      If that is wanted: UPDATE_GOLDEN=1 swift test --filter GoldenRunTests
      """)
  }
}
