/// Why a proof, a checkpoint or a key is not taken.
///
/// Two errors are equal when their codes are.
public struct ProofError: Error, Sendable, CustomStringConvertible {
  /// What a program can tell apart.
  public enum Code: Sendable {
    /// The bytes are not of the format that they should be of; the message says where.
    case malformed
    /// A key cannot be read, or is not one.
    case badKey
    /// The bytes are well formed, and what they claim does not hold.
    case notProven
  }

  public let code: Code
  /// What is wrong, where, and what was expected.
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
