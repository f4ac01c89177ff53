internal import LedgerAnswers
internal import LedgerEvents
internal import LedgerModel
internal import LedgerQueries
internal import LedgerStore

/// Messages as their receivers read them.
enum MessageContent {
  /// A difference, as a JSON object without the account.
  static func of(_ difference: AnswerDifference) -> String {
    var json = JSONText()
    json.object { json in
      json.member("environment", difference.environment.text)
      AnswerDifference.writeEntries(difference, to: &json)
    }
    return json.text
  }

  /// The whole text of a message; nil if its customer was erased.
  ///
  /// Source: Standard Webhooks 1.0.0, *Payload structure*: `type`, `timestamp` and `data`.
  ///
  /// - Throws: ``LedgerError``, ``WebhookError``.
  static func text(_ message: WaitingMessage, _ view: FoldedView) throws -> String? {
    if message.customer != 0, try view.log.isErased(name: message.customer) { return nil }
    let data = try data(of: message, view)
    var json = JSONText()
    json.object { json in
      json.member("type", message.type)
      json.member("timestamp", message.at)
      json.key("data")
      json.raw(data)
    }
    return json.text
  }

  private static func data(of message: WaitingMessage, _ view: FoldedView) throws -> String {
    switch message.type {
    case MessageType.test: return message.content
    case MessageType.changed:
      var json = JSONText()
      json.object { json in
        json.member("account", view.texts.text(of: message.customer))
        json.member("position", message.position)
        json.member("at", message.at)
        // The other members, without the braces around them.
        json.members(String(message.content.dropFirst().dropLast()))
      }
      return json.text
    case MessageType.opened, MessageType.closed:
      let finding = try NotedFinding(text: message.content).finding
      var json = JSONText()
      json.object { json in
        json.member("knownAt", message.position)
        json.key("finding")
        FindingAnswer(finding, texts: view.texts).writeWithAdvice(to: &json)
      }
      return json.text
    default:
      let event = try view.log.event(at: message.position)
      var json = JSONText()
      json.object { json in
        json.member(
          "account", message.isAboutAccount ? view.texts.text(of: message.customer) : nil)
        json.key("event")
        json.raw(String(decoding: EventEncoder().encode(event), as: UTF8.self))
      }
      return json.text
    }
  }
}
