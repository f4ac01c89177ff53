internal import LMDB
internal import PageReading

/// A damaged page of one of a ledger's files.
public struct DamagedPage: Hashable, Sendable {
  /// The file, by its path in the ledger's folder.
  public let file: String
  /// The number of the page in the file, from 0.
  public let number: UInt64
  /// The table that it belongs to, if that is known.
  public let table: String?
  /// What is wrong with it.
  public let reason: String
}

extension DamagedPage: CustomStringConvertible {
  public var description: String {
    "page \(number) of \(file)\(table.map { " (\($0))" } ?? ""): \(reason)"
  }
}

extension EventLog {
  /// Checks the structure of each page of the log, without LMDB, which would follow damaged pages
  /// out of the file.
  ///
  /// Call this before the log is opened. A read transaction holds one commit meanwhile, so others
  /// may append.
  ///
  /// - Parameter path: The ledger's folder.
  /// - Returns: The damaged pages; none if there is no log.
  /// - Complexity: one read of each page in use.
  /// - Throws: ``LedgerError``: `corrupt` if the file is cut short, or its meta pages do not let it
  ///   be opened; `busy` if others write without pause; `io`.
  public static func damagedPages(_ path: String) throws(LedgerError) -> [DamagedPage] {
    do throws(LedgerError) {
      return try damagedPages(of: folderName, in: path, usesLocks: hasLockFile(path))
    } catch {
      // A file in place of a folder is reported when the log is opened.
      guard (error.cause as? LMDBError)?.code == .system(notFolder) else { throw error }
      return []
    }
  }

  /// ENOTDIR, which is the same on Linux and Darwin.
  private static let notFolder: Int32 = 20

  /// Checks the structure of each page of the projections, without LMDB.
  ///
  /// - Parameter generation: The generation of the projections.
  /// - Returns: The damaged pages; none if there are no projections.
  /// - Complexity: one read of each page in use.
  /// - Throws: ``LedgerError``: `rebuildNeeded` if a meta page is damaged or the file is cut short,
  ///   `io`.
  func damagedProjectionPages(_ generation: UInt64) throws(LedgerError) -> [DamagedPage] {
    let folder = "\(Projections.folderName)/\(generation)"
    do throws(LedgerError) {
      return try Self.damagedPages(
        of: folder, in: path, usesLocks: environment.options.usesLocks)
    } catch {
      guard let cause = error.cause as? LMDBError else { throw error }
      throw LedgerError(ofProjections: cause)
    }
  }

  /// At most so many faults are listed: if there are as many, there may be more.
  public static let damagedPagesMax = TreeWalk.faultsMax

  /// How often a file is read again that nobody could be kept from writing to.
  private static let attemptsMax = 3

  private static func damagedPages(
    of folder: String, in path: String, usesLocks: Bool
  ) throws(LedgerError) -> [DamagedPage] {
    var options = Environment.Options()
    options.readOnly = true
    options.usesLocks = usesLocks
    var report: PageCheck.Report?
    for _ in 0..<attemptsMax {
      let last = report
      do throws(LMDBError) {
        report = try PageCheck.check(folder: "\(path)/\(folder)", options: options)
      } catch {
        let failure = LedgerError(error)
        // A missing file is reported when the log is opened.
        if failure.code == .noLedger { return [] }
        guard failure.code == .readOnly, options.usesLocks else { throw failure }
        options.usesLocks = false
        continue
      }
      guard let report, !report.faults.isEmpty else { return [] }
      // Without locks, a writer may use pages again that are being read: then its commits differ.
      guard options.usesLocks || last?.transaction == report.transaction else { continue }
      let file = "\(folder)/\(Environment.dataFileName)"
      return report.faults.map {
        DamagedPage(file: file, number: $0.page, table: $0.table, reason: $0.reason)
      }
    }
    throw LedgerError(
      .busy,
      "Somebody wrote to \(path)/\(folder) while its pages were read without a lock: stop all "
        + "writers, then try again.")
  }
}

extension Ledger {
  /// Checks the structure of each page of the projections, without opening their tables. The log
  /// must be intact.
  ///
  /// - Parameter path: The ledger's folder.
  /// - Returns: The damaged pages; none if there are no projections.
  /// - Complexity: one read of each page in use.
  /// - Throws: ``LedgerError``: as ``EventLog/toVerify(_:)``, and `rebuildNeeded` if a meta page of
  ///   the projections is damaged or their file is cut short.
  public static func damagedProjectionPages(
    _ path: String
  ) throws(LedgerError) -> [DamagedPage] {
    let log = try EventLog.toVerify(path)
    let generation = try log.read { (view) throws(LedgerError) in try view.generation() }
    let damaged = generation > 0 ? try log.damagedProjectionPages(generation) : []
    try log.close()
    return damaged
  }
}
