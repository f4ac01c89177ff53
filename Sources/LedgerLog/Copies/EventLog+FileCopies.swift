internal import LMDB
internal import PageReading

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension EventLog {
  /// The kind of backup in one file, plain or encrypted, that the folder `path` holds; `nil` if it
  /// holds none.
  ///
  /// - Complexity: O(1). Nothing is read, so the file may be damaged.
  package static func kindOfFileCopy(in path: String) -> LogIncrement.Kind? {
    LogIncrement.Kind.allCases.first { kind in
      let file = "\(path)/\(folderName)/\(kind.fileName)"
      return [file, file + LogIncrement.encryptedSuffix].contains {
        FileManager.default.fileExists(atPath: $0)
      }
    }
  }

  /// Whether there is a file of LMDB's name in the folder `path`. Nothing of it is read.
  ///
  /// - Throws: ``LedgerError``: `readOnly` or `io` if the system does not let this process look.
  package static func hasLog(_ path: String) throws(LedgerError) -> Bool {
    do throws(LMDBError) { return try isThere(dataFile(path)) } catch {
      let code = LedgerError(error).code
      throw LedgerError(
        code,
        "The ledger at \(path) cannot be looked at: \(error.message)."
          + (code == .readOnly
            ? " Check the rights of the folder, and of those above it." : " Check the path."),
        cause: error)
    }
  }

  /// The error of a log whose meta page is damaged, if that is why it could not be opened; `nil` if
  /// it failed for another reason.
  static func damagedMeta(
    _ path: String, thatCauses error: LedgerError
  ) throws(LedgerError) -> LedgerError? {
    guard let cause = error.cause as? LMDBError else { return nil }
    do throws(LMDBError) {
      let report = try PageCheck.damagedMetas(of: "\(path)/\(folderName)", thatCause: cause)
      guard let report, let fault = report.faults.first else { return nil }
      return .corrupt(
        "Page \(fault.page) of \(report.path) is damaged: \(fault.reason)", cause: cause)
    } catch { throw LedgerError(error) }
  }

  /// Rejects a folder for a new ledger that holds what belongs to another one, or to somebody else,
  /// before anything is written to it.
  ///
  /// - Throws: ``LedgerError``: `exists`; `readOnly` or `io` if it cannot be looked at.
  static func refuseForeignFiles(in path: String) throws(LedgerError) {
    // Where there is a log, the log says what may be done.
    if try hasLog(path) { return }
    if kindOfFileCopy(in: path) != nil {
      throw LedgerError(.exists, noLedger(at: path).message + " Choose another path.")
    }
    var names: [String] = []
    do throws(LMDBError) {
      if try isThere("\(path)/\(RootKeeper.fileName)") { names.append(RootKeeper.fileName) }
      // The keys of a creation that was interrupted are no more than a head.
      if try PersonalKeys.hasSlots(in: path) { names.append(PersonalKeys.fileName) }
    } catch { throw LedgerError(error) }
    guard let name = names.first else { return }
    throw LedgerError(
      .exists,
      "There is no log in \(path), but there is \(path)/\(name), as of a ledger: restore that "
        + "ledger from its backup, or choose another path for a new one.")
  }

  /// Says that the folder `path` holds no log, and what to do.
  static func noLedger(at path: String) -> LedgerError {
    let message =
      switch kindOfFileCopy(in: path) {
      case nil: "There is no ledger at \(path): make one with `daybook init \(path)`."
      case .full: "\(path) is a backup in one file: `daybook restore` makes a ledger of it."
      case .increment:
        "\(path) is an incremental backup: `daybook restore` makes a ledger of the full backup "
          + "and the increments since."
      }
    return LedgerError(.noLedger, message)
  }
}
