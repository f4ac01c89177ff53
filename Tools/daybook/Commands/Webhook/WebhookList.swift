import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerStore
import Webhooks

struct WebhookList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the webhooks, and how many of their messages wait.",
    discussion: """
      Prints the webhooks in the order of their names. One is new until a service has taken it up. \
      Dead letters are messages that no receiver has taken for three days. Example:

        daybook webhook list --format json
      """)

  @OptionGroup var options: LedgerOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      var printer = ListPrinter<(webhook: Webhook, counts: DeliveryCounts)>(
        format,
        header: ["name", "url", "types", "state", "waiting", "delivered", "dead"],
        amounts: ["waiting", "delivered", "dead"], columns: Webhook.members,
        nothing: "no webhooks",
        row: { item in
          [
            item.webhook.name, item.webhook.url,
            item.webhook.filter.types.joined(separator: ", "), Self.state(of: item.webhook),
            "\(item.counts.waiting)", "\(item.counts.delivered)", "\(item.counts.dead)",
          ]
        },
        isAlarming: { $0.counts.dead > 0 || $0.webhook.pauseReason != nil },
        write: { item, json in
          json.object { item.webhook.write(item.counts, to: &$0) }
        })
      let all = try keepingWebhooks { () throws(WebhookError) in
        try WebhookStore(ledger: options.path)?.list() ?? []
      }
      for item in all { printer.add(item) }
      printer.end()
    }
  }

  private static func state(of webhook: Webhook) -> String {
    if let reason = webhook.pauseReason { return "paused: \(reason)" }
    if webhook.pausedAt != nil { return "paused" }
    return webhook.since.map { "tells since position \($0)" } ?? "new"
  }
}
