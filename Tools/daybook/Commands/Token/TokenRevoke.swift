import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerStore
import ServiceAccess

struct TokenRevoke: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Ends a token.",
    discussion: """
      A running service refuses the token from its next request on. The name is free again. \
      Example:

        daybook token revoke shop-server
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The name of the token.") var name: String

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      try options.refuseForeignRoot()
      let store = TokenStore(ledger: options.path)
      try keepingTokens { () throws(TokenError) in try store.revoke(name) }
      switch format {
      case .table: Console.print("revoked \(name.printable)")
      case .json, .jsonl:
        var json = JSONText()
        json.object { $0.member("revoked", name) }
        Console.print(json.text)
      }
    }
  }
}
