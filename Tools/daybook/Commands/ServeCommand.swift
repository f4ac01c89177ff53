import ArgumentParser

/// Finds `daybook-serve` beside this program and becomes it, so that this program needs no HTTP
/// server.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Takes in events and answers questions over HTTP (runs daybook-serve).",
    usage: "daybook serve [<options>]",
    discussion: """
      Runs the program daybook-serve, which is beside this one or on the PATH, with the same \
      arguments: `daybook serve --help` shows them. Clients need a token, which `daybook token \
      create` makes. Example:

        daybook serve --ledger books.ledger --port 8470
      """)

  @Argument(parsing: .captureForPassthrough, help: "The arguments of daybook-serve.")
  var arguments: [String] = []

  func run() throws {
    try answering {
      try CompanionProgram(
        name: "daybook-serve", brings: "an HTTP server", installedWith: "--with-serve"
      ).run(arguments)
    }
  }
}
