internal import LMDB
internal import LedgerEvents
internal import LedgerModel

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// One generation of projections: an LMDB environment in `projections/<generation>/` that can be
/// thrown away and folded anew from the log.
final class Projections: Sendable {
  let environment: Environment
  let tables: ProjectionTables
  let generation: UInt64
  let absentIDs = AbsenceFilter()
  let absentNames = AbsenceFilter()

  static let folderName = "projections"

  private init(_ environment: Environment, _ tables: ProjectionTables, _ generation: UInt64) {
    self.environment = environment
    self.tables = tables
    self.generation = generation
  }

  /// Where the projections of a ledger are.
  static func folder(of log: EventLog, generation: UInt64? = nil) -> String {
    let folder = "\(log.path)/\(folderName)"
    return generation.map { "\(folder)/\($0)" } ?? folder
  }

  /// Makes the generation's folder where it is missing, and opens it to write.
  static func make(_ generation: UInt64, of log: EventLog) throws(LedgerError) -> Projections {
    let path = folder(of: log, generation: generation)
    try makeFolder(of: log, generation: generation)
    let environment = try open(path, log, readOnly: false)
    return Projections(environment, try ProjectionTables(creatingIn: environment), generation)
  }

  /// Makes projections in a folder of their own, to be compared and thrown away.
  static func scratch(in folder: String, of log: EventLog) throws(LedgerError) -> Projections {
    var options = log.environment.options
    options.usesLocks = true
    options.sync = .onRequest
    let environment = try open(folder, options, readOnly: false)
    return Projections(environment, try ProjectionTables(creatingIn: environment), 0)
  }

  /// Opens the generation to read; nil where it is missing or was not made to the end.
  static func open(_ generation: UInt64, of log: EventLog) throws(LedgerError) -> Projections? {
    try checkFolder(of: log, generation: generation)
    guard exist(generation, of: log) else { return nil }
    let path = folder(of: log, generation: generation)
    let environment = try open(path, log, readOnly: true)
    guard let tables = try ProjectionTables(of: environment) else { return nil }
    return Projections(environment, tables, generation)
  }

  /// Whether the files of a generation are there.
  static func exist(_ generation: UInt64, of log: EventLog) -> Bool {
    let path = folder(of: log, generation: generation)
    return FileManager.default.fileExists(atPath: "\(path)/\(Environment.dataFileName)")
  }

  private static func open(
    _ path: String, _ log: EventLog, readOnly: Bool
  ) throws(LedgerError) -> Environment {
    try open(path, log.environment.options, readOnly: readOnly)
  }

  private static func open(
    _ path: String, _ options: Environment.Options, readOnly: Bool
  ) throws(LedgerError) -> Environment {
    var options = options
    options.readOnly = readOnly
    options.maxTables = ProjectionTables.count
    do throws(LMDBError) { return try Environment.open(path, options: options) } catch {
      throw LedgerError(ofProjections: error)
    }
  }

  /// Where folding goes on: the confirmed checkpoint, or the beginning where nothing was folded
  /// yet; nil where the log does not confirm it.
  ///
  /// - Throws: ``LedgerError``: `rebuildNeeded` where another reducer or format was at work.
  func start(
    _ view: TransactionView, confirmedBy log: LogView, _ identity: LogIdentity
  ) throws(LedgerError) -> Checkpoint? {
    guard let found = try Checkpoint(view, tables) else {
      return Checkpoint(ledger: identity.ledger, root: try log.root(at: 0).bytes)
    }
    guard try found.isConfirmed(by: log, identity) else { return nil }
    try found.requireThisReducer()
    return found
  }

  /// The position of the checkpoint.
  func position() throws(LedgerError) -> UInt64 {
    let reading = try beginRead()
    return try Checkpoint(reading.view, tables)?.position ?? 0
  }

  /// The version of the reducer that folded them; nil where nothing was folded yet.
  func storedReducer() throws(LedgerError) -> UInt32? {
    let reading = try beginRead()
    return try Checkpoint(reading.view, tables)?.reducer
  }

  func beginRead() throws(LedgerError) -> ReadTransaction {
    do throws(LMDBError) { return try environment.beginRead() } catch {
      throw LedgerError(ofProjections: error)
    }
  }

  @_lifetime(immortal)
  func beginWrite() throws(LedgerError) -> WriteTransaction {
    do throws(LMDBError) { return try environment.beginWrite() } catch {
      throw LedgerError(ofProjections: error)
    }
  }
}
