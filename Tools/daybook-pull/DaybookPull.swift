import ArgumentParser
import WorkThreads

/// The program that asks the App Store Server. It is not a part of `daybook`, which has no HTTP
/// client; `daybook pull` finds it beside itself.
@main
struct DaybookPull: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "daybook-pull",
    abstract: "Pulls what the App Store Server knows into a ledger.",
    discussion: """
      Asks the App Store Server API page by page, saves each answer, and has `daybook import \
      history` verify and append it. Stop it whenever you like: the next pull continues behind the \
      last page that was imported, and nothing is doubled. `daybook pull` runs this program. \
      Examples:

        export DAYBOOK_STORE_KEY=SubscriptionKey_2X9R4HXF34.p8
        export DAYBOOK_STORE_ISSUER=57246542-96fe-1a63-e053-0824d011072a
        daybook pull history --all --app com.example.tides
        daybook pull notifications --app com.example.tides --app-apple-id 900000001
        daybook pull reconcile --app com.example.tides
      """,
    subcommands: [
      HistoryCommand.self, RefundsCommand.self, StatusesCommand.self, NotificationsCommand.self,
      ReconcileCommand.self, RevocationCommand.self, SetTokenCommand.self,
    ])

  static func main() async {
    if let problem = StartWords.problem() {
      PullConsole.complain(problem)
      exit(withError: ExitCode(64))
    }
    var words = Array(CommandLine.arguments.dropFirst())
    // `daybook pull --reconcile` reads well, too.
    if words.first == "--reconcile" { words[0] = "reconcile" }
    do {
      var command = try parseAsRoot(words)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      exit(withError: error)
    }
  }
}
