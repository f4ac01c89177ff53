/// The reason why an operation on a content package or a folder of content failed.
public struct ContentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of error.
  public enum Code: String, Sendable, Hashable {
    /// There is nothing with that name.
    case missing
    /// The system refused to read or write.
    case inputOutput
    /// The disk or a quota is full.
    case diskFull
    /// The container is broken, or of an unknown kind.
    case malformed
    /// The package changed while it was read.
    case changed
    /// The package breaks a rule: ``PackageReport`` says which.
    case refused
    /// Something already exists and must not be overwritten.
    case exists
    /// Another process works on the same folder.
    case busy
  }

  public let code: Code
  /// The path that the error is about.
  public let path: String
  /// What happened, what was expected, and what to do.
  public let message: String

  public init(_ code: Code, path: String, _ message: String) {
    self.code = code
    self.path = path
    self.message = message
  }

  public var description: String { "\(path): \(message)" }

  /// Two errors are equal if their codes are equal.
  public static func == (one: ContentError, other: ContentError) -> Bool { one.code == other.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
