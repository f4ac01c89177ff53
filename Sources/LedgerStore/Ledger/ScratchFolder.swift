internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A folder for temporary files that is removed when its owner ends. If the process is killed, the
/// next one that makes such a folder removes it, because it may contain keys and personal texts.
package struct ScratchFolder: ~Copyable {
  /// What the names of all such folders begin with.
  static let prefix = "daybook-"

  package let path: String
  /// Shows other processes that the folder is in use.
  private let lock: FileLock?

  /// Creates a folder that only its owner may enter, and removes abandoned ones.
  ///
  /// - Parameter name: The beginning of its name: `daybook-` and its purpose.
  /// - Throws: ``LedgerError``: `full`, `io`.
  package init(_ name: String) throws(LedgerError) {
    precondition(name.hasPrefix(Self.prefix), "a folder that nobody would remove")
    let parent = FileManager.default.temporaryDirectory.path
    LedgerPart.removeAbandoned(in: parent, prefix: Self.prefix)
    let path = "\(parent)/\(name)\(LedgerPart.suffix())"
    do throws(LMDBError) {
      try makeFolder(path)
      lock = try FileLock.tryLock(folder: path)
    } catch {
      throw LedgerError(
        LedgerError(error).code == .full ? .full : .io,
        "No folder can be made for temporary files: \(error) Set TMPDIR to a folder that exists "
          + "and has room for the projections.",
        cause: error)
    }
    self.path = path
  }

  deinit {
    // If this fails, the next such folder's creation removes it.
    _ = Result { try FileManager.default.removeItem(atPath: path) }
    lock?.unlock()
  }
}
