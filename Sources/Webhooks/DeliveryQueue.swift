internal import Foundation
internal import GRDB
package import LedgerEvents

/// The rows of messages and deliveries, in one transaction of the caller.
enum DeliveryQueue {
  /// How many messages may wait for one webhook. Beyond that, they are dead letters at once, which
  /// can be sent again.
  static let waitingMax = 1_000_000

  /// What stands in statements about the queue of one customer. Without it, SQLite searches the
  /// primary key, which is all that the webhook has.
  static let byCustomer = "INDEXED BY deliveryQueue"

  /// Adds a message, and returns its number.
  static func add(
    _ message: Message, in ledger: [UInt8], _ database: Database
  ) throws -> Int64 {
    try database.run(
      """
      INSERT INTO messages (id, type, customer, isAboutAccount, position, at, content)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        message.id(in: ledger), message.type, Int64(message.customer), message.isAboutAccount,
        Int64(message.position), message.at, message.content,
      ])
    return database.lastInsertedRowID
  }

  /// Puts a message last in the queue of its customer, or into one of its own.
  static func enqueue(
    _ number: Int64, of message: Message, for webhook: Int64, at now: Instant,
    isFull: Bool = false, isAlone: Bool = false, _ database: Database
  ) throws {
    let customer = isAlone ? -number : Int64(message.customer)
    guard !isFull else {
      try database.execute(
        sql: """
          INSERT INTO deliveries (webhook, message, customer, state, lastAt, problem)
          VALUES (?, ?, ?, 2, ?, ?)
          """,
        arguments: [
          webhook, number, customer, now.microseconds,
          "\(waitingMax) messages waited already",
        ])
      return
    }
    let isFirst = try isIdle(webhook, customer, database)
    try database.run(
      """
      INSERT INTO deliveries (webhook, message, customer, state, nextAt) VALUES (?, ?, ?, 0, ?)
      """,
      [webhook, number, customer, isFirst ? now.microseconds : nil])
  }

  static func waitingCount(_ webhook: Int64, _ database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM deliveries WHERE webhook = ? AND state = 0",
      arguments: [webhook]) ?? 0
  }

  private static func isIdle(
    _ webhook: Int64, _ customer: Int64, _ database: Database
  ) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: """
        SELECT 1 FROM deliveries \(byCustomer)
        WHERE webhook = ? AND customer = ? AND state = 0 LIMIT 1
        """)
    return try Row.fetchOne(statement, arguments: [webhook, customer]) == nil
  }

  /// Makes the first waiting delivery of a customer the one that is tried, if none is.
  static func advance(
    _ webhook: Int64, _ customer: Int64, at now: Instant, _ database: Database
  ) throws {
    try database.run(
      """
      UPDATE deliveries SET nextAt = ?3 WHERE webhook = ?1 AND message = (
        SELECT min(message) FROM deliveries \(byCustomer)
        WHERE webhook = ?1 AND customer = ?2 AND state = 0
      ) AND nextAt IS NULL
      """,
      [webhook, customer, now.microseconds])
  }

  /// Forgets everything about a customer who was erased, also what waits.
  static func forget(_ customer: NameNumber, _ database: Database) throws {
    // Deliveries go with their messages.
    try database.execute(
      sql: "DELETE FROM messages WHERE customer = ?", arguments: [Int64(customer)])
    try database.execute(
      sql: "DELETE FROM told WHERE account = ?", arguments: [Int64(customer)])
    try database.execute(
      sql: "DELETE FROM findings WHERE anchor = ?", arguments: [Int64(customer)])
  }
}

extension Database {
  /// Executes a statement that is executed for each message, and is prepared once.
  func run(_ sql: String, _ arguments: StatementArguments) throws {
    try cachedStatement(sql: sql).execute(arguments: arguments)
  }
}

// MARK: - For those who run the service

/// Which deliveries are meant.
package enum DeliveryChoice: Sendable {
  /// The one with the message's id.
  case message(String)
  /// All dead letters.
  case dead
  /// Those whose messages are true at these positions, whatever became of them.
  case positions(ClosedRange<UInt64>)
}

extension WebhookStore {
  /// How many deliveries a page has at most.
  package static let pageMax = 1_000

  /// Returns deliveries of a webhook, the newest first.
  ///
  /// - Parameters:
  ///   - name: The webhook.
  ///   - state: Only those in this state; nil for all.
  ///   - before: Only those whose number is less; nil for the newest.
  ///   - limit: How many at most, up to ``pageMax``.
  /// - Throws: ``WebhookError``: `unknown`, `busy`, `disk`.
  package func deliveries(
    of name: String, in state: Delivery.State? = nil, before: Int64? = nil, limit: Int
  ) throws(WebhookError) -> [Delivery] {
    try database.read { database in
      let id = try Self.id(of: name, database)
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT messages.*, state, attempts, lastAt, nextAt, status, problem
          FROM deliveries JOIN messages ON number = message
          WHERE webhook = ? AND message < ? \(state.map { "AND state = \($0.rawValue)" } ?? "")
          ORDER BY message DESC LIMIT ?
          """,
        arguments: [id, before ?? .max, min(max(limit, 1), Self.pageMax)])
      return rows.map(Delivery.init)
    }
  }

  /// Sends messages again, as if for the first time, with the same ids: a receiver that has had one
  /// of them knows it. Each customer's come in the order of their numbers, with what waits already.
  ///
  /// - Returns: How many will be sent.
  /// - Throws: ``WebhookError``: `unknown` if no kept delivery is meant, `busy`, `disk`.
  package func resend(
    _ choice: DeliveryChoice, of name: String, at now: Instant
  ) throws(WebhookError) -> Int {
    try database.write { database in
      let id = try Self.id(of: name, database)
      let condition: (sql: String, arguments: StatementArguments)
      switch choice {
      case .message(let text):
        condition = ("message IN (SELECT number FROM messages WHERE id = ?)", [text])
      case .dead: condition = ("state = 2", [])
      case .positions(let range):
        let last = Int64(clamping: range.upperBound)
        condition = (
          "position BETWEEN ? AND ? AND position > 0", [Int64(clamping: range.lowerBound), last]
        )
      }
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT message, deliveries.customer AS customer FROM deliveries
          JOIN messages ON number = message
          WHERE webhook = ? AND state <> 0 AND \(condition.sql) ORDER BY message
          """,
        arguments: [id] + condition.arguments)
      if rows.isEmpty {
        if case .message(let text) = choice { throw try Self.noMessage(text, name, id, database) }
      }
      for row in rows {
        let message: Int64 = row["message"]
        try database.execute(
          sql: """
            UPDATE deliveries
            SET state = 0, attempts = 0, firstAt = NULL, nextAt = NULL, problem = NULL
            WHERE webhook = ? AND message = ?
            """, arguments: [id, message])
      }
      for customer in Set(rows.map { $0["customer"] as Int64 }) {
        // One that was being tried, and is no longer the first, waits its turn.
        try database.execute(
          sql: """
            UPDATE deliveries \(DeliveryQueue.byCustomer) SET nextAt = NULL
            WHERE webhook = ? AND customer = ? AND state = 0 AND nextAt IS NOT NULL
            """, arguments: [id, customer])
        try DeliveryQueue.advance(id, customer, at: now, database)
      }
      if !rows.isEmpty { try Self.wake(id, database) }
      return rows.count
    }
  }

  private static func noMessage(
    _ text: String, _ name: String, _ id: Int64, _ database: Database
  ) throws -> WebhookError {
    let waiting = try Row.fetchOne(
      database,
      sql: """
        SELECT 1 FROM deliveries JOIN messages ON number = message
        WHERE webhook = ? AND messages.id = ?
        """, arguments: [id, text])
    if waiting != nil {
      return WebhookError(.exists, "\(text) waits to be sent already.")
    }
    return WebhookError(
      .unknown,
      "the webhook \(name) has no message \(text): `daybook webhook deliveries \(name)` shows "
        + "those that are kept.")
  }
}

extension Delivery {
  fileprivate init(_ row: Row) {
    func instant(_ column: String) -> Instant? {
      let value: Int64? = row[column]
      return value.map { Instant(microseconds: $0) }
    }
    let customer: Int64 = row["customer"]
    let position: Int64 = row["position"]
    self.init(
      number: row["number"], id: row["id"], type: row["type"],
      customer: NameNumber(truncatingIfNeeded: customer),
      isAboutAccount: row["isAboutAccount"], position: UInt64(clamping: position),
      at: instant("at") ?? Instant(microseconds: 0),
      state: State(rawValue: row["state"]) ?? .waiting, attempts: row["attempts"],
      lastAt: instant("lastAt"), nextAt: instant("nextAt"), status: row["status"],
      problem: row["problem"])
  }
}
