import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerStore
import Webhooks

struct WebhookCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhook",
    abstract: "Says where a service tells what changes for customers.",
    discussion: """
      A service sends a signed message by HTTP whenever what a customer has changes, an event \
      breaks a rule, or an event of a chosen type arrives (docs/webhooks.md). These commands \
      change what a running service does within a second. Webhooks and what they are still to be \
      told are in the ledger's folder (service/webhooks.sqlite), and not part of a backup. Example:

        daybook webhook create shop --url https://shop.example.com/hooks --type entitlement.changed
        daybook webhook test shop
        daybook webhook deliveries shop --state dead
        daybook webhook resend shop --dead
      """,
    subcommands: [
      WebhookCreate.self, WebhookList.self, WebhookDeliveries.self, WebhookResend.self,
      WebhookTest.self, WebhookPause.self, WebhookResume.self, WebhookMove.self,
      WebhookRotate.self, WebhookRemove.self,
    ])
}

/// Runs what can go wrong with webhooks, and turns that into a message and an exit code.
func keepingWebhooks<Answer>(_ body: () throws(WebhookError) -> Answer) throws -> Answer {
  do throws(WebhookError) { return try body() } catch {
    if error.code == .invalid { throw ValidationError(error.message) }
    throw InputProblem(error.message, exitCode: ExitStatus.code(for: error))
  }
}

extension ExitStatus {
  fileprivate static func code(for error: WebhookError) -> ExitCode {
    switch error.code {
    case .invalid: usage
    case .unknown, .unknownVersion, .limitReached: badInput
    case .noLedger: noInput
    case .exists: cannotCreate
    case .busy: tryAgain
    case .disk: inputOutput
    }
  }
}

/// A webhook of a ledger.
struct WebhookOptions: ParsableArguments {
  @OptionGroup var options: LedgerOptions

  @Argument(help: "The name of the webhook.") var name: String

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  /// Runs `body`, which changes a webhook of the ledger.
  func changing<Answer>(
    _ body: (WebhookStore) throws(WebhookError) -> Answer
  ) throws -> Answer {
    try options.refuseForeignRoot()
    return try withStore(body)
  }

  /// Runs `body` with the webhooks of the ledger.
  func withStore<Answer>(
    _ body: (WebhookStore) throws(WebhookError) -> Answer
  ) throws -> Answer {
    try keepingWebhooks { () throws(WebhookError) in
      guard let store = try WebhookStore(ledger: options.path) else {
        throw WebhookError(
          .unknown, "there is no webhook \(name): make one with `daybook webhook create`.")
      }
      return try body(store)
    }
  }

  /// Says what was done: in a sentence, or as a member of an object.
  func say(_ sentence: String, _ member: String) {
    guard format != .table else { return Console.print(sentence) }
    var json = JSONText()
    json.object { $0.member(member, name) }
    Console.print(json.text)
  }
}
