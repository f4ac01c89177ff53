import ArgumentParser
import HostedContent
import LedgerAnswers
import LedgerEvents
import LedgerQueries
import ProductCatalogue

struct ContentList: ParsableCommand {
  /// One line of the answer.
  private struct Line {
    let product: ContentListing.Product
    let version: ContentListing.Version
  }

  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the products and versions in a folder of content.",
    discussion: """
      Prints each version in ROOT with its size and whether it is current. It needs no ledger; \
      with --ledger it also prints the state of each product's hosted content at the store. Example:

        daybook content list content --digest
      """)

  @Argument(help: "The folder of installed content.")
  var root: String

  @Flag(help: "Also print the digest of each version, which means reading every byte.")
  var digest = false

  @Option(
    help: ArgumentHelp(
      "Also print the state of hosted content at the store, as this ledger has it.",
      valueName: "path"),
    completion: .directory)
  var ledger: String?

  @Option(help: "The environment of that state (default: production).")
  var environment: EnvironmentArgument?

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answeringForContent {
      let listing = try ContentListing(of: root, readsContent: digest)
      let hosting = try hostingStates()
      var header = ["product", "version", "current", "files", "bytes"]
      if digest { header.append("digest") }
      if hosting != nil { header.append("hosting") }
      var printer = ListPrinter<Line>(
        format, header: header, amounts: ["files", "bytes"], nothing: "nothing",
        row: { line in
          let version = line.version
          var row = [
            line.product.product.text, version.version.text, version.isCurrent ? "yes" : "-",
            "\(version.files)", "\(version.bytes)",
          ]
          if digest { row.append(version.digest?.description ?? "-") }
          if let hosting { row.append(HostingState.shown(hosting[line.product.product])) }
          return row
        },
        write: { line, json in
          json.object { json in
            json.member("product", line.product.product)
            json.member("contentVersion", line.version.version)
            json.member("current", line.version.isCurrent)
            json.member("files", line.version.files)
            json.member("bytes", line.version.bytes)
            json.member("digest", line.version.digest?.description)
            if let hosting { json.member("hosting", hosting[line.product.product]) }
          }
        })
      for product in listing.products {
        for version in product.versions { printer.add(Line(product: product, version: version)) }
      }
      printer.end()
      if listing.unfinished > 0 {
        Console.complain(
          "daybook: \(listing.unfinished.counted("unfinished change")) in \(root): the next "
            + "command that changes it completes them, unless one is still running")
      }
    }
  }

  /// The states at the store; `nil` if no ledger is named.
  private func hostingStates() throws -> [Name: String]? {
    guard let ledger else { return nil }
    return try Ledger(at: ledger, access: .readOnly).read { (view) throws(LedgerError) in
      try view.hostingStates(in: environment?.environment ?? .production)
    }
  }
}
