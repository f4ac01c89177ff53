import Foundation
import LedgerEvents
import LedgerHistories
import Testing

/// Runs some of the dense random histories through the program; other tests compare the library
/// with all of them.
@Suite(
  "Histories through the command line",
  .enabled(if: Conformance.isPresent, "../shared/histories-2.jsonl stands beside the package"))
struct HistoryTests {
  /// The program's clock cannot be set. A history that depends on the ledger's clock is replayed,
  /// which takes the time from its lines. The others are appended, because for past events today's
  /// clock makes no difference.
  private static let histories: (appended: [Conformance.History], replayed: [Conformance.History]) =
    {
      do {
        let all = try Conformance()?.histories() ?? []
        let some = stride(from: 0, to: all.count, by: 20).map { all[$0] }
        let saysClock = { (history: Conformance.History) in
          history.arrivals.contains { $0.recordedAt != nil }
        }
        return (some.filter { !saysClock($0) }, some.filter(saysClock))
      } catch {
        Issue.record(error)
        return ([], [])
      }
    }()

  @Test("every twentieth history is appended or replayed") func thereAreSome() {
    #expect(Self.histories.appended.count >= 10)
    #expect(Self.histories.replayed.count >= 5)
  }

  @Test("appended as it came, it gives what is expected", arguments: histories.appended.map(\.name))
  func inOrder(_ name: String) throws {
    let history = try #require(Self.histories.appended.first { $0.name == name })
    let ledger = try TestLedger()
    let appended = try append(history.arrivals.map(\.event), to: ledger)
    #expect(appended["appended"] as? Int == history.events.count)
    #expect(appended["duplicates"] as? Int == history.arrivals.count - history.events.count)
    try HistoryComparison(history, history.events).check(ledger)
  }

  @Test("shuffled, it gives the same", arguments: histories.appended.map(\.name))
  func shuffled(_ name: String) throws {
    let history = try #require(Self.histories.appended.first { $0.name == name })
    let ledger = try TestLedger()
    let events = RecordedEvent.shuffled(history.events, seed: 11)
    // In two runs of the program. The first one folds what it appends.
    let half = events.count / 2
    _ = try append(events[..<half].map(\.event), to: ledger)
    #expect(try ledger.run("rebuild").status == 0)
    _ = try append(events[half...].map(\.event), to: ledger)
    try HistoryComparison(history, events).check(ledger)
  }

  @Test(
    "replayed with the clock of its lines, it gives what is expected",
    arguments: histories.replayed.map(\.name))
  func replayed(_ name: String) throws {
    let history = try #require(Self.histories.replayed.first { $0.name == name })
    let folder = try TemporaryFolder()
    let encoder = EventEncoder()
    var lines: [UInt8] = []
    for arrival in history.arrivals {
      encoder.append(arrival, to: &lines)
      lines.append(UInt8(ascii: "\n"))
    }
    try Data(lines).write(to: folder.file("history.jsonl"))
    let answer = try Program.run(["replay", folder.path("history.jsonl"), "--format", "json"])
    #expect(answer.status == 0, "\(answer.errors)")
    let document = try answer.object()
    #expect((document["steps"] as? [Any])?.count == history.events.count)
    let fired = try #require(document["findings"] as? [[String: Any]])
    let held = try #require(document["findingsAtTheEnd"] as? [[String: Any]])
    try HistoryComparison(history, history.events).check(findings: fired + held)
  }

  /// Appends through the program's standard input, and returns its answer.
  private func append(_ events: [Event], to ledger: TestLedger) throws -> [String: Any] {
    let encoder = EventEncoder()
    let lines = events.map { String(decoding: encoder.encode($0), as: UTF8.self) + "\n" }
    let answer = try ledger.run(["append", "--format", "json"], input: lines.joined())
    #expect(answer.status == 0, "\(answer.errors)")
    return try answer.object()
  }
}

