public import LedgerEvents
public import LedgerHistories
public import LedgerOracle

/// The expected answers for one environment, from the conformance data or the oracle.
public struct Expectation {
  public struct Account {
    public var states: [Name: String]
    public var active: [Name]
    public var installed: [Name?: [Name: String]]
    public var balances: [Name: Int64]
  }

  public var at: Instant
  public var findings: [(rule: String, position: UInt64)]
  public var moment: [String: Int]
  public var accounts: [Name: Account]

  public init(_ expected: Conformance.Expected) {
    at = expected.at
    findings = expected.findings.map { ($0.rule, $0.position) }
    moment = expected.moment
    accounts = expected.accounts.mapValues {
      Account(
        states: $0.states, active: $0.active, installed: $0.installed, balances: $0.balances)
    }
  }

  public init(_ answer: Oracle.Answer) {
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
