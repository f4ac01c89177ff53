/// Why tokens cannot be read or changed, in words that say what to do. No message has a token's
/// text.
package struct TokenError: Error, Sendable, CustomStringConvertible {
  /// What a program can do about it.
  package enum Code: Sendable, Hashable {
    /// No token has this name.
    case unknown
    /// A token has this name already.
    case exists
    /// What a token is to allow is malformed or contradicts itself.
    case invalid
    /// There are as many tokens as a ledger can have.
    case limitReached
    /// There is no ledger at the path.
    case noLedger
    /// The file is not a list of tokens.
    case damaged
    /// A later version of the program has written the file.
    case unknownVersion
    /// Another process changes the tokens, and does not end.
    case busy
    /// The file cannot be read or written.
    case disk
  }

  package let code: Code
  package let message: String

  package init(_ code: Code, _ message: String) {
    (self.code, self.message) = (code, message)
  }

  package var description: String { message }
}
