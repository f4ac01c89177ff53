internal import LMDB
internal import LedgerEvents
internal import LedgerModel

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// One generation of projections: an LMDB environment in `projections/<generation>/` that can be
/// deleted and folded again from the log.
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

  /// The folder of a ledger's projections.
  static func folder(of log: EventLog, generation: UInt64? = nil) -> String {
    let folder = "\(log.path)/\(folderName)"
    return generation.map { "\(folder)/\($0)" } ?? folder
  }

  /// Creates the generation's folder if it is missing, and opens it for writing.
  static func make(_ generation: UInt64, of log: EventLog) throws(LedgerError) -> Projections {
    let path = folder(of: log, generation: generation)
    try makeFolder(of: log, generation: generation)
    let environment = try open(path, log, readOnly: false)
    return Projections(environment, try ProjectionTables(creatingIn: environment), generation)
  }

  /// Creates temporary projections in a separate folder, for comparison.
  static func scratch(in folder: String, of log: EventLog) throws(LedgerError) -> Projections {
    var options = log.environment.options
    options.usesLocks = true
    options.sync = .onRequest
    let environment = try open(folder, options, readOnly: false)
    return Projections(environment, try ProjectionTables(creatingIn: environment), 0)
  }

  /// Opens the generation for reading; `nil` if it is missing or incomplete.
  static func open(_ generation: UInt64, of log: EventLog) throws(LedgerError) -> Projections? {
    try checkFolder(of: log, generation: generation)
    guard exist(generation, of: log) else { return nil }
    let path = folder(of: log, generation: generation)
    let environment = try open(path, log, readOnly: true)
    guard let tables = try ProjectionTables(of: environment) else { return nil }
    return Projections(environment, tables, generation)
  }

  /// Whether the files of a generation exist.
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
    options.replacesUnbegun = true
    options.maxTables = ProjectionTables.count
    do throws(LMDBError) { return try Environment.open(path, options: options) } catch {
      throw LedgerError(ofProjections: error)
    }
  }

  /// Where folding continues: the confirmed checkpoint, or the beginning if nothing has been folded
  /// yet; `nil` if the log does not confirm the checkpoint.
  ///
  /// - Throws: ``LedgerError``: `rebuildNeeded` if another reducer or format wrote the checkpoint.
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

  /// The version of the reducer that folded them; `nil` if nothing has been folded yet.
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