/// Compares a history's expectations with the program's answers.
private struct HistoryComparison {
  private let history: Conformance.History
  /// The position in the expectations, by position in the ledger.
  private var expectedPosition: [Int: UInt64] = [:]
  private let arrivesInOrder: Bool
  private let newest: Instant

  /// - Parameter events: The events of the ledger, in order.
  init(_ history: Conformance.History, _ events: [RecordedEvent]) throws {
    self.history = history
    var original: [Name: UInt64] = [:]
    for recorded in history.events { original[recorded.event.id] = recorded.position }
    for (index, recorded) in events.enumerated() {
      expectedPosition[index + 1] = original[recorded.event.id]
    }
    arrivesInOrder = expectedPosition.allSatisfy { UInt64($0.key) == $0.value }
    newest = try #require(history.events.map(\.event.occurredAt).max())
  }

  func check(_ ledger: TestLedger) throws {
    let findings = try ledger.run("findings", "--format", "json")
    #expect(findings.status == 0, "\(findings.errors)")
    try check(findings: findings.objects())
    for (environment, expected) in history.expected {
      for (name, account) in expected.accounts {
        try check(name, account, environment, at: expected.at, ledger)
      }
    }
  }

  /// Checks the findings of every environment: those of an event by position, those of a moment by
  /// number.
  func check(findings: [[String: Any]]) throws {
    for (environment, expected) in history.expected {
      var found: [String: Int] = [:]
      for finding in findings where finding["environment"] as? String == environment.text {
        let rule = try #require(finding["rule"] as? String)
        guard arrivesInOrder || rule != "arrived-late" else { continue }
        let position = expectedPosition[try #require(finding["position"] as? Int)] ?? 0
        let isOfMoment = TraceComparison.momentRules.contains(rule)
        found[isOfMoment ? rule : "\(rule) at \(position)", default: 0] += 1
      }
      var wanted = expected.moment.filter { $0.value > 0 }
      for finding in expected.findings where arrivesInOrder || finding.rule != "arrived-late" {
        wanted["\(finding.rule) at \(finding.position)", default: 0] += 1
      }
      #expect(found == wanted, "\(history.name) in \(environment.text)")
    }
  }

  private func check(
    _ name: Name, _ expected: Conformance.Account, _ environment: StoreEnvironment, at: Instant,
    _ ledger: TestLedger
  ) throws {
    let about = "\(history.name) in \(environment.text), \(name)"
    let whom = [name.text, "--environment", environment.text, "--format", "json"]
    let content = try ledger.run(["installed"] + whom).object()
    var installed: [Name?: [Name: String]] = [:]
    for entry in try #require(content["installed"] as? [[String: Any]]) {
      let device = (entry["device"] as? String).map { Name($0) }
      let product = Name(try #require(entry["product"] as? String))
      installed[device, default: [:]][product] = entry["contentVersion"] as? String
    }
    #expect(installed == expected.installed, "\(about)")
    // A store time folds what had occurred by then. If another environment continues after this
    // one's moment, only what does not depend on the moment can be checked.
    let isWhole = at >= newest
    let answer = try ledger.run(
      ["entitlements"] + whom + (isWhole ? ["--at", at.rfc3339] : [])
    ).object()
    var balances: [Name: Int64] = [:]
    for (unit, amount) in try #require(answer["balances"] as? [String: NSNumber]) {
      balances[Name(unit)] = amount.int64Value
    }
    #expect(balances == expected.balances, "\(about)")
    guard isWhole else { return }
    var states: [Name: String] = [:]
    for entry in try #require(answer["entitlements"] as? [[String: Any]]) {
      if let product = entry["product"] as? String {
        states[Name(product)] = entry["state"] as? String
      }
    }
    #expect(states == expected.states, "\(about)")
    let active = try #require(answer["active"] as? [String])
    #expect(active.map { Name($0) } == expected.active, "\(about)")
  }
}
