import QueueAuditor
import QueueSimulator
import Testing

/// Checks the simulator against an independent statement of the queue's rules.
struct AuditTests {
  @Test("an auditor finds nothing wrong with runs at random", arguments: AppPolicy.all.map(\.name))
  func auditorFinds(policy: String) throws {
    let policy = try #require(AppPolicy.named(policy))
    for file in ScenarioCase.explored {
      for number in 0..<12 { try audit(SimulatedRun(file, policy, number)) }
    }
  }

  @Test("an auditor finds nothing wrong with the scenarios as they are written")
  func auditorFindsNothing() throws {
    for file in ScenarioCase.all {
      for policy in AppPolicy.all { try audit(SimulatedRun(file, policy, nil)) }
    }
  }
}

/// Fails with the auditor's findings and the command that shows the run.
func audit(_ run: SimulatedRun) throws {
  let audited = run.audited
  let violations = audited.violations()
  if audited.isOver {
    for (promise, isKept) in [
      (Promise.delivered, audited.isDelivered()), (.creditedOnce, audited.isCreditedOnce()),
    ] {
      guard let isKept, isKept == run.run.brokenPromises.contains(promise) else { continue }
      Issue.record(
        "\(run.label)\n  \(promise.id): by the events \(isKept ? "kept" : "broken")")
    }
  }
  if violations.isEmpty { return }
  let found = violations.prefix(8).map(\.description).joined(separator: "\n  ")
  Issue.record("\(run.label)\n  \(found)")
}
