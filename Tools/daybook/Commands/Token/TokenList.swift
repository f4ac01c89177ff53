import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerStore
import ServiceAccess

struct TokenList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the tokens, and what each one allows.",
    discussion: """
      Prints the tokens in the order in which they were made. Expired ones are listed until they \
      are revoked. Nothing here lets anybody in. Example:

        daybook token list --format json
      """)

  @OptionGroup var options: LedgerOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let now = EventLog.systemClock()
      var printer = ListPrinter<AccessToken>(
        format,
        header: ["name", "scopes", "account", "apps", "operator", "created", "expires", "state"],
        columns: AccessToken.members + ["state"],
        nothing: "no tokens",
        row: { token in
          [
            token.name, token.scopeNames.joined(separator: ", "), String(cell: token.account),
            token.apps.isEmpty ? "every app" : token.apps.joined(separator: ", "),
            token.operatorName ?? "-", token.createdAt.shown, String(cell: token.expiresAt),
            Self.state(of: token, at: now),
          ]
        },
        isAlarming: { $0.isExpired(at: now) },
        write: { token, json in
          json.object { json in
            token.write(to: &json)
            json.member("state", Self.state(of: token, at: now))
          }
        })
      let store = TokenStore(ledger: options.path)
      for token in try keepingTokens({ () throws(TokenError) in try store.list() }) {
        printer.add(token)
      }
      printer.end()
    }
  }

  private static func state(of token: AccessToken, at now: Instant) -> String {
    token.isExpired(at: now) ? "expired" : "valid"
  }
}
