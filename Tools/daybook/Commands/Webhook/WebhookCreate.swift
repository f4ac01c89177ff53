import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerStore
import Webhooks

struct WebhookCreate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Makes a webhook, and prints its secret once.",
    discussion: """
      Prints the secret alone on standard output: the receiver verifies with it that a message is \
      from this ledger. The types are entitlement.changed, finding.opened, finding.closed, and \
      those of events (`daybook types`), such as transaction.refunded; * stands for any \
      characters. What was there before is not told. Example:

        SECRET=$(daybook webhook create shop --url https://shop.example.com/hooks \\
          --type entitlement.changed --type 'transaction.refund*')
        daybook webhook create pager --url https://pager.example.com/in --type 'finding.*' \\
          --severity critical --severity error
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "What the webhook is called: letters, digits, ., _ and -.")
  var name: String

  @Option(help: ArgumentHelp("Where messages are sent, by https.", valueName: "url"))
  var url: String

  @Option(help: ArgumentHelp("A type of message, or a pattern (repeatable).", valueName: "type"))
  var type: [String] = []

  @Option(help: "An environment that is told (default: production; repeatable).")
  var environment: [EnvironmentArgument] = []

  @Option(
    help: "Only about this product or entitlement (repeatable).",
    completion: Completions.products)
  var product: [String] = []

  @Option(help: ArgumentHelp("Only findings of this rule (repeatable).", valueName: "rule"))
  var rule: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only findings of this severity: info, warning, error or critical (repeatable).",
      valueName: "severity"))
  var severity: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only about customers whom this app has alone (default: every app; repeatable).",
      valueName: "bundle-id"))
  var app: [String] = []

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    guard !type.isEmpty else {
      throw ValidationError(
        "say what is told with --type: entitlement.changed, finding.opened, finding.closed, or a "
          + "type of event such as transaction.refunded.")
    }
  }

  /// Where the ledger ends now: what was there before is not told, also if a service that is behind
  /// comes to it later.
  private func lastPosition() throws(LedgerError) -> UInt64 {
    let ledger = try Ledger(at: options.path, access: .readOnly)
    let position = try ledger.log.lastPosition()
    try ledger.close()
    return position
  }

  func run() throws {
    try answering {
      Console.declare(columns: ["secret"] + Webhook.members)
      let webhook = try keepingWebhooks { () throws(WebhookError) in
        let filter = try MessageFilter.parsed(
          types: type, environments: environment.map(\.environment.text), products: product,
          rules: rule, severities: severity, apps: app)
        let webhook = Webhook(
          name: name, url: url, filter: filter, createdAt: EventLog.systemClock())
        // What is wrong with it is said before a file is made for it.
        try webhook.check()
        return webhook
      }
      try options.refuseForeignRoot()
      let position = try lastPosition()
      let (secret, made) = try keepingWebhooks { () throws(WebhookError) in
        let store = try WebhookStore(creatingIn: options.path)
        let secret = try store.create(webhook, after: position)
        return (secret, try store.webhook(named: name))
      }
      guard format != .table else {
        Console.print(secret)
        Console.flush()
        return Console.complain(
          "daybook: this is the secret of \(name), and it is not shown again: give it to the "
            + "receiver. `daybook webhook rotate \(name)` makes another one.")
      }
      var json = JSONText()
      json.object { json in
        json.member("secret", secret)
        made.webhook.write(made.counts, to: &json)
      }
      Console.print(json.text)
    }
  }
}
