import ArgumentParser
import HostedContent
import LedgerAnswers
import LedgerEvents
import LedgerQueries

struct ContentSwitch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "switch",
    abstract: "Makes an installed version the current one, and records it.",
    discussion: """
      Points the link ROOT/<product>/current to another installed version, in one step, and \
      appends content.activated. Example:

        daybook content switch content com.example.maps 1.0
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The folder of installed content.")
  var root: String

  @Argument(help: "The product.", completion: Completions.products, transform: Parse.name)
  var product: Name

  @Argument(help: "The version.", transform: Parse.name)
  var version: Name

  @OptionGroup var owner: ContentOwnerOptions
  @OptionGroup var time: StoreClockOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answeringForContent {
      let ledger = try options.openForChanges()
      let contentLedger = LedgerOfContent(ledger, environment: nil)
      let before = try ContentKeeper.keeper(
        of: root, try owner.owner(of: root), contentLedger, time
      )
      .activate(product, version)
      try ledger.foldBeforeLeaving()
      guard format == .table else {
        var json = JSONText()
        json.object { json in
          json.member("product", product)
          json.member("current", version)
          json.member("before", before)
        }
        return Console.print(json.text)
      }
      let was =
        before == version ? " (unchanged)" : before.map { " (was \($0.text))" } ?? ""
      Console.print(
        "current version of \(product.text): \(version.text)\(was)".printable)
    }
  }
}
