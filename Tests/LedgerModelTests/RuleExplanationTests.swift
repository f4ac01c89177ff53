import LedgerModel
import Testing

@Suite("Explanations of rules") struct RuleExplanationTests {
  @Test("every rule has one, of whole sentences", arguments: Rule.allCases)
  func complete(_ rule: Rule) {
    let explanation = rule.explanation
    for text in [explanation.meaning, explanation.advice] {
      #expect(text.count > 20)
      #expect(text.hasSuffix("."))
      #expect(text.first?.isUppercase ?? false)
    }
  }

  @Test("no two say the same") func distinct() {
    let meanings = Set(Rule.allCases.map(\.explanation.meaning))
    #expect(meanings.count == Rule.allCases.count)
  }
}
