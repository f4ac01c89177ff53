public import LMDB
public import LedgerEvents
internal import PageReading

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The log of a ledger: every event, in the order of arrival. Each is acknowledged after one
/// durable commit.
///
/// Open it once per process and share it. Reading takes a snapshot and never waits. Appends go
/// through one writer per process, and through LMDB's lock between processes. See
/// ``append(_:options:)``, ``read(_:)`` and ``LogSnapshot``.
public final class EventLog: Sendable {
  /// Whether a log is opened for appending or only for reading.
  public enum Access: Sendable {
    case readWrite
    case readOnly
  }

  /// The ledger's folder; the log is the folder `log` in it.
  public let path: String
  public let access: Access
  public let identity: LogIdentity
  /// The log's environment, for copies and for LMDB's statistics.
  public let environment: Environment

  package let tables: LogTables
  package let clock: @Sendable () -> Instant
  let writer: LogWriter
  /// Keeps the root of the tree after each commit.
  let roots: RootKeeper

  /// The name of the log's folder in the ledger's.
  public static let folderName = "log"

  /// The system's clock, in microseconds.
  public static let systemClock: @Sendable () -> Instant = {
    Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
  }

  private init(
    path: String, access: Access, mode: UInt32, environment: Environment, tables: LogTables,
    identity: LogIdentity, clock: @escaping @Sendable () -> Instant, keysIn folder: String? = nil
  ) {
    self.path = path
    self.access = access
    self.environment = environment
    var tables = tables
    tables.texts = PersonalTexts(
      keys: PersonalKeys(
        folder: folder ?? path, identity, isWritable: access == .readWrite))
    self.tables = tables
    self.identity = identity
    self.clock = clock
    roots = RootKeeper(folder: path, ledger: identity.ledger, mode: mode)
    writer = LogWriter(
      environment: environment, tables: tables, keyHash: identity.keyHash, roots: roots,
      clock: clock)
  }

  /// Opens the log of the ledger in the folder `path`.
  ///
  /// - Complexity: O(1). What an append needs to know about earlier events is read with the first
  ///   append.
  /// - Throws: ``LedgerError``: `noLedger`; `unknownFormat`; `busy` if this process has it open;
  ///   `readOnly` without permission to write; `corrupt`, also if the log is behind the root that
  ///   was kept beside it; `io`.
  public convenience init(
    open path: String, access: Access = .readWrite,
    options: Environment.Options = Environment.Options(),
    clock: @escaping @Sendable () -> Instant = EventLog.systemClock
  ) throws(LedgerError) {
    try self.init(open: path, access: access, options: options, clock: clock, keysIn: nil)
    do throws(LedgerError) {
      // The kept root is read first, so a snapshot that is taken afterwards is never behind it.
      guard let kept = try roots.kept() else { return }
      try read { (view) throws(LedgerError) in try kept.check(view, file: roots.path) }
    } catch {
      try close()
      throw error
    }
  }

  /// Opens a log whose key file is in another folder. This is for copies, which contain no keys.
  package convenience init(
    open path: String, access: Access, options: Environment.Options = Environment.Options(),
    clock: @escaping @Sendable () -> Instant = EventLog.systemClock, keysIn folder: String?
  ) throws(LedgerError) {
    guard try EventLog.hasLog(path) else { throw EventLog.noLedger(at: path) }
    var options = options
    options.readOnly = access == .readOnly
    let unfinished = LedgerError(
      .noLedger,
      "The creation of the ledger at \(path) was interrupted: run `daybook init \(path)` again.")
    let environment: Environment
    let tables: LogTables
    do throws(LedgerError) {
      environment = try EventLog.open(path, options)
      tables = try LogTables(of: environment, else: unfinished)
    } catch {
      // The file is there, so it can only be empty.
      if error.code == .noLedger { throw unfinished }
      let isUnbegun = error.code == .corrupt ? try EventLog.isUnbegun(path) : false
      throw isUnbegun ? unfinished : try EventLog.damagedMeta(path, thatCauses: error) ?? error
    }
    guard let identity = try EventLog.identity(environment, tables) else { throw unfinished }
    self.init(
      path: path, access: access, mode: options.mode, environment: environment, tables: tables,
      identity: identity, clock: clock, keysIn: folder)
  }

