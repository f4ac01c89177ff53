import Foundation
import Testing

@testable import DaybookRecorder

/// The recorder against the simulated payment queue: what the simulator says that a recorder would
/// write is what this one writes, byte for byte.
@Suite("What the recorder writes of a simulated run") struct SimulatorTests {
  /// The program, from the environment. `Tools/test recorder` sets it.
  static let program = ProcessInfo.processInfo.environment["DAYBOOK_PROGRAM"]

  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let scenarios = tests.deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Tests/Scenarios")

  private func differences(_ run: String) throws -> [String] {
    try SimulatedRun(run).replay().filter { $0.written != $0.simulated }
      .map { "written:   \($0.written)\nsimulated: \($0.simulated)" }
  }

  @Test("equals the runs that are kept here") func kept() throws {
    let folder = Self.tests.appendingPathComponent("Runs")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names.count >= 4)
    for name in names {
      let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      let run = try SimulatedRun(text)
      #expect(run.lines.count > 10)
      #expect(try run.replay().count == run.lines.count)
      let found = try differences(text)
      #expect(found.isEmpty, "\(name): \(found.joined(separator: "\n"))")
    }
  }

  @Test("differs from a run with a name, a field or a number that no callback carries")
  func control() throws {
    let url = Self.tests.appendingPathComponent("Runs/two-maps.jsonl")
    let text = try String(contentsOf: url, encoding: .utf8)
    #expect(try differences(text).isEmpty)
    for (old, new) in [
      // The translator does not pass a payment's name on: the recorder has to find it.
      (
        #""payment":"payment-305718319-2","product":"alps","transaction""#,
        #""payment":"payment-305718319-9","product":"alps","transaction""#
      ),
      (#""type":"transaction.finished""#, #""subtype":"x","type":"transaction.finished""#),
      (#""sequence":20,"#, #""sequence":21,"#),
      (#""source":"app""#, #""source":"storekit1""#),
    ] {
      let changed = text.replacingOccurrences(of: old, with: new)
      #expect(changed != text)
      #expect(try !differences(changed).isEmpty, "\(new)")
    }
  }

  @Test(
    "equals the runs of every scenario with a script, under many seeds",
    .enabled(if: program != nil, "DAYBOOK_PROGRAM names no program"))
  func played() throws {
    let program = try #require(Self.program)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.scenarios.path)
      .filter { $0.hasSuffix(".json") }.sorted()
    var compared = 0
    var runs = 0
    for path in paths {
      let url = Self.scenarios.appendingPathComponent(path)
      let scenario = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
      // Others hold recorded events, which no simulator made.
      guard (scenario as? [String: Any])?["script"] != nil else { continue }
      for seed in path.hasPrefix("explore/") ? 1...12 : 1...2 {
        let output = try Program(program).run(
          ["simulate", url.path, "--seed", "\(seed)"])
        #expect(output.status == 0)
        let found = try differences(output.text)
        #expect(found.isEmpty, "\(path), seed \(seed): \(found.prefix(3).joined(separator: "\n"))")
        compared += try SimulatedRun(output.text).lines.count
        runs += 1
      }
    }
    print("compared \(compared) events of \(runs) runs")
    #expect(runs > 100 && compared > 2_000)
  }
}
