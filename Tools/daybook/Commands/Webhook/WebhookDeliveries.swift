import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerStore
import Webhooks

struct WebhookDeliveries: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deliveries",
    abstract: "Lists the messages of a webhook, and what became of them.",
    discussion: """
      Prints the newest first. Delivered messages are kept for 30 days, dead letters for 90. \
      Example:

        daybook webhook deliveries shop --state dead
        daybook webhook deliveries shop --limit 1000 --format csv
      """)

  @OptionGroup var webhook: WebhookOptions

  @Option(
    help: ArgumentHelp("Only those that are waiting, delivered or dead.", valueName: "state"))
  var state: DeliveryStateArgument?

  @Option(help: ArgumentHelp("How many at most (default: 100).", valueName: "count"))
  var limit = 100

  func validate() throws {
    guard (1...WebhookStore.pageMax).contains(limit) else {
      throw ValidationError("--limit: expected a number from 1 to \(WebhookStore.pageMax).")
    }
  }

  func run() throws {
    try answering {
      let found = try webhook.withStore { (store) throws(WebhookError) in
        try store.deliveries(of: webhook.name, in: state?.state, limit: limit)
      }
      var printer = ListPrinter<(delivery: Delivery, account: Name?)>(
        webhook.format,
        header: ["id", "type", "account", "position", "state", "attempts", "next", "problem"],
        amounts: ["position", "attempts"], columns: Delivery.members,
        nothing: "no messages",
        row: { item in
          let delivery = item.delivery
          return [
            delivery.id, delivery.type, String(cell: item.account), "\(delivery.position)",
            delivery.state.text, "\(delivery.attempts)", String(cell: delivery.nextAt),
            delivery.problem ?? "-",
          ]
        },
        isAlarming: { $0.delivery.state == .dead },
        write: { item, json in
          json.object { item.delivery.write(account: item.account, to: &$0) }
        })
      let ledger = try Ledger(at: webhook.options.path, access: .readOnly)
      for delivery in found {
        printer.add((delivery, try delivery.account(in: ledger)))
      }
      try ledger.close()
      printer.end()
    }
  }
}

/// A state by its name.
struct DeliveryStateArgument: ExpressibleByArgument {
  let state: Delivery.State

  init?(argument: String) {
    guard let state = Delivery.State(text: argument) else { return nil }
    self.state = state
  }

  static var allValueStrings: [String] { Delivery.State.allCases.map(\.text) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
