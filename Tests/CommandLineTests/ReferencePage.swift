import Foundation

/// The tables of the reference pages, generated from the JSON output of `daybook types` and
/// `daybook rules`, so that the pages and the commands agree.
enum ReferencePage {
  struct Field: Decodable, Equatable {
    let field: String
    let form: String
    let needed: Bool
    let personal: Bool
    let meaning: String

    fileprivate var row: String {
      "| `\(field)`\(needed ? " (needed)" : "") | \(form)\(personal ? "; personal" : "") | "
        + "\(meaning) |\n"
    }
  }

  struct EventType: Decodable {
    let type: String
    let recordedWhen: String
    let needs: [String]
    let data: [Field]

    /// The part before the point.
    var subject: Substring { type.prefix { $0 != "." } }
  }

  struct EnvelopeField: Decodable {
    let field: String
    let needed: Bool
    let form: String
    let meaning: String
  }

  struct Rule: Decodable {
    let rule: String
    let severity: String
    let judged: String
    let oncePer: String
    let hasThreshold: Bool
    let meaning: String
    let condition: String
    let incident: String
    let file: String
    let advice: String
  }

  // MARK: - Events

  static func envelope(_ fields: [EnvelopeField]) -> String {
    "| field | needed | form | meaning |\n| --- | --- | --- | --- |\n"
      + fields.map {
        "| `\($0.field)` | \($0.needed ? "yes" : "") | \($0.form) | \($0.meaning) |\n"
      }.joined()
  }

  /// Returns the sections of all types, by subject. Types with the same `data` share a table.
  ///
  /// - Parameter examples: The example of each type, as the program prints it.
  static func types(_ types: [EventType], examples: [String: String]) -> String {
    var subjects: [Substring] = []
    for type in types where !subjects.contains(type.subject) { subjects.append(type.subject) }
    return subjects.map { subject in
      let own = types.filter { $0.subject == subject }
      return "### \(subject)\n\n" + overview(own)
        + groups(own).map { group in
          data(group) + "```json\n" + group.map { (examples[$0.type] ?? "") + "\n" }.joined()
            + "```\n"
        }.joined()
    }.joined(separator: "\n")
  }

  private static func overview(_ types: [EventType]) -> String {
    "| type | recorded when | needs |\n| --- | --- | --- |\n"
      + types.map { type in
        let needs = type.needs.map { $0.split(separator: " or ").map { "`\($0)`" } }
          .map { $0.joined(separator: " or ") }.joined(separator: ", ")
        return "| `\(type.type)` | \(type.recordedWhen) | \(needs) |\n"
      }.joined()
  }

  private static func groups(_ types: [EventType]) -> [[EventType]] {
    var groups: [[EventType]] = []
    for type in types {
      if let index = groups.firstIndex(where: { $0[0].data == type.data }) {
        groups[index].append(type)
      } else {
        groups.append([type])
      }
    }
    return groups
  }

  private static func data(_ group: [EventType]) -> String {
    let names = group.map { "`\($0.type)`" }.joined(separator: ", ")
    return "\n`data` of \(names):\n\n| field | form | meaning |\n| --- | --- | --- |\n"
      + group[0].data.map(\.row).joined() + "\n"
  }

  // MARK: - Rules

  /// Returns a table of rules, each linked to its section.
  static func overview(of rules: [Rule], judged: String) -> String {
    "| rule | severity | meaning |\n| --- | --- | --- |\n"
      + rules.filter { $0.judged == judged }
      .map { "| [`\($0.rule)`](#\($0.rule)) | \($0.severity) | \($0.meaning) |\n" }.joined()
  }

  static func rules(_ rules: [Rule]) -> String {
    rules.map { rule in
      let threshold =
        rule.hasThreshold
        ? " The time is an option: `--threshold \(rule.rule)=PT2H`." : ""
      return """
        ### \(rule.rule)

        \(rule.meaning)

        - **Severity**: \(rule.severity)
        - **Judged**: \(rule.judged), once per \(rule.oncePer)
        - **When**: \(rule.condition)\(threshold)
        - **For example**: \(rule.incident) [\(name(of: rule.file))](../\(rule.file))
        - **What to do**: \(rule.advice)

        """
    }.joined(separator: "\n")
  }

  private static func name(of file: String) -> Substring {
    (file.split(separator: "/").last ?? "").prefix { $0 != "." }
  }
}
