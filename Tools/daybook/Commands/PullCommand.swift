import ArgumentParser

/// Finds `daybook-pull` beside this program and becomes it, so that this program needs no HTTP
/// client.
struct PullCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Pulls what the App Store Server knows (runs daybook-pull).",
    usage: "daybook pull <command> [<options>]",
    discussion: """
      Runs the program daybook-pull, which is beside this one or on the PATH, with the same \
      arguments: `daybook pull --help` shows its commands. Example:

        daybook pull history --all --app com.example.tides --key SubscriptionKey_2X9R4HXF34.p8
      """)

  @Argument(parsing: .captureForPassthrough, help: "The arguments of daybook-pull.")
  var arguments: [String] = []

  func run() throws {
    try answering {
      try CompanionProgram(
        name: "daybook-pull", brings: "an HTTP client", installedWith: "--with-pull"
      ).run(arguments)
    }
  }
}
