import Foundation
import LedgerHistories
import LedgerModel
import Testing

/// The parts of the rules page besides meaning and advice.
@Suite("The reference of rules") struct RuleReferenceTests {
  /// The expectations of a sample or a scenario.
  private struct Expected: Decodable {
    struct Findings: Decodable {
      let findings: [String]?
      let findingsAtTheEnd: [String]?

      var rules: [String] { (findings ?? []) + (findingsAtTheEnd ?? []) }
    }

    let findings: [String]?
    let findingsAtTheEnd: [String]?
    let expect: Findings?

    var rules: [String] { (findings ?? []) + (findingsAtTheEnd ?? []) + (expect?.rules ?? []) }
  }

  @Test("the incident of each rule breaks it", arguments: Rule.allCases)
  func incident(_ rule: Rule) throws {
    let root = try #require(packageRoot())
    let file = rule.incident.file
    #expect(FileManager.default.fileExists(atPath: root.appending(path: file).path), "\(file)")
    let expectation =
      file.hasSuffix(".jsonl") ? file.dropLast("jsonl".count) + "expected.json" : file[...]
    let text = try Data(contentsOf: root.appending(path: String(expectation)))
    #expect(try JSONDecoder().decode(Expected.self, from: text).rules.contains(rule.id))
  }

  @Test("each condition and each story are whole sentences", arguments: Rule.allCases)
  func sentences(_ rule: Rule) {
    for text in [rule.condition, rule.incident.story] {
      #expect(text.count > 20)
      #expect(text.hasSuffix("."))
    }
    #expect(!rule.once.isEmpty)
  }

  @Test("no two rules have the same condition") func distinct() {
    #expect(Set(Rule.allCases.map(\.condition)).count == Rule.allCases.count)
  }
}
