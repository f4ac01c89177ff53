package import LedgerEvents
internal import Synchronization

/// The sessions of people who presented a token to the pages of the service. They are in memory
/// alone: who restarts the service signs everybody out.
///
/// A session has a random secret, which its browser alone has; the keeper has the hash of it.
/// Whether the token is still valid is looked at with each request, so that a revocation ends the
/// sessions of a token.
package final class SessionKeeper: Sendable {
  /// How long a session lasts, in microseconds: a working day.
  package static let lifetime = 12 * Instant.hour
  /// How many sessions there are at the same time. One more ends the oldest.
  package static let sessionsMax = 10_000
  /// How many sessions a token has at the same time, so that one token cannot end those of others.
  package static let sessionsOfTokenMax = 32

  /// A session as its requests see it.
  package struct Session: Sendable {
    /// What forms of the session state, so that nobody else's page can send them.
    package let formToken: String
    package let endsAt: Instant
    let mark: TokenMark
    let hash: [UInt8]
  }

  /// The sessions by the hashes of their secrets, in the order in which they began.
  fileprivate struct Known {
    var sessions: [[UInt8]: Session] = [:]
    var order: [[UInt8]] = []
  }

  private let known = Mutex(Known())

  package init() {}

  /// How many sessions there are, with those that have expired and were not looked at since.
  package var count: Int { known.withLock { $0.sessions.count } }

  /// Begins a session for a token that was recognized.
  ///
  /// - Returns: The secret, for its browser's cookie.
  /// - Complexity: O(*n*) in the number of sessions.
  package func begin(_ mark: TokenMark, at now: Instant) -> String {
    let secret = TokenText.newSecret()
    let session = Session(
      formToken: TokenText.newSecret(),
      endsAt: Instant(microseconds: now.microseconds + Self.lifetime), mark: mark,
      hash: TokenText.hash(secret))
    known.withLock { known in
      known.removeAll { $0.endsAt <= now }
      let own = known.order.filter { known.sessions[$0]?.mark == mark }
      if own.count >= Self.sessionsOfTokenMax { known.remove(own[0]) }
      if known.order.count >= Self.sessionsMax { known.remove(known.order[0]) }
      known.sessions[session.hash] = session
      known.order.append(session.hash)
      assert(known.order.count == known.sessions.count, "each session has its place")
    }
    return secret
  }

  /// Returns the session of a secret, and whose token began it; nil if there is none, if it has
  /// ended, or if the token is not valid any more.
  ///
  /// The secret is looked up by its hash, whose bytes nobody can choose, and the hash is compared
  /// whole, so that the time tells nothing about secrets.
  ///
  /// - Complexity: O(1), and as `TokenKeeper.token(marked:at:)`.
  /// - Throws: ``TokenError`` if the tokens cannot be read. Answer nobody then.
  package func session(
    _ secret: String, _ tokens: TokenKeeper, at now: Instant
  ) throws(TokenError) -> (Session, AccessToken)? {
    guard secret.utf8.count == TokenText.secretCount else { return nil }
    let hash = TokenText.hash(secret)
    let found = known.withLock { $0.sessions[hash] }
    guard let found, TokenText.areEqual(found.hash, hash) else { return nil }
    if found.endsAt > now, let token = try tokens.token(marked: found.mark, at: now) {
      return (found, token)
    }
    end(secret)
    return nil
  }

  /// Ends a session, if there is one with the secret.
  ///
  /// - Complexity: O(*n*) in the number of sessions.
  package func end(_ secret: String) {
    let hash = TokenText.hash(secret)
    known.withLock { $0.remove(hash) }
  }

  /// Returns whether a form states what the forms of a session state, in a time that tells nothing.
  package static func areEqual(_ stated: String, _ expected: String) -> Bool {
    TokenText.areEqual(TokenText.hash(stated), TokenText.hash(expected))
  }

  /// Returns what an address states beside a text that the service itself has put there for a
  /// session, so that nobody else can make it show a text.
  package static func seal(_ text: String, by formToken: String) -> String {
    TokenText.seal(text, by: formToken)
  }

  /// Makes what the forms of a service without sessions state.
  package static func newFormToken() -> String { TokenText.newSecret() }
}

extension SessionKeeper.Known {
  fileprivate mutating func remove(_ hash: [UInt8]) {
    guard sessions.removeValue(forKey: hash) != nil else { return }
    order.removeAll { $0 == hash }
  }

  fileprivate mutating func removeAll(_ isOver: (SessionKeeper.Session) -> Bool) {
    sessions = sessions.filter { !isOver($0.value) }
    order.removeAll { sessions[$0] == nil }
  }
}
