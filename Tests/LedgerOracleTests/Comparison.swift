import LedgerEvents
import LedgerHistories
import LedgerOracle

/// The differences between an answer of the oracle and the expected one.
struct Comparison {
  var differences: [String] = []

  /// - Parameter isInOrder: False if the events arrived in another order than expected.
  ///   `arrived-late` is then not compared.
  init(_ expected: Conformance.Expected, _ answer: Oracle.Answer, isInOrder: Bool) {
    if answer.at != expected.at { differences.append("judged at another moment") }
    var surplus: [String: Int] = [:]
    for finding in answer.findings {
      guard isInOrder || finding.rule != "arrived-late" else { continue }
      surplus["\(finding.rule)@\(finding.position)", default: 0] += 1
    }
    for finding in expected.findings {
      guard isInOrder || finding.rule != "arrived-late" else { continue }
      surplus["\(finding.rule)@\(finding.position)", default: 0] -= 1
    }
    note(surplus)
    var moment: [String: Int] = [:]
    for finding in answer.moment { moment[finding.rule, default: 0] += 1 }
    for (rule, count) in expected.moment { moment[rule, default: 0] -= count }
    note(moment)
    for (name, account) in expected.accounts {
      compare(name, account, answer.accounts[name] ?? Oracle.Account())
    }
  }

  private mutating func note(_ surplus: [String: Int]) {
    for (finding, count) in surplus.sorted(by: { $0.key < $1.key }) where count != 0 {
      differences.append("\(finding) \(count > 0 ? "+" : "")\(count)")
    }
  }

  private mutating func compare(
    _ name: Name, _ expected: Conformance.Account, _ given: Oracle.Account
  ) {
    if expected.states != given.states {
      differences.append("\(name) states \(expected.states) not \(given.states)")
    }
    if expected.active != given.active {
      differences.append("\(name) active \(expected.active) not \(given.active)")
    }
    if expected.installed != given.installed {
      differences.append("\(name) installed \(expected.installed) not \(given.installed)")
    }
    if expected.balances != given.balances {
      differences.append("\(name) balances \(expected.balances) not \(given.balances)")
    }
  }
}
