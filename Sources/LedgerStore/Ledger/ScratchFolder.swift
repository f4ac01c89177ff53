internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A folder for temporary files that goes with its owner. If its process is killed, the next one
/// that makes such a folder removes it, because it may hold keys and what people wrote.
package struct ScratchFolder: ~Copyable {
  /// What the names of all such folders begin with.
  static let prefix = "daybook-"

  package let path: String
  /// By this, others see that somebody is at work in it.
  private let lock: FileLock?

  /// Makes a folder that only its owner may enter, and removes those that were left behind.
  ///
  /// - Parameter name: What its name begins with: `daybook-` and what it is for.
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
        "No folder can be made for temporary files: \(error). Set TMPDIR to a folder that exists "
          + "and has room for the projections.",
        cause: error)
    }
    self.path = path
  }

  deinit {
    // What is left behind is removed by the next one.
    _ = Result { try FileManager.default.removeItem(atPath: path) }
    lock?.unlock()
  }
}
