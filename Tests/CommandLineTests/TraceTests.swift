import Foundation
import LedgerEvents
import LedgerHistories
import Testing

/// Runs the recorded incidents through the program, and compares its answers with the expectations
/// beside each.
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
  func inOneBatch(_ name: String) throws {
    try check(try #require(Self.conformance.first { $0.name == name }), in: "../shared/traces")
  }

  @Test("a trace of the conformance data, event by event", arguments: conformance.map(\.name))
  func singly(_ name: String) throws {
    let trace = try #require(Self.conformance.first { $0.name == name })
    let ledger = try TestLedger()
    let conversation = try Conversation(["append", "--format", "jsonl"], ledger)
    let encoder = EventEncoder()
    for arrival in trace.arrivals {
      try conversation.say(String(decoding: encoder.encode(arrival.event), as: UTF8.self))
      // The answer comes when the line is durable, so each line is a separate batch.
      #expect(conversation.line()?.contains(#""status":"appended""#) == true)
    }
    #expect(try conversation.end() == 0)
    try TraceComparison(trace, ledger).check("singly", clocks: [.now])
  }

  @Test("the incidents of the project, in one ledger, live and rebuilt")
  func allInOneLedger() throws {
    let ledger = try TestLedger()
    let files = Self.samples.map { "Tools/samples/incidents/\($0.name).jsonl" }
    let appended = try ledger.run(["append", "--format", "json"] + files)
    #expect(appended.status == 0, "\(appended.errors)")
    let live = try ledger.run("findings", "--format", "json")
    #expect(
      try TraceComparison.rules(live).fired == Self.samples.flatMap(\.findings).sorted())
    for trace in Self.samples { try TraceComparison(trace, ledger).checkCustomer(.newest, "live") }
    #expect(try ledger.run("rebuild").status == 0)
    #expect(try ledger.run("findings", "--format", "json").output == live.output)
    // `verify` folds again and compares every unit and answer.
    #expect(try ledger.run("verify").status == 0)
  }

  @Test("an incident of the project, replayed", arguments: samples.map(\.name))
  func replayed(_ name: String) throws {
    let trace = try #require(Self.samples.first { $0.name == name })
    let answer = try Program.run(
      ["replay", "Tools/samples/incidents/\(name).jsonl", "--format", "json"])
    let document = try answer.object()
    #expect((document["steps"] as? [Any])?.count == trace.events.count)
    let findings = try #require(document["findings"] as? [[String: Any]])
    #expect(findings.compactMap { $0["rule"] as? String }.sorted() == trace.findings.sorted())
    let open = try #require(document["findingsAtTheEnd"] as? [[String: Any]])
    #expect(open.compactMap { $0["rule"] as? String }.sorted() == trace.findingsAtTheEnd.sorted())
  }

  @Test("there is conformance data", .enabled(if: Conformance.isPresent))
  func thereIsData() { #expect(Self.conformance.count >= 10) }

  @Test("there are incidents") func thereAreIncidents() { #expect(Self.samples.count >= 59) }

  private func check(_ trace: Conformance.Trace, in folder: String) throws {
    let ledger = try TestLedger()
    let appended = try ledger.run("append", "\(folder)/\(trace.name).jsonl", "--format", "json")
    #expect(appended.status == 0, "\(appended.errors)")
    #expect(try appended.object()["appended"] as? Int == trace.events.count)
    try TraceComparison(trace, ledger).check("live", clocks: [.newest])
    #expect(try ledger.run("rebuild").status == 0)
    try TraceComparison(trace, ledger).check("rebuilt", clocks: [.now])
    let verified = try ledger.run("verify")
    #expect(verified.status == 0, "\(verified.output)")
  }
}

/// Compares a trace's expectations with the program's answers.
struct TraceComparison {
  /// The rules that hold at a moment (`rules.md`, second table).
  static let momentRules: Set<String> = [
    "never-finished", "payment-unanswered", "download-stalled", "undelivered",
    "install-interrupted", "restore-unanswered", "restore-incomplete", "unfulfilled",
    "fulfilled-unpurchased",
  ]

  private let trace: Conformance.Trace
  private let ledger: TestLedger
  private let newest: String

  init(_ trace: Conformance.Trace, _ ledger: TestLedger) {
    self.trace = trace
    self.ledger = ledger
    newest = trace.events.map(\.event.occurredAt).max()?.rfc3339 ?? ""
  }

  /// How to ask for the store time: a stated time folds what had occurred by then; without one, the
  /// projections are read.
  enum Clock {
    case newest
    case now
  }

  func check(_ how: String, clocks: [Clock]) throws {
    for clock in clocks {
      let rules = try Self.rules(
        ledger.run(["findings", "--format", "json"] + arguments(clock)))
      #expect(rules.fired == trace.findings.sorted(), "\(trace.name), \(how), \(clock)")
      #expect(rules.moment == trace.findingsAtTheEnd.sorted(), "\(trace.name), \(how), \(clock)")
      try checkCustomer(clock, how)
    }
  }

  /// Checks what the customer has and has installed.
  func checkCustomer(_ clock: Clock, _ how: String) throws {
    let about = "\(trace.name), \(how), \(clock)"
    try checkInstalled(arguments(clock), about)
    try checkEntitlements(arguments(clock), about)
  }

  private func arguments(_ clock: Clock) -> [String] {
    switch clock {
    case .newest: ["--at", newest]
    case .now: []
    }
  }

  /// Returns the rules in an answer of `findings`, sorted, in two groups: those of events and those
  /// of a moment.
  static func rules(_ answer: Outcome) throws -> (fired: [String], moment: [String]) {
    let rules = try answer.objects().compactMap { $0["rule"] as? String }.sorted()
    return (
      rules.filter { !momentRules.contains($0) }, rules.filter { momentRules.contains($0) }
    )
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
    // Without a store time, states are judged now, when purchases may have expired.
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
