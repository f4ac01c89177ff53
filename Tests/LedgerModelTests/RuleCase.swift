import LedgerModel
import Testing

/// A rule, an incident that breaks it at one line, and a near miss that must not.
struct RuleCase: CustomTestStringConvertible, Sendable {
  var rule: Rule
  /// The line of the event that completes it; for a rule that holds at a moment, the number of
  /// findings.
  var line: Int
  var incident: String
  var nearMiss: String
  /// The moment at which rules that hold at a moment are judged.
  var moment = "9T00:00"
  /// The moment of the incident, if it differs.
  var incidentMoment: String?

  var testDescription: String { rule.id }

  func count(_ text: String, at moment: String) throws -> (found: Int, at: [String]) {
    let scene = try Scene(text)
    if rule.isJudgedAtAMoment {
      return (try scene.findings(at: moment).filter { $0 == rule.id }.count, [])
    }
    let found = scene.findings.filter { $0.hasPrefix(rule.id + "@") }
    return (found.count, found)
  }
}

struct RuleTests {
  static let all =
    RuleCase.finishing + RuleCase.queue + RuleCase.downloads + RuleCase.contents
    + RuleCase.restores + RuleCase.payments + RuleCase.accounts + RuleCase.clocks
    + RuleCase.moments

  @Test("each rule is shown by an incident", arguments: all)
  func eachRule(rule: RuleCase) throws {
    let (found, at) = try rule.count(rule.incident, at: rule.incidentMoment ?? rule.moment)
    if rule.rule.isJudgedAtAMoment {
      #expect(found == rule.line, "\(rule.rule.id)")
    } else {
      let findings = try Scene(rule.incident).findings
      #expect(at == ["\(rule.rule.id)@\(rule.line)"], "\(findings)")
    }
  }

  @Test("each rule stays silent at a near miss", arguments: all)
  func eachRuleStays(rule: RuleCase) throws {
    let (found, at) = try rule.count(rule.nearMiss, at: rule.moment)
    #expect(found == 0, "\(rule.rule.id) \(at)")
  }

  @Test("every rule has an incident") func everyRule() {
    #expect(Set(Self.all.map(\.rule)) == Set(Rule.allCases))
  }

  @Test("rules are found by their ids") func rulesFound() {
    for rule in Rule.allCases { #expect(Rule(id: rule.id) == rule) }
  }
}
