/// The reason why no store item was found in the input.
public struct StoreItemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  public enum Code: String, Sendable, Hashable {
    /// The input is a bundle identifier instead of a number.
    case bundleIdentifier
    /// The input is a link to something other than the store.
    case notOfTheStore
    /// The input is a link to the store that contains no item number.
    case noItem
    /// The input is a response in which the store refused the request.
    case refusedAnswer
    /// The bytes do not have the expected format.
    case malformed
  }

  public let code: Code
  /// A description of what was found, what was expected, and what to do.
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }

  /// Two errors are equal if their codes are equal.
  public static func == (one: StoreItemError, other: StoreItemError) -> Bool {
    one.code == other.code
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
