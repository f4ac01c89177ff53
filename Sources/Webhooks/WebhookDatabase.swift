internal import Foundation
internal import GRDB
internal import ServiceAccess

/// The file `service/webhooks.sqlite` in a ledger's folder: the webhooks, what they were told, and
/// what they are still to be told. It is private to its owner, because it has the secrets that sign
/// messages.
///
/// It has no name of a person: messages have the numbers of accounts, and are written out when they
/// are sent. So what is erased from the ledger is erased here.
final class WebhookDatabase: Sendable {
  static let fileName = "webhooks.sqlite"
  /// The version of the tables below.
  static let version = 3
  /// How long a change waits for one of another process, in seconds.
  private static let busySeconds: TimeInterval = 10

  let path: String
  private let queue: DatabaseQueue

  /// The path of the file of a ledger.
  static func path(ofLedger path: String) -> String {
    "\(path)/\(ServiceFolder.name)/\(fileName)"
  }

  /// Opens the file of a ledger, and makes it if it is missing.
  ///
  /// - Throws: ``WebhookError``: `noLedger`, `unknownVersion`, `busy`, `disk`.
  static func open(creatingIn ledger: String) throws(WebhookError) -> WebhookDatabase {
    do throws(TokenError) { try ServiceFolder.make(in: ledger) } catch {
      throw WebhookError(error.code == .noLedger ? .noLedger : .disk, error.message)
    }
    return try WebhookDatabase(path(ofLedger: ledger))
  }

  /// Opens the file of a ledger; nil if it never had a webhook.
  ///
  /// - Throws: As ``open(creatingIn:)``.
  static func open(ofLedger ledger: String) throws(WebhookError) -> WebhookDatabase? {
    do throws(TokenError) { try ServiceFolder.requireLedger(at: ledger) } catch {
      throw WebhookError(error.code == .noLedger ? .noLedger : .disk, error.message)
    }
    let path = path(ofLedger: ledger)
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try WebhookDatabase(path)
  }

  private init(_ path: String) throws(WebhookError) {
    self.path = path
    if !FileManager.default.fileExists(atPath: path) {
      // SQLite gives the files beside it the rights of this one.
      let made = FileManager.default.createFile(
        atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
      guard made else { throw WebhookError(.disk, "\(path) cannot be made.") }
    }
    var configuration = Configuration()
    configuration.busyMode = .timeout(Self.busySeconds)
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL")
      // What was committed is on the disk: a message that was counted as sent is not sent again,
      // and one that was found is not forgotten.
      try database.execute(sql: "PRAGMA synchronous = FULL")
      // What was forgotten about an erased customer is in no free page.
      try database.execute(sql: "PRAGMA secure_delete = ON")
    }
    do {
      queue = try DatabaseQueue(path: path, configuration: configuration)
      let found = try queue.write { database in
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        switch found {
        case 0: try database.execute(sql: Self.tables)
        case 1: try database.execute(sql: Self.columnsOfVersion2 + Self.columnsOfVersion3)
        case 2: try database.execute(sql: Self.columnsOfVersion3)
        default: return found
        }
        try database.execute(sql: "PRAGMA user_version = \(Self.version)")
        return Self.version
      }
      guard found == Self.version else {
        throw WebhookError(
          .unknownVersion,
          "\(path) is of version \(found), and this program knows version \(Self.version): use the "
            + "program that wrote it, or a newer one.")
      }
    } catch let error as WebhookError { throw error } catch { throw Self.failure(error, path) }
  }

  private static func failure(_ error: any Error, _ path: String) -> WebhookError {
    if let known = error as? WebhookError { return known }
    if let known = error as? DatabaseError { return WebhookError(known, path) }
    return WebhookError(.disk, "\(path) cannot be used: \(error)")
  }

  /// Changes the tables in one transaction, which is durable when this returns.
  ///
  /// - Throws: What `body` throws if it is a ``WebhookError``; `busy`, `disk`.
  func write<Value>(_ body: (Database) throws -> Value) throws(WebhookError) -> Value {
    do { return try queue.write(body) } catch { throw Self.failure(error, path) }
  }

  /// Reads the tables as they are at one moment.
  ///
  /// - Throws: As ``write(_:)``.
  func read<Value>(_ body: (Database) throws -> Value) throws(WebhookError) -> Value {
    do { return try queue.read(body) } catch { throw Self.failure(error, path) }
  }

  func close() throws(WebhookError) {
    do { try queue.close() } catch { throw Self.failure(error, path) }
  }

  /// What version 2 has more than version 1: where the ledger ended when a webhook was made, and
  /// how often somebody has asked to send at once.
  private static let columnsOfVersion2 = """
    ALTER TABLE webhooks ADD COLUMN madeAfter INTEGER;
    ALTER TABLE webhooks ADD COLUMN wakes INTEGER NOT NULL DEFAULT 0;
    """

  /// What version 3 has more than version 2: the position at which an account had what was told.
  private static let columnsOfVersion3 = """
    ALTER TABLE told ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
    UPDATE told SET position = coalesce(
      (SELECT json_extract(content, '$.position') FROM progress), 0);
    """

  /// Times are microseconds since 1970. A delivery's state is a number of ``Delivery/State``. The
  /// first waiting delivery of each customer is the one that is tried: it has `nextAt`, and the
  /// others of the customer have not. A delivery's customer is that of its message, but for one
  /// that waits for no other: that has the negative number of its message.
  private static let tables = """
    CREATE TABLE webhooks (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      url TEXT NOT NULL,
      filter TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      since INTEGER,
      pausedAt INTEGER,
      pauseReason TEXT,
      secret BLOB NOT NULL,
      previousSecret BLOB,
      previousUntil INTEGER,
      madeAfter INTEGER,
      wakes INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE progress (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      content TEXT NOT NULL
    ) STRICT;
    CREATE TABLE told (
      account INTEGER PRIMARY KEY,
      due INTEGER,
      entries TEXT NOT NULL,
      position INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX toldDue ON told (due) WHERE due IS NOT NULL;
    CREATE TABLE findings (
      anchor INTEGER NOT NULL,
      hash INTEGER NOT NULL,
      finding TEXT NOT NULL,
      PRIMARY KEY (anchor, hash)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE messages (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL,
      type TEXT NOT NULL,
      customer INTEGER NOT NULL,
      isAboutAccount INTEGER NOT NULL,
      position INTEGER NOT NULL,
      at INTEGER NOT NULL,
      content TEXT NOT NULL
    ) STRICT;
    CREATE INDEX messageCustomer ON messages (customer);
    CREATE INDEX messageID ON messages (id);
    CREATE TABLE deliveries (
      webhook INTEGER NOT NULL REFERENCES webhooks ON DELETE CASCADE,
      message INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
      customer INTEGER NOT NULL,
      state INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      firstAt INTEGER,
      lastAt INTEGER,
      nextAt INTEGER,
      status INTEGER,
      problem TEXT,
      PRIMARY KEY (webhook, message)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX deliveryQueue ON deliveries (webhook, customer, message) WHERE state = 0;
    CREATE INDEX deliveryDue ON deliveries (webhook, nextAt) WHERE nextAt IS NOT NULL;
    CREATE INDEX deliveryState ON deliveries (webhook, state, message);
    CREATE INDEX deliveryMessage ON deliveries (message);
    """
}
