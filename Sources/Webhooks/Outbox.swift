internal import Foundation
internal import GRDB
package import LedgerEvents
internal import LedgerModel
package import LedgerStore

/// A message that is to be sent now.
struct WaitingMessage {
  let number: Int64
  let id: String
  let type: String
  let customer: NameNumber
  let isAboutAccount: Bool
  let position: UInt64
  let at: Instant
  let content: String
  /// In which queue of the webhook it is: messages in one are sent one after the other.
  let queue: Int64

  init(_ row: Row) {
    let customer: Int64 = row["customer"]
    let position: Int64 = row["position"]
    let at: Int64 = row["at"]
    (number, id, type) = (row["number"], row["id"], row["type"])
    self.customer = NameNumber(truncatingIfNeeded: customer)
    isAboutAccount = row["isAboutAccount"]
    self.position = UInt64(clamping: position)
    self.at = Instant(microseconds: at)
    content = row["content"]
    queue = row["queue"]
  }
}

/// A webhook for which attempts are counted, until somebody asks to send at once: then it is
/// another one, that has never failed.
package struct Receiver: Hashable, Sendable {
  /// The number of the webhook.
  package let webhook: Int64
  /// How often somebody has asked.
  package let wakes: Int64
}

extension Receiver {
  init(_ stored: StoredWebhook) { self.init(webhook: stored.id, wakes: stored.wakes) }
}

/// One attempt to deliver a message: a request to make.
package struct Attempt: Sendable {
  /// Which delivery it is.
  package struct Key: Hashable, Sendable {
    let webhook: Int64
    let message: Int64
    let customer: Int64
  }

  package let key: Key
  package let receiver: Receiver
  /// The name of the webhook.
  package let webhook: String
  package let url: String
  package let body: String
  /// The headers that say what it is, when it was sent, and that nobody else has sent it.
  package let headers: [(name: String, value: String)]
}

/// How an attempt has ended.
package struct AttemptResult: Sendable {
  package let key: Attempt.Key
  /// The status of the answer; nil if there was none.
  package let status: Int?
  /// Why it failed; nil if it did not.
  package let problem: String?
  /// How many seconds the receiver has asked to wait.
  package let retryAfter: Int64?
  /// Whether it did not come to the receiver, because this machine had no connection to give. That
  /// is no failure of the receiver.
  package let isPostponed: Bool
  /// The receiver as it was when the attempt began.
  let receiver: Receiver

  package init(_ attempt: Attempt, status: Int?, problem: String?, retryAfter: Int64? = nil) {
    (key, receiver, self.status) = (attempt.key, attempt.receiver, status)
    (self.problem, self.retryAfter, isPostponed) = (problem, retryAfter, false)
  }

  /// The result of an attempt that did not come to the receiver.
  package init(_ attempt: Attempt, postponed problem: String) {
    (key, receiver, self.problem) = (attempt.key, attempt.receiver, problem)
    (status, retryAfter, isPostponed) = (nil, nil, true)
  }

  /// The result of an attempt that could not begin.
  init(_ key: Attempt.Key, _ receiver: Receiver, unreadable problem: String) {
    (self.key, self.receiver, self.problem) = (key, receiver, problem)
    (status, retryAfter, isPostponed) = (nil, nil, false)
  }
}

