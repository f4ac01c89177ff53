/// Why a file cannot be encrypted or decrypted, and what to do about it.
///
/// Two errors are equal if their codes are.
public struct AgeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a failure.
  public enum Code: Hashable, Sendable {
    /// The text is not a recipient, an identity or a usable passphrase.
    case badKey
    /// The file does not have the age format, or breaks one of its rules.
    case malformed
    /// The file is encrypted to somebody else, or with another passphrase.
    case wrongKey
    /// The file was changed or cut short after it was encrypted.
    case damaged
  }

  /// Which failure it is.
  public let code: Code

  /// What happened and what to do, without a full stop.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }

  public static func == (left: AgeError, right: AgeError) -> Bool { left.code == right.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
