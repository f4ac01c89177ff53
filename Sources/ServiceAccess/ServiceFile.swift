internal import Foundation
internal import PackageFiles

/// A file in the folder `service` of a ledger, which only its owner may read.
///
/// The file is replaced as a whole, so a reader finds it as it was before a change or after it,
/// also after a kill or a loss of power. Changes of all files wait for one another at the lock
/// `service/lock`.
struct ServiceFile: Sendable {
  static let folderName = "service"
  static let lockName = "lock"

  /// The folder in which every ledger has its log.
  private static let logName = "log"

  private static let folderMode = 0o700

  /// How often a lock is tried, and the pause between two attempts in seconds: ten seconds in all.
  /// A change takes milliseconds, and a few times as long on a disk that is busy.
  private static let lockAttemptsMax = 401
  private static let lockPauseSeconds = 0.025

  let ledger: String
  let name: String
  /// The command that changes it.
  let command: String
  /// What follows for the service if it cannot be read.
  let consequence: String

  private var partialName: String { ".\(name).partial" }

  var path: String { "\(ledger)/\(Self.folderName)/\(name)" }

  // MARK: - Changes

  /// Changes the file while nobody else does.
  ///
  /// - Parameter change: Reads it, and returns what it has then, with an answer.
  /// - Throws: ``TokenError``: `noLedger`, `busy`, `disk`, and what `change` throws.
  func changing<Answer>(
    _ change: () throws(TokenError) -> (bytes: [UInt8], Answer)
  ) throws(TokenError) -> Answer {
    let folder = try folderMade()
    let lock = try locked(folder)
    // What another process has written before this one got the lock counts.
    let (bytes, answer) = try change()
    do throws(FolderError) { try write(bytes, in: folder) } catch {
      throw TokenError(
        .disk,
        "\(path) cannot be written: \(error). What `daybook \(command) list` shows now is what "
          + "counts.")
    }
    extendLifetime(lock)
    return answer
  }

  /// Writes the file so that its name always means the whole of it, after a loss of power, too.
  private func write(
    _ bytes: [UInt8], in folder: borrowing FolderHandle
  ) throws(FolderError) {
    // A change that was killed may have left one.
    if try folder.kind(of: partialName) != nil { try folder.removeFile(partialName) }
    let file = try folder.makeFile(partialName, isPrivate: true)
    try file.write(bytes.span)
    try file.sync()
    try file.finish()
    try folder.replace(name, by: partialName)
    try folder.sync()
  }

  func folderMade() throws(TokenError) -> FolderHandle {
    let path = "\(ledger)/\(Self.folderName)"
    let made = try folderMade(in: try ledgerFolder(), path)
    // It may have been put there by somebody who copied a ledger.
    do {
      try FileManager.default.setAttributes(
        [.posixPermissions: Self.folderMode], ofItemAtPath: path)
    } catch {
      throw TokenError(
        .disk, "the permissions of \(path) cannot be set: \(error.localizedDescription)")
    }
    return made
  }

  private func folderMade(
    in ledger: borrowing FolderHandle, _ path: String
  ) throws(TokenError) -> FolderHandle {
    do throws(FolderError) {
      let isThere = try ledger.kind(of: Self.folderName) != nil
      let made = try ledger.folderMade(Self.folderName, isPrivate: true)
      if !isThere { try ledger.sync() }
      return made
    } catch {
      throw TokenError(.disk, "\(path) cannot be made: \(error).")
    }
  }

  private func locked(_ folder: borrowing FolderHandle) throws(TokenError) -> FolderLock {
    for attempt in 1...Self.lockAttemptsMax {
      do throws(FolderError) {
        if let lock = try folder.lock(Self.lockName, isPrivate: true) { return lock }
      } catch {
        throw TokenError(
          .disk, "\(ledger)/\(Self.folderName)/\(Self.lockName) cannot be locked: \(error).")
      }
      if attempt < Self.lockAttemptsMax { Thread.sleep(forTimeInterval: Self.lockPauseSeconds) }
    }
    throw TokenError(
      .busy,
      "another process is changing the service's files of \(ledger), and does not end: try "
        + "again, or look for a `daybook \(command)` that hangs.")
  }

  // MARK: - Reading

  /// Opens the file, to look at later whether it is still the same; nil if there is none.
  ///
  /// - Parameters:
  ///   - bytesMax: The largest file that is read, in bytes.
  ///   - damaged: What is thrown for another one, or for what is no file.
  /// - Throws: ``TokenError``: `noLedger`, `disk`, and what `damaged` makes.
  func opened(
    bytesMax: Int, damaged: (String) -> TokenError
  ) throws(TokenError) -> (file: HeldFile, bytes: [UInt8])? {
    let ledger = try ledgerFolder()
    let held: HeldFile?
    do throws(FolderError) { held = try hold(in: ledger) } catch { throw unreadable(error) }
    guard let held else { return nil }
    guard held.isRegular, held.byteCount <= UInt64(bytesMax) else {
      throw damaged("it is no file, or has more than \(bytesMax) bytes")
    }
    do throws(FolderError) {
      // One byte more than it had when it was opened: a file that grows is not read in part.
      return (held, try held.contents(bytesMax: Int(held.byteCount) + 1))
    } catch { throw unreadable(error) }
  }

  private func hold(in ledger: borrowing FolderHandle) throws(FolderError) -> HeldFile? {
    // A link in place of the folder is an error, and not the same as no file.
    guard try ledger.kind(of: Self.folderName) != nil else { return nil }
    return try ledger.folder(Self.folderName).hold(name)
  }

  func ledgerFolder() throws(TokenError) -> FolderHandle {
    do throws(FolderError) {
      let folder = try FolderHandle(path: ledger)
      if try folder.kind(of: Self.logName) == .folder { return folder }
    } catch {
      guard [.missing, .notFolder].contains(error.kind) else { throw unreadable(error) }
    }
    throw TokenError(
      .noLedger, "There is no ledger at \(ledger): make one with `daybook init \(ledger)`.")
  }

  func unreadable(_ error: FolderError) -> TokenError {
    TokenError(
      .disk,
      "\(path) cannot be read: \(error). \(consequence) It belongs to the user who made it, and "
        + "the service must run as that user.")
  }
}
