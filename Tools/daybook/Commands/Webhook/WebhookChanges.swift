import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerStore
import Webhooks

struct WebhookResend: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resend",
    abstract: "Sends messages of a webhook again.",
    discussion: """
      They have the same ids as before, so that a receiver that has had one knows it. Say which: \
      by id, all dead letters, or a range of positions, for a receiver that has lost what it had. \
      Example:

        daybook webhook resend shop --message msg_6f1c…
        daybook webhook resend shop --dead
        daybook webhook resend shop --from 1200 --to 1500
      """)

  @OptionGroup var webhook: WebhookOptions

  @Option(help: ArgumentHelp("The message with this id.", valueName: "id"))
  var message: String?

  @Flag(help: "All dead letters.") var dead = false

  @Option(
    help: ArgumentHelp("From this position on.", valueName: "position"),
    transform: Parse.position)
  var from: UInt64?

  @Option(
    help: ArgumentHelp("Up to this position (default: all).", valueName: "position"),
    transform: Parse.position)
  var to: UInt64?

  func validate() throws { _ = try choice() }

  private func choice() throws -> DeliveryChoice {
    switch (message, dead, from, to) {
    case (let message?, false, nil, nil): return .message(message)
    case (nil, true, nil, nil): return .dead
    case (nil, false, let from?, let to) where from <= to ?? .max:
      return .positions(from...(to ?? .max))
    default:
      throw ValidationError(
        "say what is sent again: --message, --dead, or --from with or without a later --to.")
    }
  }

  func run() throws {
    try answering {
      let choice = try choice()
      let count = try webhook.changing { (store) throws(WebhookError) in
        try store.resend(choice, of: webhook.name, at: EventLog.systemClock())
      }
      guard webhook.format != .table else {
        return Console.print("\(count.counted("message")) will be sent again")
      }
      var json = JSONText()
      json.object { $0.member("resent", count) }
      Console.print(json.text)
    }
  }
}

struct WebhookTest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Sends a message that says nothing, to see whether it arrives.",
    discussion: """
      The message has the type webhook.test, and waits for no other one. Look with \
      `daybook webhook deliveries` what became of it. Example:

        daybook webhook test shop
      """)

  @OptionGroup var webhook: WebhookOptions

  func run() throws {
    try answering {
      try webhook.changing { (store) throws(WebhookError) in
        try store.test(webhook.name, at: EventLog.systemClock())
      }
      webhook.say("a running service sends it now", "tested")
    }
  }
}

struct WebhookPause: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Sends nothing for a while, and collects what is to be told.",
    discussion: """
      Up to a million messages wait. Example:

        daybook webhook pause shop
      """)

  @OptionGroup var webhook: WebhookOptions

  func run() throws {
    try answering {
      try webhook.changing { (store) throws(WebhookError) in
        try store.pause(webhook.name, at: EventLog.systemClock())
      }
      webhook.say("paused \(webhook.name.printable)", "paused")
    }
  }
}

struct WebhookResume: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Sends again, and everything that waits at once.",
    discussion: """
      Also messages that failed and would wait for hours. A service pauses a webhook whose \
      receiver has answered 410 Gone. Example:

        daybook webhook resume shop
      """)

  @OptionGroup var webhook: WebhookOptions

  func run() throws {
    try answering {
      try webhook.changing { (store) throws(WebhookError) in
        try store.resume(webhook.name, at: EventLog.systemClock())
      }
      webhook.say("resumed \(webhook.name.printable)", "resumed")
    }
  }
}

struct WebhookMove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Sends to another address, also what waits.",
    discussion: """
      At once, also messages that failed and would wait for hours. Example:

        daybook webhook move shop --url https://shop.example.org/hooks
      """)

  @OptionGroup var webhook: WebhookOptions

  @Option(help: ArgumentHelp("Where messages are sent, by https.", valueName: "url"))
  var url: String

  func run() throws {
    try answering {
      try webhook.changing { (store) throws(WebhookError) in
        try store.move(webhook.name, to: url, at: EventLog.systemClock())
      }
      webhook.say("moved \(webhook.name.printable)", "moved")
    }
  }
}

struct WebhookRotate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Gives a webhook another secret, and prints it once.",
    discussion: """
      For a day, messages are signed with both secrets, so that the receiver can change over \
      without losing one. Example:

        SECRET=$(daybook webhook rotate shop)
      """)

  @OptionGroup var webhook: WebhookOptions

  func run() throws {
    try answering {
      let secret = try webhook.changing { (store) throws(WebhookError) in
        try store.rotate(webhook.name, at: EventLog.systemClock())
      }
      guard webhook.format != .table else { return Console.print(secret) }
      var json = JSONText()
      json.object { json in
        json.member("name", webhook.name)
        json.member("secret", secret)
      }
      Console.print(json.text)
    }
  }
}

struct WebhookRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Ends a webhook, with the messages that wait for it.",
    discussion: """
      Example:

        daybook webhook remove shop
      """)

  @OptionGroup var webhook: WebhookOptions

  func run() throws {
    try answering {
      try webhook.changing { (store) throws(WebhookError) in try store.remove(webhook.name) }
      webhook.say("removed \(webhook.name.printable)", "removed")
    }
  }
}
