import Synchronization
import Webhooks

/// The webhooks of the service's ledger, opened when there are any.
final class WebhookKeeper: Sendable {
  let ledger: String
  private let held = Mutex<WebhookStore?>(nil)

  init(ledger: String) { self.ledger = ledger }

  /// The webhooks; nil if there never was one.
  ///
  /// - Throws: ``WebhookError``.
  func store() throws(WebhookError) -> WebhookStore? {
    try opened { () throws(WebhookError) in try WebhookStore(ledger: ledger) }
  }

  /// The webhooks, to add one.
  ///
  /// - Throws: ``WebhookError``.
  func storeMade() throws(WebhookError) -> WebhookStore {
    let store = try opened { () throws(WebhookError) in try WebhookStore(creatingIn: ledger) }
    guard let store else { throw WebhookError(.disk, "The webhooks cannot be opened.") }
    return store
  }

  private func opened(
    _ open: () throws(WebhookError) -> WebhookStore?
  ) throws(WebhookError) -> WebhookStore? {
    try held.withLock { (held) throws(WebhookError) in
      if held == nil { held = try open() }
      return held
    }
  }

  func close() throws(WebhookError) {
    try held.withLock { (held) throws(WebhookError) in
      try held?.close()
      held = nil
    }
  }
}
