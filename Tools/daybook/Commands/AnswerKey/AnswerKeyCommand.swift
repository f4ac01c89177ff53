import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerStore
import ServiceAccess

struct AnswerKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "answer-key",
    abstract: "Makes, lists and removes the keys that sign a service's answers.",
    discussion: """
      A service signs an answer that is asked for with signed=true, so that an app can check it \
      later without a network (docs/service.md). The keys are in the ledger's folder \
      (service/answer-keys.json), and not part of a backup. They sign answers and nothing else: \
      `daybook key` makes those that sign checkpoints. Example:

        daybook answer-key new
        daybook answer-key list --format json
      """,
    subcommands: [AnswerKeyNew.self, AnswerKeyList.self, AnswerKeyRemove.self])
}

struct AnswerKeyNew: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Makes a key, which signs from then on.",
    discussion: """
      A running service signs with the new key from its next answer on. The private half of the \
      key before is forgotten; its public half stays in the set, so that what it has signed can \
      still be verified. Prints the id of the new key. Example:

        daybook answer-key new
      """)

  @OptionGroup var options: LedgerOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      try options.refuseForeignRoot()
      let store = AnswerKeyStore(ledger: options.path)
      let key = try keepingTokens { () throws(TokenError) in
        try store.create(at: EventLog.systemClock())
      }
      Console.print(format == .table ? key.id : key.json)
    }
  }
}

struct AnswerKeyList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the public keys, which verify signed answers.",
    discussion: """
      With --format json it prints the JSON Web Key Set that the service has at /v1/keys: build it \
      into an app, or let the app fetch it. Nothing here signs. Example:

        daybook answer-key list --format json
      """)

  @OptionGroup var options: LedgerOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let store = AnswerKeyStore(ledger: options.path)
      let keys = try keepingTokens { () throws(TokenError) in try store.list() }
      if format == .json { return Console.print(AnswerKey.json(keys)) }
      var printer = ListPrinter<AnswerKey>(
        format, header: ["id", "made", "signed until"], nothing: "no keys",
        row: { [$0.id, $0.createdAt.shown, $0.retiredAt.map(\.shown) ?? "it signs"] },
        write: { $1.raw($0.json) })
      for key in keys { printer.add(key) }
      printer.end()
    }
  }
}

struct AnswerKeyRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Takes a key out of the set: what it has signed is believed no more.",
    discussion: """
      For a key whose answers have all ended, or that somebody else may have. An app that has \
      fetched the set before believes the key until it fetches the set again. Example:

        daybook answer-key remove 9f2c
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The id of the key, or its first letters.") var id: String

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      try options.refuseForeignRoot()
      let store = AnswerKeyStore(ledger: options.path)
      let key = try keepingTokens { () throws(TokenError) in try store.remove(id) }
      switch format {
      case .table: Console.print("removed \(key.id)")
      case .json, .jsonl:
        var json = JSONText()
        json.object { $0.member("removed", key.id) }
        Console.print(json.text)
      }
      if key.retiredAt == nil {
        Console.complain(
          "daybook: no key signs now: make another one with `daybook answer-key new`")
      }
    }
  }
}
