import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerModel

struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "The rules that findings are about: what each means, and what to do.",
    discussion: """
      Reads nothing. Without RULE it lists every rule with its severity and meaning. With RULE it \
      shows the exact condition, an incident that breaks the rule and what to do about it. Example:

        daybook rules finished-before-install
      """)

  @Argument(
    help: "Only this rule, with its condition and an incident.", completion: Completions.rules,
    transform: Self.rule)
  var rule: Rule?

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  private static func rule(_ text: String) throws -> Rule {
    if let rule = Rule(id: text) { return rule }
    let near = Spelling.nearest(to: text, among: Rule.allCases.map(\.id))
    throw ValidationError(
      "there is no rule “\(text)”\(near.map { "; did you mean \($0)?" } ?? ".") "
        + "`daybook rules` lists them all.")
  }

  func run() throws {
    try answering {
      if let rule, format == .table { return printDetails(of: rule) }
      var printer = ListPrinter<Rule>(
        format, header: ["rule", "severity", "meaning"], nothing: "no rules",
        row: { [$0.id, $0.severity.text, $0.explanation.meaning] },
        write: { $0.write(to: &$1) })
      for rule in rule.map({ [$0] }) ?? Rule.allCases { printer.add(rule) }
      printer.end()
    }
  }

  private func printDetails(of rule: Rule) {
    Console.print(Console.bold(rule.id))
    let judged = rule.isJudgedAtAMoment ? "judged at a moment" : "fires at an event"
    Console.print("\(rule.severity.text), \(judged), once per \(rule.once)")
    let parts = [
      ("What it means", rule.explanation.meaning), ("When", rule.condition),
      ("For example", rule.incident.story), ("What to do", rule.explanation.advice),
    ]
    for (title, text) in parts {
      Console.print("")
      Console.print(Console.bold(title))
      Paragraph.lines(text).forEach(Console.print)
    }
    Console.print("")
    Console.print("Try it: \(rule.incident.command)")
    if Thresholds.rules.contains(rule) {
      Console.print("Change the time: daybook findings --threshold \(rule.id)=PT2H")
    }
  }
}

extension RuleIncident {
  /// The command that shows the incident, in the package's folder.
  fileprivate var command: String { "daybook replay \(file)" }
}
