import Foundation
import LedgerEvents
import LedgerHistories
import Testing

/// The recorded incidents, through the program: what it answers is exactly what stands beside each.
@Suite("Traces through the command line") struct TraceTests {
  private static let conformance: [Conformance.Trace] = {
    do { return try Conformance()?.traces() ?? [] } catch {
      Issue.record(error)
      return []
    }
  }()

  private static let samples: [Conformance.Trace] = {
    do {
      guard let root = packageRoot() else { return [] }
      return try Conformance.traces(in: root.appending(path: "Tools/samples/incidents"))
    } catch {
      Issue.record(error)
      return []
    }
  }()

  @Test("a trace of the conformance data in one batch", arguments: conformance.map(\.name))
  func together(_ name: String) throws {
    try check(try #require(Self.conformance.first { $0.name == name }), in: "../shared/traces")
  }

  @Test("a trace of the conformance data, event by event", arguments: conformance.map(\.name))
  func singly(_ name: String) throws {
    let trace = try #require(Self.conformance.first { $0.name == name })
    let ledger = try TestLedger()
    let encoder = EventEncoder()
    for arrival in trace.arrivals {
      let line = String(decoding: encoder.encode(arrival.event), as: UTF8.self)
      let appended = try ledger.run("append", input: line)
      #expect(appended.status == 0, "\(appended.errors)")
    }
    try TraceComparison(trace, ledger).check("singly")
  }

  @Test("an incident of the project", arguments: samples.map(\.name))
  func sample(_ name: String) throws {
    try check(
      try #require(Self.samples.first { $0.name == name }), in: "Tools/samples/incidents")
  }

  @Test("there is conformance data", .enabled(if: Conformance.isPresent))
  func thereIsData() { #expect(Self.conformance.count >= 10) }

  @Test("there are incidents") func thereAreIncidents() { #expect(Self.samples.count >= 59) }

  private func check(_ trace: Conformance.Trace, in folder: String) throws {
    let ledger = try TestLedger()
    let appended = try ledger.run("append", "\(folder)/\(trace.name).jsonl", "--format", "json")
    #expect(appended.status == 0, "\(appended.errors)")
    #expect(try appended.object()["appended"] as? Int == trace.events.count)
    try TraceComparison(trace, ledger).check("live")
    #expect(try ledger.run("rebuild").status == 0)
    try TraceComparison(trace, ledger).check("rebuilt")
    let verified = try ledger.run("verify")
    #expect(verified.status == 0, "\(verified.output)")
  }
}

/// A trace's expectations against what the program answers.
struct TraceComparison {
  /// The rules that hold at a moment (`findings.md`, second table).
  private static let momentRules: Set<String> = [
    "never-finished", "payment-unanswered", "download-stalled", "undelivered",
    "install-interrupted", "restore-unanswered",
  ]

  private let trace: Conformance.Trace
  private let ledger: TestLedger
  private let newest: String

  init(_ trace: Conformance.Trace, _ ledger: TestLedger) {
    self.trace = trace
    self.ledger = ledger
    newest = trace.events.map(\.event.occurredAt).max()?.rfc3339 ?? ""
  }

  /// Asks with and without the store's clock: the first folds what had occurred by then, the second
  /// reads the projections.
  func check(_ how: String) throws {
    for clock in [["--at", newest], []] {
      let about = "\(trace.name), \(how), \(clock.first ?? "now")"
      try checkFindings(clock, about)
      try checkInstalled(clock, about)
      try checkEntitlements(clock, about)
    }
  }

  private func checkFindings(_ clock: [String], _ about: String) throws {
    let answer = try ledger.run(["findings", "--format", "json"] + clock)
    let rules = try answer.objects().compactMap { $0["rule"] as? String }
    let (moment, fired) = (
      rules.filter(Self.momentRules.contains), rules.filter { !Self.momentRules.contains($0) }
    )
    #expect(fired.sorted() == trace.findings.sorted(), "\(about)")
    #expect(moment.sorted() == trace.findingsAtTheEnd.sorted(), "\(about)")
  }

  private func checkInstalled(_ clock: [String], _ about: String) throws {
    let answer = try ledger.run(["installed", trace.account.text, "--format", "json"] + clock)
    let entries = try #require(try answer.object()["installed"] as? [[String: Any]])
    var installed: [Name?: [Name: String]] = [:]
    for entry in entries {
      let device = (entry["device"] as? String).map { Name($0) }
      let product = Name(try #require(entry["product"] as? String))
      installed[device, default: [:]][product] = entry["contentVersion"] as? String
    }
    #expect(installed == trace.installed, "\(about)")
  }

  private func checkEntitlements(_ clock: [String], _ about: String) throws {
    let answer = try ledger.run(["entitlements", trace.account.text, "--format", "json"] + clock)
      .object()
    var balances: [Name: Int64] = [:]
    for (unit, amount) in try #require(answer["balances"] as? [String: NSNumber]) {
      balances[Name(unit)] = amount.int64Value
    }
    #expect(balances == trace.balances, "\(about)")
    #expect(answer["known"] as? Bool == true, "\(about)")
    // Without a store time states are judged now, when what was bought may have run out.
    guard !clock.isEmpty else { return }
    let active = try #require(answer["active"] as? [String])
    var states: [Name: String] = [:]
    for entry in try #require(answer["entitlements"] as? [[String: Any]]) {
      if let product = entry["product"] as? String {
        states[Name(product)] = entry["state"] as? String
      }
    }
    for (name, state) in trace.entitled {
      let given = states[name] ?? (active.contains(name.text) ? "active" : "none")
      #expect(given == state, "\(about): \(name)")
    }
    let listed = Array(states.keys) + active.map { Name($0) }
    #expect(listed.allSatisfy { trace.entitled[$0] != nil }, "\(about) lists more")
  }
}
