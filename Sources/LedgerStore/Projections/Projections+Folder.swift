internal import LMDB
internal import LedgerEvents

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The folder `projections/` and its contents.
///
/// A symbolic link is not followed, because what is removed here must be the ledger's own.
extension Projections {
  /// The file whose lock elects the process that folds.
  static let lockName = "fold.lock"

  /// Creates the folder of all generations if it is missing, and the folder of `generation` in it.
  ///
  /// - Throws: ``LedgerError``: `rebuildNeeded` if something else is there, `io`.
  static func makeFolder(of log: EventLog, generation: UInt64? = nil) throws(LedgerError) {
    try checkFolder(of: log, generation: generation)
    try makeFolder(folder(of: log), in: log.path, of: log)
    guard generation != nil else { return }
    try makeFolder(folder(of: log, generation: generation), in: folder(of: log), of: log)
  }

  /// Creates a folder if it is missing, and makes its name durable.
  private static func makeFolder(
    _ path: String, in parent: String, of log: EventLog
  ) throws(LedgerError) {
    guard kind(of: path) == nil else { return }
    do {
      let rights = try FileManager.default.attributesOfItem(atPath: log.path)[.posixPermissions]
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true,
        attributes: rights.map { [.posixPermissions: $0] })
    } catch {
      throw LedgerError(
        .io, "\(path) cannot be made: check the rights of the ledger's folder.", cause: error)
    }
    do throws(LMDBError) { try syncFolder(parent) } catch { throw LedgerError(error) }
  }

  /// Rejects a folder of projections that is not a folder, or whose files are not regular files.
  ///
  /// - Throws: ``LedgerError``: `rebuildNeeded`.
  static func checkFolder(of log: EventLog, generation: UInt64?) throws(LedgerError) {
    try check(folder(of: log), is: .typeDirectory, "a folder")
    guard generation != nil else { return }
    let path = folder(of: log, generation: generation)
    try check(path, is: .typeDirectory, "a folder")
    for name in [Environment.dataFileName, Environment.lockFileName] {
      try check("\(path)/\(name)", is: .typeRegular, "a file")
    }
  }

  private static func check(
    _ path: String, is expected: FileAttributeType, _ words: String
  ) throws(LedgerError) {
    guard let found = kind(of: path), found != expected else { return }
    let what = found == .typeSymbolicLink ? "is a symbolic link" : "is not \(words)"
    throw .damagedProjections("\(path) \(what)")
  }

  /// Whether there is a folder, as opposed to a link to one.
  static func isFolder(_ path: String) -> Bool { kind(of: path) == .typeDirectory }

  /// The type of the file with that name, without following a link; `nil` if there is none.
  private static func kind(of path: String) -> FileAttributeType? {
    switch Result(catching: { try FileManager.default.attributesOfItem(atPath: path) }) {
    case .success(let found): found[.type] as? FileAttributeType
    case .failure: nil
    }
  }

  /// Removes anything else that is in the place of the folder or its lock. A link is removed, but
  /// not its target.
  ///
  /// Call this only if somebody asked for a rebuild, because a person may have put the file there.
  static func clearFolder(of log: EventLog) throws(LedgerError) {
    let path = folder(of: log)
    if let found = kind(of: path), found != .typeDirectory { try removeItem(path) }
    let lock = "\(path)/\(lockName)"
    if let found = kind(of: lock), found != .typeRegular { try removeItem(lock) }
  }

  /// Removes every generation but `live`: a killed process leaves one behind. A process that still
  /// reads one keeps its files until it stops reading.
  ///
  /// The caller must hold the lock that elects the process that folds.
  static func removeGenerations(except live: UInt64, of log: EventLog) throws(LedgerError) {
    let folder = folder(of: log)
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
      throw LedgerError(.io, "\(folder) cannot be read: check its rights.", cause: error)
    }
    for name in names {
      guard let generation = UInt64(name), generation != live else { continue }
      try removeItem("\(folder)/\(name)")
    }
  }

  /// How often a removal is tried. Each time somebody else must have made a file meanwhile.
  private static let removalsMax = 10

  /// Removes a file, or a folder with what is in it, if it is there.
  ///
  /// A process that opens a generation to read makes a lock file in it. If it does so between the
  /// removal of the files and that of their folder, the folder is not empty, and all is done again.
  private static func removeItem(_ path: String) throws(LedgerError) {
    for attempt in 1... {
      do { return try FileManager.default.removeItem(atPath: path) } catch {
        if kind(of: path) == nil { return }
        if attempt < removalsMax { continue }
        throw LedgerError(.io, "\(path) cannot be removed: check its rights.", cause: error)
      }
    }
  }
}
