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
  package static func hasLog(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: dataFile(path))
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
