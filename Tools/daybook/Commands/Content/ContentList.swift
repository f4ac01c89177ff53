import ArgumentParser
import HostedContent
import LedgerEvents

struct ContentList: ParsableCommand {
  /// One line of the answer.
  private struct Line {
    let product: ContentListing.Product
    let version: ContentListing.Version
  }

  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Which products and versions lie in a folder of content.",
    discussion: """
      Reads ROOT and writes each version with its size and whether it is current; no ledger is \
      asked. Example:

        daybook content list content --digest
      """)

  @Argument(help: "The folder of installed content.")
  var root: String

  @Flag(help: "Also the digest of each version, which reads every byte.")
  var digest = false

  @Option(help: "How to answer: table, json or jsonl.")
  var format: OutputFormat = .table

  func run() throws {
    try answeringForContent {
      let listing = try ContentListing(of: root, readsContent: digest)
      var header = ["product", "version", "current", "files", "bytes"]
      if digest { header.append("digest") }
      var printer = ListPrinter<Line>(
        format, header: header, nothing: "nothing",
        row: { line in
          let version = line.version
          var row = [
            line.product.product.text, version.version.text, version.isCurrent ? "yes" : "-",
            "\(version.files)", "\(version.bytes)",
          ]
          if digest { row.append(version.digest?.description ?? "-") }
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
          }
        })
      for product in listing.products {
        for version in product.versions { printer.add(Line(product: product, version: version)) }
      }
      printer.end()
      if listing.unfinished > 0 {
        Console.complain(
          "daybook: \(listing.unfinished) changes of \(root) are not finished: the next command "
            + "that changes it sees to them, unless one is at it")
      }
    }
  }
}
