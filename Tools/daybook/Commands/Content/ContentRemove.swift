import ArgumentParser
import HostedContent
import LedgerAnswers
import LedgerEvents
import LedgerQueries

struct ContentRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Removes an installed version, or a product with all its versions, and records it.",
    discussion: """
      Moves ROOT/<product>/<version>/ aside in one step and then deletes it. The current version \
      is refused: switch to another one first, or remove the whole product with --all. Appends \
      content.removed if the ledger has the version installed, and a note for an older version. \
      Example:

        daybook content remove content com.example.maps 1.0
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The folder of installed content.")
  var root: String

  @Argument(help: "The product.", completion: Completions.products, transform: Parse.name)
  var product: Name

  @Argument(help: "The version.", transform: Parse.name)
  var version: Name?

  @Flag(help: "Remove the product with all its versions.")
  var all = false

  @OptionGroup var owner: ContentOwnerOptions
  @OptionGroup var time: StoreClockOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    if (version != nil) == all {
      throw ValidationError("name a version, or --all for the whole product.")
    }
  }

  func run() throws {
    try answeringForContent {
      let ledger = try options.openForChanges()
      let contentLedger = LedgerOfContent(ledger, environment: nil)
      let keeper = ContentKeeper.keeper(of: root, try owner.owner(of: root), contentLedger, time)
      try keeper.remove(product, version)
      try ledger.foldBeforeLeaving()
      guard format == .table else {
        var json = JSONText()
        json.object { json in
          json.member("product", product)
          json.member("contentVersion", version)
        }
        return Console.print(json.text)
      }
      Console.print(
        ("removed \(product.text)\(version.map { " " + $0.text } ?? "")").printable)
    }
  }
}

struct ContentPrune: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Removes old versions, and records it.",
    discussion: """
      Keeps the newest versions of each product, and the current one even if it is older. The \
      others are removed as `content remove` does. Example:

        daybook content prune content --keep 2
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The folder of installed content.")
  var root: String

  @Option(help: ArgumentHelp("How many versions of each product to keep.", valueName: "count"))
  var keep: Int

  @Option(help: "Only this product.", completion: Completions.products, transform: Parse.name)
  var product: Name?

  @OptionGroup var owner: ContentOwnerOptions
  @OptionGroup var time: StoreClockOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    if keep < 1 {
      throw ValidationError(
        "--keep: expected a whole number from 1: the newest version is always kept.")
    }
  }

  func run() throws {
    try answeringForContent {
      let ledger = try options.openForChanges()
      let contentLedger = LedgerOfContent(ledger, environment: nil)
      let removed = try ContentKeeper.keeper(
        of: root, try owner.owner(of: root), contentLedger, time
      )
      .prune(keep: keep, product)
      try ledger.foldBeforeLeaving()
      var printer = ListPrinter<(product: Name, version: Name)>(
        format, header: ["product", "removed"], nothing: "nothing to remove",
        row: { [$0.product.text, $0.version.text] },
        write: { removed, json in
          json.object { json in
            json.member("product", removed.product)
            json.member("contentVersion", removed.version)
          }
        })
      for version in removed { printer.add(version) }
      printer.end()
    }
  }
}
