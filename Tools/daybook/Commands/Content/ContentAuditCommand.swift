import ArgumentParser
import HostedContent
import LedgerAnswers
import LedgerEvents
import LedgerQueries

struct ContentAuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Compares a folder of content with what the ledger says, both ways, by digest.",
    discussion: """
      Reads every byte in ROOT, compares it with what the ledger has installed for the account on \
      the device, and prints each difference with what to do. The exit code is 1 if there is one. \
      Example:

        daybook content audit content --account keeper-7 --device phone-1
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The folder of installed content.")
  var root: String

  @OptionGroup var owner: ContentOwnerOptions

  @Option(help: "The environment (default: production).")
  var environment: EnvironmentArgument?

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answeringForContent {
      let ledger = try Ledger(at: options.path, access: .readOnly)
      let contentLedger = LedgerOfContent(ledger, environment: environment?.environment)
      let audit = try ContentAudit(
        of: root, owner: try owner.owner(of: root), ledger: contentLedger)
      if format == .table { printTable(audit) } else { printJSON(audit) }
      if !audit.differences.isEmpty { throw ExitStatus.found }
    }
  }

  private func printTable(_ audit: ContentAudit) {
    guard !audit.differences.isEmpty else {
      return Console.print("\(audit.versions.counted("version")), as the ledger says")
    }
    var table = TextTable(["difference", "product", "version", "what to do"])
    for difference in audit.differences {
      table.add([
        difference.kind.rawValue, String(cell: difference.product),
        String(cell: difference.version), difference.message,
      ])
    }
    table.lines.forEach(Console.print)
  }

  private func printJSON(_ audit: ContentAudit) {
    var json = JSONText()
    json.object { json in
      json.member("versions", audit.versions)
      json.member("differences", each: audit.differences) { json, difference in
        json.object { json in
          json.member("difference", difference.kind.rawValue)
          json.member("product", difference.product)
          json.member("contentVersion", difference.version)
          json.member("message", difference.message)
        }
      }
    }
    Console.print(json.text)
  }
}
