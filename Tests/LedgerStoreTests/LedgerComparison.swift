import Foundation
import LMDB
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import LedgerTesting

/// The differences between a ledger's answers and the expected ones.
struct LedgerComparison {
  private(set) var differences: [String] = []
  private let view: LedgerAnswers
  /// For each position in the ledger, the one in the expectations.
  private let expectedPosition: [UInt64: UInt64]
  private let arrivesInOrder: Bool

  init(_ ledger: Ledger, expectedPosition: [UInt64: UInt64]) throws {
    view = LedgerAnswers(ledger: ledger)
    self.expectedPosition = expectedPosition
    arrivesInOrder = expectedPosition.allSatisfy { $0.key == $0.value }
  }

  mutating func compare(
    _ environment: StoreEnvironment, _ expected: Conformance.Expected
  ) throws {
    var query = FindingsQuery()
    query.environments = [environment]
    var surplus: [String: Int] = [:]
    var held: [String: Int] = [:]
    for finding in try view.findings(query) {
      if finding.rule.isJudgedAtAMoment {
        held[finding.rule.id, default: 0] += 1
      } else if arrivesInOrder || finding.rule != .arrivedLate {
        let position = expectedPosition[finding.position] ?? finding.position
        surplus["\(finding.rule.id)@\(position)", default: 0] += 1
      }
    }
    for finding in expected.findings where arrivesInOrder || finding.rule != "arrived-late" {
      surplus["\(finding.rule)@\(finding.position)", default: 0] -= 1
    }
    for (rule, count) in expected.moment { held[rule, default: 0] -= count }
    note(environment, surplus)
    note(environment, held)
    for (name, account) in expected.accounts {
      try compare(name, account, environment, at: expected.at)
    }
  }

  private mutating func compare(
    _ name: Name, _ expected: Conformance.Account, _ environment: StoreEnvironment, at: Instant
  ) throws {
    let answer = try view.entitlements(of: .account(name), environment, now: at)
    var states: [Name: String] = [:]
    for entry in answer.entries {
      if let product = entry.product { states[product] = entry.state.text }
    }
    var installed: [Name?: [Name: String]] = [:]
    for content in try view.installed(of: .account(name), environment) {
      installed[content.device, default: [:]][content.product] = content.contentVersion.text
    }
    var balances: [Name: Int64] = [:]
    for balance in answer.balances { balances[balance.unit] = balance.amount }
    let about = "\(environment) \(name)"
    note("\(about) states", expected.states, states)
    note("\(about) active", expected.active, answer.active)
    note("\(about) installed", expected.installed, installed)
    note("\(about) balances", expected.balances, balances)
  }

  private mutating func note(_ environment: StoreEnvironment, _ surplus: [String: Int]) {
    for (finding, count) in surplus.sorted(by: { $0.key < $1.key }) where count != 0 {
      differences.append("\(environment) \(finding) \(count > 0 ? "+" : "")\(count)")
    }
  }

  private mutating func note<Value: Equatable>(_ about: String, _ expected: Value, _ got: Value) {
    if expected != got { differences.append("\(about): \(got), expected \(expected)") }
  }
}

/// Questions to a ledger, with one view each.
struct LedgerAnswers {
  let ledger: Ledger

  func findings(_ query: FindingsQuery) throws -> [FindingAnswer] {
    try ledger.read { (view) throws(LedgerError) in try view.findings(query) }
  }

  func entitlements(
    of customer: CustomerReference, _ environment: StoreEnvironment, now: Instant
  ) throws -> EntitlementsAnswer {
    try ledger.read { (view) throws(LedgerError) in
      try view.entitlements(of: customer, environments: [environment], now: now)
    }
  }

  func installed(
    of customer: CustomerReference, _ environment: StoreEnvironment
  ) throws -> [InstalledAnswer] {
    try ledger.read { (view) throws(LedgerError) in
      try view.installed(of: customer, environments: [environment])
    }
  }
}

extension TemporaryLedger {
  /// Appends in pieces, using the sizes in turn. Calls `between` after each piece to fold or ask.
  func append(
    _ events: [RecordedEvent], pieces: [Int], between: (Int) throws -> Void = { _ in }
  ) throws {
    var start = 0
    var piece = 0
    while start < events.count {
      let end = min(events.count, start + pieces[piece % pieces.count])
      try append(events[start..<end])
      try between(piece)
      start = end
      piece += 1
    }
  }
}
