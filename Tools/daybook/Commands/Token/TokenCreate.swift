import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerStore
import ServiceAccess

struct TokenCreate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Makes a token, and prints it once.",
    discussion: """
      Prints the token alone on standard output. Nothing that is kept leads back to it: if it is \
      lost, revoke it and make another one. The scopes are append (append events), read (ask \
      questions), operate (act as an operator) and admin (everything). Every token matches \
      \(TokenText.pattern), by which programs that look for leaked secrets find it. Example:

        TOKEN=$(daybook token create shop-server --scope append --app com.example.maps)
        daybook token create support --scope read --scope operate --operator kim --expires +30d
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(
    help: "What the token is called, in lists and logs: letters, digits, ., _ and -.")
  var name: String

  @Option(help: "What it allows (repeatable).")
  var scope: [TokenScopeArgument]

  private var scopes: Set<TokenScope> { Set(scope.map(\.scope)) }

  @Option(
    help: "The only account that it may ask about; with --scope read alone.",
    completion: Completions.accounts, transform: Parse.name)
  var account: Name?

  @Option(
    help: ArgumentHelp(
      "An app that it is for (default: every app; repeatable).", valueName: "bundle-id"))
  var app: [String] = []

  @Option(
    name: .customLong("operator"),
    help: ArgumentHelp(
      "In whose name acts are recorded; needed with the scopes operate and admin.",
      valueName: "who"), transform: Parse.words)
  var operatorName: String?

  @Option(
    help: ArgumentHelp(
      "When it ends, such as +90d or 2027-01-01 (default: when it is revoked).", valueName: "time"),
    transform: Parse.end)
  var expires: Instant?

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    guard !scope.isEmpty else {
      throw ValidationError(
        "say what the token allows with --scope: "
          + TokenScopeArgument.allValueStrings.joined(separator: ", ") + ".")
    }
    guard operatorName == nil || !scopes.isDisjoint(with: [.operate, .admin]) else {
      throw ValidationError("--operator needs --scope operate: the token records no acts.")
    }
    guard operatorName != nil || scopes.isDisjoint(with: [.operate, .admin]) else {
      throw ValidationError(
        "a token that allows acts needs the name of the operator in whose name they are recorded: "
          + "name one with --operator WHO.")
    }
  }

  func run() throws {
    try answering {
      Console.declare(columns: ["token"] + AccessToken.members)
      let token = AccessToken(
        name: name, scopes: scopes, account: account, apps: app, operatorName: operatorName,
        createdAt: EventLog.systemClock(), expiresAt: expires)
      try options.refuseForeignRoot()
      let store = TokenStore(ledger: options.path)
      let text = try keepingTokens { () throws(TokenError) in try store.create(token) }
      show(text, of: token)
      Console.flush()
      guard !Console.isOutputLost else { return try takeBack(token, in: store) }
      Console.complain(
        "daybook: this is the token \(name), and it is not shown again: give it to the program "
          + "that uses it, and keep it nowhere else. `daybook token revoke \(name)` ends it.")
    }
  }

  private func show(_ text: String, of token: AccessToken) {
    guard format != .table else { return Console.print(text) }
    var json = JSONText()
    json.object { json in
      json.member("token", text)
      token.write(to: &json)
    }
    Console.print(json.text)
  }

  /// Revokes a token that nobody has read, so that its name is free for the next attempt.
  private func takeBack(_ token: AccessToken, in store: TokenStore) throws {
    try keepingTokens { () throws(TokenError) in try store.revoke(token.name) }
    Console.complain(
      "daybook: nobody could read the token, so it was revoked: make it again when standard output "
        + "is read")
    throw ExitStatus.inputOutput
  }
}
