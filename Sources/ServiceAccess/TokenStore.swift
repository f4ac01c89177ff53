internal import Foundation
internal import LedgerEvents
internal import PackageFiles

/// The tokens of a ledger, in the file `service/tokens.json` of its folder.
///
/// The file has the SHA-256 of each token and not its text. Only its owner may read it. It is
/// replaced as a whole, so a reader finds the tokens before a change or after it, also after a kill
/// or a loss of power. Changes wait for one another at the lock `service/lock`.
package struct TokenStore: Sendable {
  static let folderName = "service"
  static let fileName = "tokens.json"
  static let lockName = "lock"
  static let partialName = "." + fileName + ".partial"

  /// The folder in which every ledger has its log.
  private static let logName = "log"

  private static let folderMode = 0o700

  /// How often a lock is tried, and the pause between two attempts in seconds: ten seconds in all.
  /// A change takes milliseconds, and a few times as long on a disk that is busy.
  private static let lockAttemptsMax = 401
  private static let lockPauseSeconds = 0.025

  private let ledger: String

  /// The path of the file.
  package var path: String { "\(ledger)/\(Self.folderName)/\(Self.fileName)" }

  /// - Parameter path: The folder of a ledger. The ledger itself is not opened.
  package init(ledger path: String) { ledger = path }

  // MARK: - Changes

  /// Makes a token. It is durable when this returns.
  ///
  /// - Parameter token: What it is called and allows.
  /// - Returns: The text of the token. It is told this once, and nothing that is kept leads back to
  ///   it.
  /// - Throws: ``TokenError``: `invalid`; `exists` if a token has this name, valid or not;
  ///   `limitReached`, `noLedger`, `busy`, `damaged`, `unknownVersion`, `disk`.
  package func create(_ token: AccessToken) throws(TokenError) -> String {
    try token.check()
    return try changing { (file) throws(TokenError) in
      if let there = file.tokens.first(where: { $0.token.name == token.name }) {
        let expired = there.token.isExpired(at: token.createdAt) ? ", which has expired" : ""
        throw TokenError(
          .exists,
          "there is a token \(token.name)\(expired): choose another name, or revoke it first with "
            + "`daybook token revoke \(token.name)`.")
      }
      guard file.tokens.count < TokenFile.tokensMax else {
        throw TokenError(
          .limitReached,
          "\(path) has \(TokenFile.tokensMax) tokens, which is the limit: revoke those that nobody "
            + "uses.")
      }
      var id = TokenText.newID()
      while file.tokens.contains(where: { $0.id == id }) { id = TokenText.newID() }
      let text = TokenText.new(id: id)
      file.tokens.append(StoredToken(id: id, hash: TokenText.hash(text), token: token))
      return text
    }
  }

  /// Removes a token. That is durable when this returns, and a ``TokenKeeper`` notices it with the
  /// next request.
  ///
  /// - Parameter name: The name of the token.
  /// - Throws: ``TokenError``: `unknown`, with the nearest name; `noLedger`, `busy`, `damaged`,
  ///   `unknownVersion`, `disk`.
  package func revoke(_ name: String) throws(TokenError) {
    // Without a list there is nothing to revoke, and no folder to make for it.
    guard try opened() != nil else { throw unknown(name, []) }
    try changing { (file) throws(TokenError) in
      guard let index = file.tokens.firstIndex(where: { $0.token.name == name }) else {
        throw unknown(name, file.tokens.map(\.token.name))
      }
      file.tokens.remove(at: index)
    }
  }

  private func unknown(_ name: String, _ names: [String]) -> TokenError {
    let near = Spelling.nearest(to: name, among: names).map { "; did you mean \($0)?" } ?? "."
    return TokenError(
      .unknown, "there is no token \(name)\(near) `daybook token list` shows them all.")
  }

  /// Changes the list while nobody else does.
  private func changing<Answer>(
    _ change: (inout TokenFile) throws(TokenError) -> Answer
  ) throws(TokenError) -> Answer {
    let folder = try folderMade()
    let lock = try locked(folder)
    // What another process has written before this one got the lock counts.
    var file = try opened()?.tokens ?? TokenFile()
    let answer = try change(&file)
    let json = try file.json(path: path)
    do throws(FolderError) { try Self.write(json, in: folder) } catch {
      throw TokenError(
        .disk,
        "\(path) cannot be written: \(error). What `daybook token list` shows now is what counts.")
    }
    extendLifetime(lock)
    return answer
  }

  /// Writes the file so that its name always means the whole of it, after a loss of power, too.
  private static func write(
    _ bytes: [UInt8], in folder: borrowing FolderHandle
  ) throws(FolderError) {
    // A change that was killed may have left one.
    if try folder.kind(of: partialName) != nil { try folder.removeFile(partialName) }
    let file = try folder.makeFile(partialName, isPrivate: true)
    try file.write(bytes.span)
    try file.sync()
    try file.finish()
    try folder.replace(fileName, by: partialName)
    try folder.sync()
  }

  private func folderMade() throws(TokenError) -> FolderHandle {
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
      "another process is changing the tokens of \(ledger), and does not end: try again, or "
        + "look for a `daybook token` that hangs.")
  }

  // MARK: - Reading

  /// Returns all tokens, in the order in which they were made. Those that have expired are there
  /// until they are revoked.
  ///
  /// - Complexity: O(*n*) in the number of tokens.
  /// - Throws: ``TokenError``: `noLedger`, `damaged`, `unknownVersion`, `disk`.
  package func list() throws(TokenError) -> [AccessToken] {
    try opened()?.tokens.tokens.map(\.token) ?? []
  }

  /// Reads the file, and keeps it open; nil if no token was ever made.
  func opened() throws(TokenError) -> (file: HeldFile, tokens: TokenFile)? {
    let ledger = try ledgerFolder()
    let held: HeldFile?
    do throws(FolderError) { held = try Self.hold(in: ledger) } catch { throw unreadable(error) }
    guard let held else { return nil }
    guard held.isRegular, held.byteCount <= UInt64(TokenFile.bytesMax) else {
      throw TokenFile.damaged(path, "it is no file, or has more than \(TokenFile.bytesMax) bytes")
    }
    // One byte more than it had when it was opened: a file that grows is not read in part.
    let bytes: [UInt8]
    do throws(FolderError) {
      bytes = try held.contents(bytesMax: Int(held.byteCount) + 1)
    } catch { throw unreadable(error) }
    return (held, try TokenFile(json: bytes, path: path))
  }

  private static func hold(in ledger: borrowing FolderHandle) throws(FolderError) -> HeldFile? {
    // A link in place of the folder is an error, and not the same as no tokens.
    guard try ledger.kind(of: folderName) != nil else { return nil }
    return try ledger.folder(folderName).hold(fileName)
  }

  private func ledgerFolder() throws(TokenError) -> FolderHandle {
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
      "\(path) cannot be read: \(error). No token is accepted until it can be. It belongs to the "
        + "user who made the first token, and the service must run as that user.")
  }
}
