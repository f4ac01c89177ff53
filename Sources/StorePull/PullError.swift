/// Why something could not be pulled, in words that say what to do.
package struct PullError: Error, Sendable, CustomStringConvertible {
  /// What a program can do about it.
  package enum Kind: Sendable, Hashable {
    /// The private key, or what it is told about the app, is not usable.
    case badKey
    /// The store does not accept the bearer token.
    case unauthorized
    /// The store does not know the transaction in this environment.
    case notFound
    /// The store does not accept the revision or the pagination token any more.
    case cursorRefused
    /// The store refuses the request.
    case refused
    /// The store was asked as often as it should be, and gave no usable answer. Try again later.
    case unavailable
    /// The store counts too many requests of the app, and asks to wait for longer than a run does.
    case throttled
    /// An answer is not what the store's documentation describes.
    case malformed
    /// This machine's clock and the store's are too far apart.
    case wrongClock
    /// A file that was named does not hold what it should.
    case badFile
    /// A certificate that signed an answer was revoked.
    case revoked
    /// The pages of a list go round, or do not end.
    case endless
    /// How far a list was pulled cannot be read.
    case damagedState
    /// A file of the pull folder cannot be read or written.
    case disk
    /// Another process pulls into the same folder.
    case busy
    /// `daybook` did not do what it was asked, with its exit code.
    case daybook(Int32)
  }

  package let kind: Kind
  package let message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  package var description: String { message }
}
