internal import Foundation
internal import LMDB

extension NoteSigner {
  /// The permissions to read and write by the owner only.
  private static let mode: UInt32 = 0o600

  /// Writes the signing key to a new file that only its owner can read, and makes it durable.
  ///
  /// The file is created with its permissions, so that others can never read it. If the key cannot
  /// be written, for example because the disk is full, no file is left.
  ///
  /// - Throws: ``ProofError``: `badKey` if the file already exists or cannot be created.
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

  /// Removes a file that has no complete key, because the next attempt would find it. Returns the
  /// text for the error if that fails.
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
