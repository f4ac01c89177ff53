/// Why no item of the store was found in the input.
public struct StoreItemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it is.
  public enum Code: String, Sendable, Hashable {
    /// A bundle identifier where a number belongs.
    case bundleIdentifier
    /// A link to something other than the store.
    case notOfTheStore
    /// A link to the store that names no item by number.
    case noItem
    /// A response in which the store says that the request was wrong.
    case refusedAnswer
    /// Bytes that do not have the expected format.
    case malformed
  }

  public let code: Code
  /// What was found, what was expected, and what to do.
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }

  /// Two errors are equal if their codes are.
  public static func == (one: StoreItemError, other: StoreItemError) -> Bool {
    one.code == other.code
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
