public import AgeFiles
internal import Foundation
internal import LMDB
internal import LedgerStore

extension NoteSigner {
  /// The permissions to read and write by the owner only.
  private static let mode: UInt32 = 0o600

  /// Writes the signing key to a new file that only its owner can read, and makes it durable.
  ///
  /// The file is created with its permissions, so that others can never read it. If the key cannot
  /// be written, for example because the disk is full, no file is left.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - passphrase: What to encrypt the key with, in the age format; nil for plain text.
  /// - Throws: ``ProofError``: `badKey` if the file already exists or cannot be created.
  public func write(
    toNewFile path: String, passphrase: AgePassphrase? = nil
  ) throws(ProofError) {
    let contents = try contents(passphrase)
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
      try file.write(contents, at: 0)
      try file.sync()
    } catch {
      throw ProofError(
        .badKey, "\(path) cannot be written: \(error.message)\(Self.removed(path))")
    }
  }

  /// Whether a file with these contents is a key behind a passphrase.
  ///
  /// - Parameter contents: The bytes of the file.
  public static func isEncrypted(_ contents: [UInt8]) -> Bool { AgeOpener.isAgeFile(contents) }

  /// Decrypts the contents of a file of a key behind a passphrase.
  ///
  /// - Parameters:
  ///   - contents: The bytes of the file.
  ///   - passphrase: The passphrase.
  /// - Complexity: The work factor of the file: usually a second, and 256 MiB of memory.
  /// - Throws: ``ProofError``: `badKey` if the passphrase is wrong, or the file holds no key.
  public init(decrypting contents: [UInt8], _ passphrase: AgePassphrase) throws(ProofError) {
    let plain: [UInt8]
    do throws(AgeError) {
      plain = try AgeFile.open(contents, with: .passphrase(passphrase))
    } catch { throw ProofError(.badKey, error.message) }
    var text = String(decoding: plain, as: UTF8.self)
    if text.hasSuffix("\n") { text.removeLast() }
    try self.init(text)
  }

  private func contents(_ passphrase: AgePassphrase?) throws(ProofError) -> [UInt8] {
    let plain = Array((secretText + "\n").utf8)
    guard let passphrase else { return plain }
    var random = SystemRandom()
    do throws(AgeError) {
      return try AgeFile.seal(plain, for: .passphrase(passphrase), using: &random)
    } catch { throw ProofError(.badKey, error.message) }
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