  /// Creates an empty ledger in the folder `path` and opens it. The folder is created if it is
  /// missing.
  ///
  /// - Throws: ``LedgerError``: `exists`, also if the folder holds a backup in one file or files
  ///   of another ledger; `cannotCreate`, `readOnly`, `io`.
  public static func create(
    at path: String, options: Environment.Options = Environment.Options(),
    clock: @escaping @Sendable () -> Instant = EventLog.systemClock
  ) throws(LedgerError) -> EventLog {
    // The log of an empty path would be made in the root folder.
    guard !path.isEmpty else {
      throw LedgerError(.cannotCreate, "The path of the new ledger is empty: name a folder.")
    }
    try refuseForeignFiles(in: path)
    try makeFolder(path, mode: options.mode)
    let environment = try openUnbegun(path, options)
    let tables = try LogTables(creatingIn: environment)
    // A log that was in use and has lost its identity must not get a new one.
    try checkUnused(environment, tables)
    let identity = try makeIdentity(path, options.mode, environment, tables, clock)
    return EventLog(
      path: path, access: .readWrite, mode: options.mode, environment: environment,
      tables: tables, identity: identity, clock: clock)
  }

  /// Why the root of the last commit of this process could not be written beside the log; `nil` if
  /// it was written.
  ///
  /// The appended events are durable all the same. But until a root can be written again, opening
  /// the log does not notice if the events after the last kept root are lost.
  public var rootFailure: String? { roots.failure()?.message }

  /// Closes the ledger in this process.
  ///
  /// - Throws: ``LedgerError``: `busy` while something is reading or appending, `io`.
  public func close() throws(LedgerError) {
    // The kept root is only a hint, so the ledger is closed even if it cannot be synced.
    var failure: LedgerError?
    do throws(LedgerError) { try roots.sync() } catch { failure = error }
    do throws(LMDBError) { try environment.close() } catch { throw LedgerError(error) }
    if let failure { throw failure }
  }
}

extension EventLog {
  /// Creates the key file of a new ledger, and then writes the ledger's identity.
  private static func makeIdentity(
    _ path: String, _ mode: UInt32, _ environment: Environment, _ tables: LogTables,
    _ clock: @Sendable () -> Instant
  ) throws(LedgerError) -> LogIdentity {
    var random = SystemRandom()
    let head = KeyFileHead(
      ledger: [UInt8](random: LogIdentity.ledgerByteCount, using: &random), using: &random)
    let identity = try LogIdentity(createdAt: clock(), keys: head, using: &random)
    var transaction: WriteTransaction
    do throws(LMDBError) { transaction = try environment.beginWrite() } catch {
      throw LedgerError(error)
    }
    guard try LogIdentity.row(.format, transaction.view, tables) == nil else {
      throw LedgerError(.exists, "There is a ledger at \(path) already: choose another path.")
    }
    // Under the lock, and before the identity that the files belong to.
    do throws(LMDBError) { try writeAgain(dataFile(path)) } catch { throw LedgerError(error) }
    try PersonalKeys.create(in: path, head, mode: mode)
    do throws(LMDBError) {
      try identity.write(to: &transaction, tables)
      try transaction.commit()
    } catch { throw LedgerError(error) }
    return identity
  }

  /// Writes what a file holds once more, and syncs it. If an earlier attempt could not sync it, the
  /// system takes for written what never reached the disk, and LMDB never writes the beginnings of
  /// its meta pages again.
  ///
  /// To be called under the log's write lock, while the log holds nothing but its empty tables.
  private static func writeAgain(_ path: String) throws(LMDBError) {
    guard let file = try FlatFile.open(path, isWritable: true) else { return }
    try file.write(try file.read(at: 0, count: try file.size()), at: 0)
    try file.sync()
  }

  static func dataFile(_ path: String) -> String {
    "\(path)/\(folderName)/\(Environment.dataFileName)"
  }

  /// Creates the folder `path` and missing folders above it, and makes their names durable.
  private static func makeFolder(_ path: String, mode: UInt32) throws(LedgerError) {
    // Whoever may list the folder must also be able to enter it.
    let rights = mode | ((mode & 0o444) >> 2)
    var missing: [String] = []
    var folder = URL(fileURLWithPath: path)
    while !FileManager.default.fileExists(atPath: folder.path), folder.path != "/" {
      missing.append(folder.path)
      folder.deleteLastPathComponent()
    }
    if missing.isEmpty, !FileManager.default.fileExists(atPath: folder.path + "/.") {
      throw LedgerError(.exists, "There is a file at \(path): choose another path.")
    }
    do throws(LMDBError) {
      for path in missing.reversed() {
        try LMDB.makeFolder(path, mode: path == missing.first ? rights : outerFolderMode)
        try syncFolder(path + "/..")
      }
      if let last = missing.first {
        try setRights(of: last, to: rights)
      } else {
        // The folder may be left from an attempt that was interrupted before its name was synced.
        try syncFolder(path + "/..")
      }
    } catch {
      throw LedgerError(
        LedgerError(error).code, "\(path) cannot be created: \(error.message)", cause: error)
    }
  }

  /// The permissions of folders above a ledger's, before the process's umask is applied.
  private static let outerFolderMode: UInt32 = 0o777

  private static func open(
    _ path: String, _ options: Environment.Options
  ) throws(LedgerError) -> Environment {
    var options = options
    options.maxTables = LogTables.count
    do throws(LMDBError) {
      return try Environment.open("\(path)/\(folderName)", options: options)
    } catch {
      throw LedgerError(error)
    }
  }

