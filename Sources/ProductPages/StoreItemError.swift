/// Why no item of the store was found in what was given.
public struct StoreItemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it is.
  public enum Code: String, Sendable, Hashable {
    /// A bundle identifier stands where a number belongs.
    case bundleIdentifier
    /// A link to something else than the store.
    case notOfTheStore
    /// A link of the store that names no item by number.
    case noItem
    /// An answer of the store that says that the question was wrong.
    case refusedAnswer
    /// Bytes that are not what they are taken for.
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

  /// Two are equal when their codes are.
  public static func == (one: StoreItemError, other: StoreItemError) -> Bool {
    one.code == other.code
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
