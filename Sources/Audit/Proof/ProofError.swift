/// The reason why a proof, a checkpoint or a key is refused.
///
/// Two errors are equal if their codes are equal.
public struct ProofError: Error, Sendable, CustomStringConvertible {
  /// The kind of error.
  public enum Code: Sendable {
    /// The bytes do not have the expected format. The message says where.
    case malformed
    /// A key cannot be read or is invalid.
    case badKey
    /// The bytes are well formed, but what they claim is not proven.
    case notProven
    /// A command outside the program was to sign and did not. The message has its exit code and
    /// what it printed to standard error.
    case signing
    /// A file of remembered checkpoints cannot be read or written.
    case file
    /// There is no file of remembered checkpoints.
    case noFile
    /// There is a file already that would be replaced.
    case exists
    /// The clock of a witness has gone back, or was never set.
    case clock
  }

  public let code: Code
  /// A description of the error, its location, and what was expected.
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }

  static func malformed(_ message: String) -> ProofError { ProofError(.malformed, message) }

  static func notProven(_ message: String) -> ProofError { ProofError(.notProven, message) }
}

extension ProofError: Equatable {
  public static func == (left: ProofError, right: ProofError) -> Bool { left.code == right.code }
}