  private static func identity(
    _ environment: Environment, _ tables: LogTables
  ) throws(LedgerError) -> LogIdentity? {
    var transaction: ReadTransaction
    do throws(LMDBError) { transaction = try environment.beginRead() } catch {
      throw LedgerError(error)
    }
    if let identity = try LogIdentity(transaction.view, tables) { return identity }
    try checkUnused(environment, tables)
    let hasKeys: Bool
    do throws(LMDBError) {
      hasKeys = try PersonalKeys.hasSlots(in: folder(of: environment))
    } catch { throw LedgerError(error) }
    guard hasKeys else { return nil }
    // Meanwhile, another process may have created the ledger and appended events.
    do throws(LMDBError) { transaction = try environment.beginRead() } catch {
      throw LedgerError(error)
    }
    if let identity = try LogIdentity(transaction.view, tables) { return identity }
    throw lostIdentity(environment)
  }

  /// Opens the log of a ledger that is created, even if an earlier attempt was interrupted while
  /// LMDB wrote its first two pages.
  private static func openUnbegun(
    _ path: String, _ options: Environment.Options
  ) throws(LedgerError) -> Environment {
    do throws(LedgerError) { return try open(path, options) } catch {
      let isUnbegun = error.code == .corrupt ? try isUnbegun(path) : false
      guard isUnbegun else { throw error }
    }
    return try openAnew(path, options)
  }

  /// Opens the log after another attempt to open it has failed, and removes what an interrupted
  /// attempt to create it left.
  static func openAnew(
    _ path: String, _ options: Environment.Options
  ) throws(LedgerError) -> Environment {
    let lock: FileLock?
    do throws(LMDBError) { lock = try FileLock.tryLock(folder: path) } catch {
      throw LedgerError(error)
    }
    guard let lock else {
      throw LedgerError(.busy, "Another process is creating the ledger at \(path): try again.")
    }
    let environment: Environment
    // Another process may have begun its own file since the first attempt. That file looks unbegun
    // until its first commit, but it can be opened.
    do throws(LedgerError) { environment = try open(path, options) } catch {
      let isUnbegun = error.code == .corrupt ? try isUnbegun(path) : false
      guard isUnbegun else { throw error }
      do { try FileManager.default.removeItem(atPath: dataFile(path)) } catch {
        throw LedgerError(
          .io, "\(dataFile(path)) is left from an attempt to create a ledger: remove it.",
          cause: error)
      }
      environment = try open(path, options)
    }
    lock.unlock()
    return environment
  }

  /// Whether the log ends within LMDB's first two pages, and nothing else shows that the ledger was
  /// in use. No commit fits into them, and they are not synced by themselves. So a power failure or
  /// a full disk may leave any part of them.
  private static func isUnbegun(_ path: String) throws(LedgerError) -> Bool {
    if FileManager.default.fileExists(atPath: "\(path)/\(RootKeeper.fileName)") { return false }
    do throws(LMDBError) {
      guard let file = try FlatFile.open(dataFile(path), isWritable: false) else { return false }
      // A commit may have been cut off from its first pages.
      let metas = try PageFile(dataFile(path))?.plausibleMetas ?? []
      if metas.contains(where: { $0.transaction > 0 }) { return false }
      let isInUse = try PersonalKeys.hasSlots(in: path)
      return try file.size() <= 2 * Environment.newPageSize && !isInUse
    } catch { throw LedgerError(error) }
  }

  /// Rejects a log that was in use and has no identity. A ledger whose creation was interrupted has
  /// no identity either, but it has neither events nor a root, nor key slots, which the first
  /// append creates. The key slots are checked elsewhere: by `identity` if a ledger is opened, and
  /// by `PersonalKeys.create` if one is created.
  private static func checkUnused(
    _ environment: Environment, _ tables: LogTables
  ) throws(LedgerError) {
    let root = "\(folder(of: environment))/\(RootKeeper.fileName)"
    var isUsed = FileManager.default.fileExists(atPath: root)
    do throws(LMDBError) {
      let transaction = try environment.beginRead()
      if try transaction.view.contains(tables.meta, LogIdentity.Row.format.bytes.span) { return }
      if try transaction.view.statistics(tables.records).entries > 0 { isUsed = true }
    } catch { throw LedgerError(error) }
    if isUsed { throw lostIdentity(environment) }
  }

  private static func folder(of environment: Environment) -> String {
    String(environment.path.dropLast(folderName.utf8.count + 1))
  }

  private static func lostIdentity(_ environment: Environment) -> LedgerError {
    LedgerError(
      .corrupt,
      "The log in \(environment.path) has lost its identity and was in use. Restore the ledger "
        + "from a backup.")
  }
}
