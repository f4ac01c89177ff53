package import LedgerEvents

/// A token's name, what it allows, and until when. Its text is not part of it: nobody keeps that.
package struct AccessToken: Sendable, Hashable {
  /// The longest name, in characters: it stands in every line of the service's log.
  package static let nameCountMax = 64
  /// The longest operator's name and account, in bytes of UTF-8.
  package static let wordsBytesMax = 256

  /// What the token is called, in lists and logs: unique among the tokens of a ledger, one to
  /// ``nameCountMax`` of A-Z, a-z, 0-9, `.`, `_` and `-`.
  package var name: String
  /// What it allows. `admin` includes all the others.
  package var scopes: Set<TokenScope>
  /// The only account that it may ask about; nil for everyone. Such a token can read and do nothing
  /// else.
  package var account: Name?
  /// The bundle ids of the only apps that it is for; empty for every app.
  package var apps: [String]
  /// In whose name acts are recorded. A token that allows acts has one.
  package var operatorName: String?
  package var createdAt: Instant
  /// The first moment at which it is no longer valid; nil if it is valid until it is revoked.
  package var expiresAt: Instant?

  package init(
    name: String, scopes: Set<TokenScope>, account: Name? = nil, apps: [String] = [],
    operatorName: String? = nil, createdAt: Instant, expiresAt: Instant? = nil
  ) {
    (self.name, self.scopes, self.account, self.apps) = (name, scopes, account, apps)
    (self.operatorName, self.createdAt, self.expiresAt) = (operatorName, createdAt, expiresAt)
  }

  /// Returns whether the token lets its holder do something. Which account and which apps it is
  /// restricted to is a second question.
  ///
  /// - Complexity: O(1).
  package func allows(_ scope: TokenScope) -> Bool {
    scopes.contains(scope) || scopes.contains(.admin)
  }

  /// Returns whether the token is no longer valid at a moment.
  ///
  /// - Complexity: O(1).
  package func isExpired(at now: Instant) -> Bool {
    expiresAt.map { $0 <= now } ?? false
  }
}

extension AccessToken {
  /// Checks that the parts of the token are well-formed and go together.
  ///
  /// - Throws: ``TokenError``: `invalid`, with what was expected.
  package func check() throws(TokenError) {
    try Self.check(name: name)
    guard !scopes.isEmpty else {
      let known = TokenScope.allCases.map(\.rawValue).joined(separator: ", ")
      throw TokenError(.invalid, "a token needs at least one scope, of: \(known).")
    }
    try AppList.check(apps, of: "a token")
    if let account {
      guard scopes == [.read] else {
        throw TokenError(
          .invalid,
          "a token for one account can only read: leave the account or the other scopes "
            + "out.")
      }
      try Self.check(words: account.text, "the account")
    }
    if let operatorName { try Self.check(words: operatorName, "the operator's name") }
    guard operatorName != nil || !allows(.operate) else {
      throw TokenError(
        .invalid,
        "a token that allows acts needs the name of the operator in whose name they are "
          + "recorded.")
    }
    try checkTimes()
  }

  static func check(name: String) throws(TokenError) {
    guard (1...nameCountMax).contains(name.utf8.count),
      name.utf8.allSatisfy({ AppList.isLetter($0) || [0x2D, 0x2E, 0x5F].contains($0) })
    else {
      throw TokenError(
        .invalid,
        "expected a name of 1 to \(nameCountMax) letters (A-Z, a-z), digits, \".\", "
          + "\"_\" and \"-\", found \"\(name)\".")
    }
  }

  private static func check(words: String, _ what: String) throws(TokenError) {
    guard (1...wordsBytesMax).contains(words.utf8.count),
      words.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }),
      words.unicodeScalars.contains(where: { !$0.properties.isWhitespace })
    else {
      throw TokenError(
        .invalid, "expected \(what) in 1 to \(wordsBytesMax) bytes without control characters.")
    }
  }

  private func checkTimes() throws(TokenError) {
    let known = 0...Instant.microsecondsMax
    guard known.contains(createdAt.microseconds),
      expiresAt.map({ known.contains($0.microseconds) }) ?? true
    else {
      throw TokenError(.invalid, "a token's times must lie in the years 1970 to 9999.")
    }
    if let expiresAt, expiresAt <= createdAt {
      throw TokenError(
        .invalid,
        "the token would have expired at \(expiresAt.rfc3339), before it is made: expected "
          + "a later time.")
    }
  }
}
