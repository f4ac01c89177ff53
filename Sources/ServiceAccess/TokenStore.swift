internal import LedgerEvents
internal import PackageFiles

/// The tokens of a ledger, in the file `service/tokens.json` of its folder.
///
/// The file has the SHA-256 of each token and not its text.
package struct TokenStore: Sendable {
  private let file: ServiceFile

  /// The path of the file.
  package var path: String { file.path }

  /// - Parameter path: The folder of a ledger. The ledger itself is not opened.
  package init(ledger path: String) {
    file = ServiceFile(
      ledger: path, name: "tokens.json", command: "token",
      consequence: "No token is accepted until it can be.")
  }

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
    try file.changing { () throws(TokenError) in
      var tokens = try opened()?.tokens ?? TokenFile()
      let answer = try change(&tokens)
      return (try tokens.json(path: path), answer)
    }
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
    let opened = try file.opened(bytesMax: TokenFile.bytesMax) { TokenFile.damaged(path, $0) }
    guard let opened else { return nil }
    return (opened.file, try TokenFile(json: opened.bytes, path: path))
  }

  func unreadable(_ error: FolderError) -> TokenError { file.unreadable(error) }
}
