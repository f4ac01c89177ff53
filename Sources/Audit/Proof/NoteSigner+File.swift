internal import Foundation
internal import LMDB

extension NoteSigner {
  /// Reading and writing by the owner.
  private static let mode: UInt32 = 0o600

  /// Writes the signing key into a new file that only its owner may read; when this returns it
  /// lasts.
  ///
  /// The file is made with its rights, so that there is no moment in which others may read it.
  /// Where the key cannot be written, on a full disk for one, no file is left.
  ///
  /// - Throws: ``ProofError``: `badKey` where there is a file already, or none can be made.
  public func write(toNewFile path: String) throws(ProofError) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let file: FlatFile
    do throws(LMDBError) {
      file = try FlatFile.create(path, in: folder, mode: Self.mode)
    } catch {
      throw ProofError(
        .badKey,
        error.code == .system(Self.existsAlready)
          ? "\(path) is there already, and a key is never overwritten: name another file"
          : "\(path) cannot be made: \(error.message)")
    }
    do throws(LMDBError) {
      try file.write(Array((secretText + "\n").utf8), at: 0)
      try file.sync()
    } catch {
      throw ProofError(
        .badKey, "\(path) cannot be written: \(error.message)\(Self.removed(path))")
    }
  }

  /// Takes away the file that holds no key, which the next try would else take for one; what is
  /// said where that fails.
  private static func removed(_ path: String) -> String {
    do {
      try FileManager.default.removeItem(atPath: path)
      return ""
    } catch {
      return "; it holds no key: remove it"
    }
  }

  /// `EEXIST` on Linux and Darwin.
  private static let existsAlready: Int32 = 17
}
