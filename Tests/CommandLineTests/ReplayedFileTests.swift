import Foundation
import LedgerHistories
import Testing

/// Runs `replay` on whole files: every scenario of the suite, and every trace beside the package.
@Suite("Replayed files") struct ReplayedFileTests {
  private static let scenarios = (packageRoot()?.path ?? ".") + "/Tests/Scenarios"

  static func scenarioFiles() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: scenarios)
      .filter { $0.hasSuffix(".json") && !$0.hasPrefix("explore/") }.sorted()
  }

  private func rules(_ document: [String: Any], _ member: String) throws -> [String] {
    try #require(document[member] as? [[String: Any]]).compactMap { $0["rule"] as? String }.sorted()
  }

  @Test("a scenario's replay finds what the scenario expects", arguments: try scenarioFiles())
  func scenario(_ file: String) throws {
    let path = "\(Self.scenarios)/\(file)"
    let replayed = try Program.run(["replay", path, "--format", "json"])
    #expect(replayed.status == 0, "\(replayed.errors)")
    let found = try replayed.object()
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
    let scenario = try #require(json as? [String: Any])
    let expected = try #require(scenario["expect"] as? [String: Any])
    for member in ["findings", "findingsAtTheEnd"] {
      let rules = try rules(found, member)
      #expect(rules == (expected[member] as? [String] ?? []).sorted(), "\(member)")
    }
    #expect((found["steps"] as? [Any])?.isEmpty == false)
  }

  @Test(
    "a trace's replay finds what the trace expects",
    .enabled(if: Conformance.isPresent, "skipped: no ../shared beside the package"))
  func traces() throws {
    for trace in try #require(Conformance()).traces() {
      let path = "../shared/traces/\(trace.name).jsonl"
      let replayed = try Program.run(["replay", path, "--format", "json"])
      #expect(replayed.status == 0, "\(replayed.errors)")
      let found = try replayed.object()
      #expect(try rules(found, "findings") == trace.findings.sorted(), "\(trace.name)")
      #expect(
        try rules(found, "findingsAtTheEnd") == trace.findingsAtTheEnd.sorted(), "\(trace.name)")
    }
  }
}
