internal import Foundation
internal import LMDB

extension NoteSigner {
  /// Reading and writing by the owner.
  private static let mode: UInt32 = 0o600

  /// Writes the signing key into a new file that only its owner may read; when this returns it
  /// lasts.
  ///
  /// The file is made with its rights, so that there is no moment in which others may read it.
  ///
  /// - Throws: ``ProofError``: `badKey` where there is a file already, or none can be made.
  public func write(toNewFile path: String) throws(ProofError) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    do throws(LMDBError) {
      let file = try FlatFile.create(path, in: folder, mode: Self.mode)
      try file.write(Array((secretText + "\n").utf8), at: 0)
      try file.sync()
    } catch {
      throw ProofError(
        .badKey,
        error.code == .system(Self.existsAlready)
          ? "\(path) is there already, and a key is never overwritten: name another file"
          : "\(path) cannot be made: \(error.message)")
    }
  }

  /// `EEXIST` on Linux and Darwin.
  private static let existsAlready: Int32 = 17
}
