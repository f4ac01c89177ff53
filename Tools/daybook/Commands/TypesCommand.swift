import ArgumentParser
import LedgerAnswers
import LedgerEvents

struct TypesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "types",
    abstract: "The types of events: when each is recorded, and what it may say.",
    discussion: """
      Reads nothing. Without TYPE it lists every type, what it needs beside id, type and \
      occurredAt, and when to record it. With TYPE it shows the fields of data and an example \
      that can be appended. --envelope shows the fields that every event has. Example:

        daybook types download.progressed
      """)

  @Argument(
    help: "Only this type, with its fields and an example.", completion: Completions.types,
    transform: Self.kind)
  var type: EventKind?

  @Flag(help: "The fields that events of every type have.")
  var envelope = false

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  private static let all = EventKind.allCases.filter { $0 != .unknown }

  private static func kind(_ text: String) throws -> EventKind {
    if let kind = EventKind.byText[text] { return kind }
    let near = Spelling.nearest(to: text, among: all.map(\.text))
    throw ValidationError(
      "there is no event type “\(text)”\(near.map { "; did you mean \($0)?" } ?? ".") "
        + "`daybook types` lists them all.")
  }

  func validate() throws {
    if type != nil, envelope {
      throw ValidationError("--envelope is about every type; leave the type out.")
    }
  }

  func run() throws {
    try answering {
      if envelope { return printEnvelope() }
      if let type, format == .table { return printDetails(of: type) }
      var printer = ListPrinter<EventKind>(
        format, header: ["type", "needs", "recorded when"], nothing: "no types",
        row: { [$0.text, needs(of: $0), $0.recordedWhen] },
        write: { $0.write(to: &$1) })
      for kind in type.map({ [$0] }) ?? Self.all { printer.add(kind) }
      printer.end()
    }
  }

  private func needs(of kind: EventKind) -> String {
    let needs = Vocabulary.rule(kind).needTexts
    return needs.isEmpty ? "-" : needs.joined(separator: ", ")
  }

  private func printEnvelope() {
    var printer = ListPrinter<EnvelopeField>(
      format, header: ["field", "needed", "form", "meaning"], nothing: "no fields",
      row: { [$0.rawValue, $0.isNeeded ? "yes" : "-", $0.form, $0.meaning] },
      write: { $0.write(to: &$1) })
    for field in EnvelopeField.allCases { printer.add(field) }
    printer.end()
  }

  private func printDetails(of kind: EventKind) {
    Console.print(Console.bold(kind.text))
    Paragraph.lines(kind.recordedWhen).forEach(Console.print)
    Console.print("needs: \(needs(of: kind))")
    Console.print("")
    var table = TextTable(["data", "form", "meaning"])
    for field in Vocabulary.rule(kind).fieldReferences {
      let isPersonal = field.isPersonal ? " (personal)" : ""
      table.add([
        field.path + (field.isNeeded ? " (needed)" : ""), field.form + isPersonal, field.meaning,
      ])
    }
    table.lines.forEach(Console.print)
    Console.print("")
    Console.print(kind.example ?? "")
  }
}
