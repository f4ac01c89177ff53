import ArgumentParser
import LedgerEvents
import StorePull

struct SetTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-token",
    abstract: "Tells the store whose a purchase is.",
    discussion: """
      Sets the appAccountToken of a purchase that was made outside of the app, such as with an \
      offer code. The store states it from then on, in renewals and in notifications. The account \
      must be a UUID. `daybook assign` says the same to the ledger. Example:

        daybook pull set-token --transaction 2000000123456789 \
      --account 7dbfa8c6-5d5f-4894-affd-368a132fb789 --app com.example.tides
      """)

  @OptionGroup var store: StoreOptions

  @Option(
    help: ArgumentHelp("The original transaction of the purchase.", valueName: "id"),
    transform: SubjectOptions.transaction)
  var transaction: StoreTransactionID

  @Option(
    help: ArgumentHelp("Whose it is: a UUID.", valueName: "uuid"), transform: Self.token)
  var account: AccountToken

  private static func token(_ text: String) throws -> AccountToken {
    guard let token = AccountToken(text) else {
      throw ValidationError(
        "the store takes only a UUID, such as 7dbfa8c6-5d5f-4894-affd-368a132fb789, found "
          + "\"\(text.printable)\". `daybook assign` takes any account.")
    }
    return token
  }

  func run() async throws {
    try await answering {
      var environments = store.environments
      if store.environment == nil {
        // What the ledger knows of one environment is not asked of the other.
        let known = try DaybookProgram(store, importer: nil).environments(of: transaction)
        if !known.isEmpty { environments = known }
      }
      try await store.withClient { client, _ in
        let environment = try await client.setAccount(account, of: transaction, in: environments)
        switch store.format {
        case .table:
          PullConsole.print(
            "the store has \(account.text) as the account of \(transaction.text) "
              + "(\(environment.rawValue))")
        case .json, .jsonl:
          var line = JSONLine()
          line.add("transaction", transaction.text)
          line.add("account", account.text)
          line.add("environment", environment.rawValue)
          PullConsole.print(line.text)
        }
      }
    }
  }
}