/// The queues of messages, for the one process that sends them.
package struct Outbox: Sendable {
  private let database: WebhookDatabase
  private let ledger: Ledger

  package init(_ ledger: Ledger, _ store: WebhookStore) {
    (self.ledger, database) = (ledger, store.database)
  }

  /// How long a delivered message is kept, to be sent again, and how long a dead letter is.
  static let keptDelivered = 30 * Instant.day
  static let keptDead = 90 * Instant.day
  /// How many deliveries one transaction forgets, so that sending does not wait for it for long.
  static let prunedMax = 5_000

  /// Returns the messages that are to be sent now, no two of one customer to one webhook, written
  /// out and signed. Those of customers who were erased are forgotten.
  ///
  /// - Parameters:
  ///   - now: The present.
  ///   - busy: Deliveries that are under way.
  ///   - limit: How many attempts each webhook may have under way at the same time.
  /// - Throws: ``WebhookError``; ``LedgerError`` if the ledger cannot be read.
  package func due(
    at now: Instant, except busy: Set<Attempt.Key>, limit: (Receiver) -> Int
  ) throws -> [Attempt] {
    var waiting: [(StoredWebhook, WaitingMessage)] = []
    let read = try database.read { database in
      try StoredWebhook.all(database).filter { $0.webhook.pausedAt == nil }.map { stored in
        let underWay = busy.filter { $0.webhook == stored.id }.count
        let rows = try Row.fetchAll(
          database,
          sql: """
            SELECT messages.*, deliveries.customer AS queue
            FROM deliveries JOIN messages ON number = message
            WHERE webhook = ? AND nextAt <= ? ORDER BY nextAt, message LIMIT ?
            """,
          arguments: [
            stored.id, now.microseconds, max(limit(Receiver(stored)), underWay) + underWay,
          ])
        return (stored, underWay, rows.map(WaitingMessage.init))
      }
    }
    for (stored, underWay, messages) in read {
      let free = messages.filter { message in
        !busy.contains { $0.webhook == stored.id && $0.customer == message.queue }
      }
      let room = max(limit(Receiver(stored)) - underWay, 0)
      waiting += free.prefix(room).map { (stored, $0) }
    }
    guard !waiting.isEmpty else { return [] }
    return try attempts(waiting, now)
  }

  private static func key(_ stored: StoredWebhook, _ message: WaitingMessage) -> Attempt.Key {
    Attempt.Key(webhook: stored.id, message: message.number, customer: message.queue)
  }

  private func attempts(
    _ waiting: [(StoredWebhook, WaitingMessage)], _ now: Instant
  ) throws -> [Attempt] {
    var texts: [Result<String?, any Error>] = []
    let read: Void? = try ledger.readFolded { (view) throws(LedgerError) in
      for (_, message) in waiting {
        texts.append(Result { try MessageContent.text(message, view) })
      }
    }
    guard read != nil else { return [] }
    let seconds = now.microseconds / Instant.second
    var attempts: [Attempt] = []
    for ((stored, message), result) in zip(waiting, texts) {
      let text: String
      switch result {
      case .success(let known?): text = known
      case .success(nil):
        try database.write { try DeliveryQueue.forget(message.customer, $0) }
        continue
      case .failure(let error):
        // One message that cannot be read holds up its customer, and nobody else.
        let failed = AttemptResult(
          Self.key(stored, message), Receiver(stored),
          unreadable: "it cannot be read: \(error)")
        try note([failed], at: now)
        continue
      }
      let signature = MessageSignature.header(
        message.id, at: seconds, text, stored.secrets(at: now))
      attempts.append(
        Attempt(
          key: Self.key(stored, message), receiver: Receiver(stored),
          webhook: stored.webhook.name, url: stored.webhook.url, body: text,
          headers: [
            ("content-type", "application/json"), ("webhook-id", message.id),
            ("webhook-timestamp", "\(seconds)"), ("webhook-signature", signature),
          ]))
    }
    return attempts
  }

  /// When the next message is to be sent; nil if none waits.
  ///
  /// - Throws: ``WebhookError``: `busy`, `disk`.
  package func nextDue() throws(WebhookError) -> Instant? {
    try database.read { database in
      try Int64.fetchOne(
        database,
        sql: """
          SELECT min(nextAt) FROM deliveries JOIN webhooks ON id = webhook
          WHERE nextAt IS NOT NULL AND pausedAt IS NULL
          """
      ).map { Instant(microseconds: $0) }
    }
  }

  /// Notes how attempts have ended. That is durable when this returns.
  ///
  /// - Throws: ``WebhookError``: `busy`, `disk`.
  package func note(_ results: [AttemptResult], at now: Instant) throws(WebhookError) {
    try database.write { database in
      for result in results { try Self.note(result, at: now, database) }
    }
  }

  private static func note(
    _ result: AttemptResult, at now: Instant, _ database: Database
  ) throws {
    let key = result.key
    let known = try database.cachedStatement(
      sql: """
        SELECT attempts, firstAt, state, wakes FROM deliveries JOIN webhooks ON id = webhook
        WHERE webhook = ? AND message = ?
        """)
    let row = try Row.fetchOne(known, arguments: [key.webhook, key.message])
    // It was removed meanwhile, with its webhook or its customer.
    guard let row, row["state"] == Delivery.State.waiting.rawValue else { return }
    let before: Int = row["attempts"]
    let attempts = before + (result.isPostponed ? 0 : 1)
    let first: Int64 = row["firstAt"] ?? now.microseconds
    var state = Delivery.State.waiting
    var next: Instant?
    if result.problem == nil {
      state = .delivered
    } else {
      next =
        result.isPostponed
        ? RetrySchedule.postponed(since: Instant(microseconds: first), now: now)
        : RetrySchedule.next(
          after: attempts, since: Instant(microseconds: first), now: now, asked: result.retryAfter,
          chance: UInt64(key.message) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(attempts))
      // Somebody has asked meanwhile to send at once, perhaps to another address.
      let wakes: Int64 = row["wakes"]
      let isOutdated = wakes != result.receiver.wakes
      if next == nil { state = .dead } else if isOutdated { next = now }
      if result.status == goneStatus, !isOutdated { try pause(key.webhook, at: now, database) }
    }
    try database.run(
      """
      UPDATE deliveries
      SET state = ?, attempts = ?, firstAt = ?, lastAt = ?, nextAt = ?, status = ?, problem = ?
      WHERE webhook = ? AND message = ?
      """,
      [
        state.rawValue, attempts, first, now.microseconds, next?.microseconds, result.status,
        result.problem, key.webhook, key.message,
      ])
    // Another one of the customer may have come before it meanwhile, by being sent again.
    try database.run(
      """
      UPDATE deliveries \(DeliveryQueue.byCustomer) SET nextAt = NULL
      WHERE webhook = ?1 AND customer = ?2 AND state = 0 AND nextAt IS NOT NULL AND message > (
        SELECT min(message) FROM deliveries \(DeliveryQueue.byCustomer)
        WHERE webhook = ?1 AND customer = ?2 AND state = 0)
      """,
      [key.webhook, key.customer])
    try DeliveryQueue.advance(key.webhook, key.customer, at: now, database)
  }

  /// The status by which a receiver says that it wants no more.
  ///
  /// Source: Standard Webhooks 1.0.0: 410 Gone disables the endpoint.
  private static let goneStatus = 410

  private static func pause(_ webhook: Int64, at now: Instant, _ database: Database) throws {
    try database.execute(
      sql: """
        UPDATE webhooks SET pausedAt = ?, pauseReason = 'the receiver has answered 410 Gone'
        WHERE id = ? AND pausedAt IS NULL
        """,
      arguments: [now.microseconds, webhook])
  }

  /// Forgets some of what has ended long ago, up to ``prunedMax`` deliveries of a kind.
  ///
  /// - Returns: Whether that was all.
  /// - Complexity: O(*n*) in the deliveries and messages that are kept.
  /// - Throws: ``WebhookError``: `busy`, `disk`.
  package func prune(at now: Instant) throws(WebhookError) -> Bool {
    try database.write { database in
      var isAll = true
      for (state, span) in [
        (Delivery.State.delivered, Self.keptDelivered), (.dead, Self.keptDead),
      ] {
        try database.execute(
          sql: """
            DELETE FROM deliveries WHERE (webhook, message) IN (
              SELECT webhook, message FROM deliveries WHERE state = ? AND lastAt < ? LIMIT ?)
            """,
          arguments: [state.rawValue, now.microseconds - span, Self.prunedMax])
        if database.changesCount == Self.prunedMax { isAll = false }
      }
      try database.execute(
        sql: """
          DELETE FROM messages
          WHERE NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.message = messages.number)
          """)
      return isAll
    }
  }
}
