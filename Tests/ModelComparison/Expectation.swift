import LedgerEvents
import LedgerHistories
import LedgerOracle

/// What one environment is expected to say, by the conformance data or by the oracle.
struct Expectation {
  struct Account {
    var states: [Name: String]
    var active: [Name]
    var installed: [Name?: [Name: String]]
    var balances: [Name: Int64]
  }

  var at: Instant
  var findings: [(rule: String, position: UInt64)]
  var moment: [String: Int]
  var accounts: [Name: Account]

  init(_ expected: Conformance.Expected) {
    at = expected.at
    findings = expected.findings.map { ($0.rule, $0.position) }
    moment = expected.moment
    accounts = expected.accounts.mapValues {
      Account(
        states: $0.states, active: $0.active, installed: $0.installed, balances: $0.balances)
    }
  }

  init(_ answer: Oracle.Answer) {
    at = answer.at
    findings = answer.findings.map { ($0.rule, $0.position) }
    moment = [:]
    for finding in answer.moment { moment[finding.rule, default: 0] += 1 }
    accounts = answer.accounts.mapValues {
      Account(
        states: $0.states, active: $0.active, installed: $0.installed, balances: $0.balances)
    }
  }
}
