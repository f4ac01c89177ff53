internal import Foundation
internal import GRDB
package import LedgerEvents
internal import LedgerModel

/// The webhooks of a ledger, and what became of their messages, for those who run the service.
///
/// Any process can use it while the service runs, which sees a change within a second.
package struct WebhookStore: Sendable {
  let database: WebhookDatabase

  /// Opens the webhooks of a ledger to add the first one, if there is none yet.
  ///
  /// - Throws: ``WebhookError``: `noLedger`, `unknownVersion`, `busy`, `disk`.
  package init(creatingIn ledger: String) throws(WebhookError) {
    database = try WebhookDatabase.open(creatingIn: ledger)
  }

  /// Opens the webhooks of a ledger; nil if it never had one.
  ///
  /// - Throws: ``WebhookError``: `noLedger`, `unknownVersion`, `busy`, `disk`.
  package init?(ledger: String) throws(WebhookError) {
    guard let database = try WebhookDatabase.open(ofLedger: ledger) else { return nil }
    self.database = database
  }

  /// Closes the file in this process.
  package func close() throws(WebhookError) { try database.close() }

  // MARK: - Changes

  /// Adds a webhook, which tells what later events change. It is durable when this returns.
  ///
  /// - Parameters:
  ///   - webhook: What it tells, and where.
  ///   - position: The ledger's last position: nothing is told of what was there before.
  /// - Returns: The secret that signs its messages. It is told this once.
  /// - Throws: ``WebhookError``: `invalid`, `exists`, `limitReached`, `busy`, `disk`.
  package func create(
    _ webhook: Webhook, after position: UInt64
  ) throws(WebhookError) -> String {
    try webhook.check()
    let secret = try MessageSignature.newSecret()
    let filter = try FilterForm.text(webhook.filter)
    try database.write { database in
      let there = try Int.fetchOne(database, sql: "SELECT count(*) FROM webhooks") ?? 0
      guard there < Webhook.countMax else {
        throw WebhookError(
          .limitReached,
          "there are \(Webhook.countMax) webhooks, which is the limit: remove those that nobody "
            + "uses.")
      }
      let isTaken = try Row.fetchOne(
        database, sql: "SELECT 1 FROM webhooks WHERE name = ?", arguments: [webhook.name])
      guard isTaken == nil else {
        throw WebhookError(
          .exists,
          "there is a webhook \(webhook.name): choose another name, or remove that one first.")
      }
      // Others may have been told of later events by now, which are not looked at again.
      let told = try TellingProgress.saved(in: database)?.position ?? 0
      try database.execute(
        sql: """
          INSERT INTO webhooks (name, url, filter, createdAt, secret, madeAfter)
          VALUES (?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          webhook.name, webhook.url, filter, webhook.createdAt.microseconds, Data(secret),
          Int64(max(position, told)),
        ])
    }
    return MessageSignature.text(of: secret)
  }

  /// Removes a webhook, with the messages that wait for it.
  ///
  /// - Throws: ``WebhookError``: `unknown`, `busy`, `disk`.
  package func remove(_ name: String) throws(WebhookError) {
    try database.write { database in
      let id = try Self.id(of: name, database)
      try database.execute(sql: "DELETE FROM webhooks WHERE id = ?", arguments: [id])
      // Nobody is told any more, so nothing has to be known of what was told.
      if try Int.fetchOne(database, sql: "SELECT count(*) FROM webhooks") == 0 {
        for table in ["progress", "told", "findings", "messages"] {
          try database.execute(sql: "DELETE FROM \(table)")
        }
      }
    }
  }

  /// Sends nothing until ``resume(_:at:)``, and collects what is to be told. Does nothing if it is
  /// paused.
  ///
  /// - Throws: ``WebhookError``: `unknown`, `busy`, `disk`.
  package func pause(_ name: String, at now: Instant) throws(WebhookError) {
    try database.write { database in
      let id = try Self.id(of: name, database)
      try database.execute(
        sql: """
          UPDATE webhooks SET pausedAt = coalesce(pausedAt, ?), pauseReason = NULL WHERE id = ?
          """,
        arguments: [now.microseconds, id])
    }
  }

  /// Sends again, everything that waits at once.
  ///
  /// - Throws: ``WebhookError``: `unknown`, `busy`, `disk`.
  package func resume(_ name: String, at now: Instant) throws(WebhookError) {
    try database.write { database in
      let id = try Self.id(of: name, database)
      try database.execute(
        sql: "UPDATE webhooks SET pausedAt = NULL, pauseReason = NULL WHERE id = ?",
        arguments: [id])
      try Self.wake(id, database)
      try Self.hurry(id, at: now, database)
    }
  }

  /// Sends to another address from the next attempt on, everything that waits at once.
  ///
  /// - Throws: ``WebhookError``: `invalid`, `unknown`, `busy`, `disk`.
  package func move(
    _ name: String, to url: String, at now: Instant
  ) throws(WebhookError) {
    try TargetURL.check(url)
    try database.write { database in
      let id = try Self.id(of: name, database)
      try database.execute(
        sql: "UPDATE webhooks SET url = ? WHERE id = ?", arguments: [url, id])
      try Self.wake(id, database)
      try Self.hurry(id, at: now, database)
    }
  }

  /// Notes that somebody wants messages to be sent at once. The service, which may be another
  /// process, forgets then how often the receiver has failed.
  static func wake(_ id: Int64, _ database: Database) throws {
    try database.execute(
      sql: "UPDATE webhooks SET wakes = wakes + 1 WHERE id = ?", arguments: [id])
  }

  /// Makes due what failed and waits for its next attempt. If that fails, too, the waits begin with
  /// the shortest one again.
  private static func hurry(_ id: Int64, at now: Instant, _ database: Database) throws {
    try database.execute(
      sql: """
        UPDATE deliveries SET nextAt = min(nextAt, ?), attempts = 0
        WHERE webhook = ? AND nextAt IS NOT NULL
        """,
      arguments: [now.microseconds, id])
  }

  /// Gives a webhook another secret. For a day, messages are signed with both, so that the receiver
  /// can change over without losing one.
  ///
  /// - Returns: The new secret. It is told this once.
  /// - Throws: ``WebhookError``: `unknown`, `busy`, `disk`.
  package func rotate(_ name: String, at now: Instant) throws(WebhookError) -> String {
    let secret = try MessageSignature.newSecret()
    try database.write { database in
      let id = try Self.id(of: name, database)
      try database.execute(
        sql: """
          UPDATE webhooks SET previousSecret = secret, previousUntil = ?, secret = ? WHERE id = ?
          """,
        arguments: [now.microseconds + Self.overlap, Data(secret), id])
    }
    return MessageSignature.text(of: secret)
  }

  /// How long the previous secret signs, too, in microseconds.
  private static let overlap = Instant.day

  /// Sends a message that says nothing, at once, to see whether it arrives. It waits for no other
  /// one.
  ///
  /// - Throws: ``WebhookError``: `unknown`, `busy`, `disk`.
  package func test(_ name: String, at now: Instant) throws(WebhookError) {
    // Each one is another message.
    let once = try MessageSignature.newSecret().reduce(0 as UInt64) { $0 &* 31 &+ UInt64($1) }
    try database.write { database in
      let id = try Self.id(of: name, database)
      let message = Message(
        type: MessageType.test, customer: 0, isAboutAccount: false, position: 0, statesAt: [],
        at: now.microseconds, content: "{\"webhook\":\"\(name)\",\"number\":\"\(once)\"}")
      let number = try DeliveryQueue.add(message, in: [], database)
      try DeliveryQueue.enqueue(
        number, of: message, for: id, at: now, isAlone: true, database)
      try Self.wake(id, database)
    }
  }

  // MARK: - Reading

  /// Returns all webhooks in the order of their names, with the counts of their deliveries.
  ///
  /// - Complexity: O(*n*) in the deliveries, by an index.
  /// - Throws: ``WebhookError``: `busy`, `disk`.
  package func list() throws(WebhookError) -> [(webhook: Webhook, counts: DeliveryCounts)] {
    try database.read { database in
      try Row.fetchAll(database, sql: "SELECT * FROM webhooks ORDER BY name").map { row in
        (try StoredWebhook(row).webhook, try Self.counts(of: row["id"], database))
      }
    }
  }

  /// Returns how many deliveries of each webhook wait or are dead letters, in the order of the
  /// names.
  ///
  /// - Complexity: O(*n*) in these deliveries, by an index. Those that were delivered, of which
  ///   there are a month's, are not looked at.
  /// - Throws: ``WebhookError``: `busy`, `disk`.
  package func unsent() throws(WebhookError) -> [(name: String, waiting: Int, dead: Int)] {
    try database.read { database in
      let count = "SELECT count(*) FROM deliveries WHERE webhook = id AND state ="
      return try Row.fetchAll(
        database,
        sql: """
          SELECT name, (\(count) ?) AS waiting, (\(count) ?) AS dead FROM webhooks ORDER BY name
          """, arguments: [Delivery.State.waiting.rawValue, Delivery.State.dead.rawValue]
      ).map { row in (row["name"], row["waiting"], row["dead"]) }
    }
  }

  /// Returns a webhook.
  ///
  /// - Throws: ``WebhookError``: `unknown`, `busy`, `disk`.
  package func webhook(
    named name: String
  ) throws(WebhookError) -> (webhook: Webhook, counts: DeliveryCounts) {
    try database.read { database in
      let id = try Self.id(of: name, database)
      let row = try Row.fetchOne(
        database, sql: "SELECT * FROM webhooks WHERE id = ?", arguments: [id])
      guard let row else { throw try Self.unknown(name, database) }
      return (try StoredWebhook(row).webhook, try Self.counts(of: id, database))
    }
  }

  private static func counts(of id: Int64, _ database: Database) throws -> DeliveryCounts {
    var counts = DeliveryCounts()
    let rows = try Row.fetchAll(
      database, sql: "SELECT state, count(*) AS n FROM deliveries WHERE webhook = ? GROUP BY state",
      arguments: [id])
    for row in rows {
      switch Delivery.State(rawValue: row["state"]) {
      case .waiting: counts.waiting = row["n"]
      case .delivered: counts.delivered = row["n"]
      case .dead: counts.dead = row["n"]
      case nil: break
      }
    }
    let oldest = try Int64.fetchOne(
      database,
      sql: """
        SELECT at FROM deliveries JOIN messages ON number = message
        WHERE webhook = ? AND state = 0 ORDER BY message LIMIT 1
        """, arguments: [id])
    counts.oldestWaitingAt = oldest.map { Instant(microseconds: $0) }
    return counts
  }

  static func id(of name: String, _ database: Database) throws -> Int64 {
    let found = try Int64.fetchOne(
      database, sql: "SELECT id FROM webhooks WHERE name = ?", arguments: [name])
    guard let found else { throw try unknown(name, database) }
    return found
  }

  private static func unknown(_ name: String, _ database: Database) throws -> WebhookError {
    let names = try String.fetchAll(database, sql: "SELECT name FROM webhooks")
    let near = Spelling.nearest(to: name, among: names, within: 3)
    return WebhookError(
      .unknown,
      "there is no webhook \(name)\(near.map { "; did you mean \($0)?" } ?? ".")"
        + " `daybook webhook list` shows them all.")
  }
}

/// A webhook with what only the service needs.
struct StoredWebhook {
  let id: Int64
  let webhook: Webhook
  let secret: [UInt8]
  let previous: (secret: [UInt8], until: Instant)?
  /// It is told nothing of events up to this position; nil if a version of the program that did not
  /// note it has made it, and no service has taken it up.
  let newsAfter: UInt64?
  /// How often somebody has asked to send at once.
  let wakes: Int64

  init(_ row: Row) throws {
    id = row["id"]
    let created: Int64 = row["createdAt"]
    var webhook = Webhook(
      name: row["name"], url: row["url"], filter: try FilterForm.filter(row["filter"]),
      createdAt: Instant(microseconds: created))
    let since: Int64? = row["since"]
    webhook.since = since.map { UInt64($0) }
    let paused: Int64? = row["pausedAt"]
    webhook.pausedAt = paused.map { Instant(microseconds: $0) }
    webhook.pauseReason = row["pauseReason"]
    self.webhook = webhook
    let made: Int64? = row["madeAfter"]
    newsAfter = made.map { UInt64($0) } ?? webhook.since
    wakes = row["wakes"]
    let secret: Data = row["secret"]
    self.secret = Array(secret)
    let previous: Data? = row["previousSecret"]
    let until: Int64? = row["previousUntil"]
    if let previous, let until {
      self.previous = (Array(previous), Instant(microseconds: until))
    } else {
      self.previous = nil
    }
  }

  /// The secrets that are valid at a moment, the newest first.
  func secrets(at now: Instant) -> [[UInt8]] {
    guard let previous, previous.until > now else { return [secret] }
    return [secret, previous.secret]
  }

  static func all(_ database: Database) throws -> [StoredWebhook] {
    try Row.fetchAll(database, sql: "SELECT * FROM webhooks ORDER BY id").map(StoredWebhook.init)
  }
}

/// A filter as JSON.
private struct FilterForm: Codable {
  /// None if the webhook is for some apps: a program that knows no apps, and has the file open,
  /// tells it nothing then, in place of everything.
  var types: [String]
  var environments: [String]
  var products: [String]
  var rules: [String]
  var severities: [String]
  /// nil for all apps.
  var apps: [String]?
  /// The types of a webhook for some apps.
  var typesOfApps: [String]?

  static func text(_ filter: MessageFilter) throws(WebhookError) -> String {
    let isForApps = !filter.apps.isEmpty
    let form = FilterForm(
      types: isForApps ? [] : filter.types, environments: filter.environments.map(\.text),
      products: filter.products.map(\.text), rules: filter.rules.map(\.id),
      severities: filter.severities.map(\.text),
      apps: isForApps ? filter.apps.map(\.text) : nil,
      typesOfApps: isForApps ? filter.types : nil)
    do { return String(decoding: try JSONEncoder().encode(form), as: UTF8.self) } catch {
      throw WebhookError(.invalid, "the filter cannot be written: \(error)")
    }
  }

  static func filter(_ text: String) throws -> MessageFilter {
    let form = try JSONDecoder().decode(FilterForm.self, from: Data(text.utf8))
    return MessageFilter(
      types: form.typesOfApps ?? form.types,
      environments: form.environments.compactMap(StoreEnvironment.init(text:)),
      products: form.products.map { Name($0) },
      rules: form.rules.compactMap { id in Rule.allCases.first { $0.id == id } },
      severities: form.severities.compactMap { text in
        Rule.Severity.allCases.first { $0.text == text }
      },
      apps: form.apps?.map { Name($0) } ?? [])
  }
}
