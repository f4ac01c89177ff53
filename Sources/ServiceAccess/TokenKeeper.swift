package import LedgerEvents
internal import PackageFiles
internal import Synchronization

/// The tokens of a ledger in memory, for a service that is asked many times a second.
///
/// Each question looks whether the file is still the one that was read, which is one system call,
/// and reads it again if not. So a revocation counts from the next request on. If the file cannot
/// be read, or is not a list of tokens, everybody is refused: an old list could have somebody in it
/// who was revoked since.
package final class TokenKeeper: Sendable {
  private struct Known {
    let file: HeldFile
    /// The tokens by their public ids.
    let tokens: [String: StoredToken]
  }

  /// What a text is compared with if nobody has its id, so that the time does not tell that: the
  /// hash of no text.
  private static let nobody = [UInt8](repeating: 0, count: TokenText.hashBytes)

  private let store: TokenStore
  /// The list that was read; nil before the first question, without a file, and after a failure.
  private let known = Mutex<Known?>(nil)

  package init(_ store: TokenStore) { self.store = store }

  /// Returns what somebody who presents a text may do; nil if no valid token has this text: it is
  /// unknown, was revoked or has expired.
  ///
  /// How long this takes says nothing about the secret part of a token, nor whether its id is
  /// known.
  ///
  /// - Parameters:
  ///   - text: What was presented, of any length.
  ///   - now: The present.
  /// - Complexity: O(1), and O(*n*) in the number of tokens if the file has changed.
  /// - Throws: ``TokenError``: `noLedger`, `damaged`, `unknownVersion`, `disk`. Answer nobody then.
  package func token(
    presented text: String, at now: Instant
  ) throws(TokenError) -> AccessToken? {
    guard let mark = TokenMark(text) else {
      // A list that cannot be read is said whatever was presented.
      _ = try stored(nil)
      return nil
    }
    return try token(marked: mark, at: now)
  }

  /// Returns what the holder of a token may do that was presented before; nil if it was revoked
  /// since, or has expired.
  ///
  /// - Parameters:
  ///   - mark: What is kept of the token's text.
  ///   - now: The present.
  /// - Complexity: as ``token(presented:at:)``.
  /// - Throws: as ``token(presented:at:)``.
  package func token(marked mark: TokenMark, at now: Instant) throws(TokenError) -> AccessToken? {
    let found = try stored(mark.id)
    let isRight = TokenText.areEqual(mark.hash, found?.hash ?? Self.nobody)
    guard let found, isRight, !found.token.isExpired(at: now) else { return nil }
    return found.token
  }

  private func stored(_ id: String?) throws(TokenError) -> StoredToken? {
    try known.withLock { (known) throws(TokenError) -> StoredToken? in
      try refresh(&known)
      return id.flatMap { known?.tokens[$0] }
    }
  }

  private func refresh(_ known: inout Known?) throws(TokenError) {
    if let file = known?.file {
      do throws(FolderError) {
        if try file.isUnchanged(at: store.path) { return }
      } catch {
        known = nil
        throw store.unreadable(error)
      }
    }
    known = nil
    guard let (file, tokens) = try store.opened() else { return }
    known = Known(
      file: file, tokens: Dictionary(tokens.tokens.map { ($0.id, $0) }) { first, _ in first })
  }
}
