/// Why an export failed. It leaves nothing behind.
public struct ExportError: Error, Hashable, Sendable {
  /// The kind of a failure.
  public enum Code: Hashable, Sendable {
    /// A file with that name already exists.
    case exists
    /// No file can be created there.
    case cannotCreate
    /// The file cannot be written or read.
    case file
    /// What was read back differs from what the ledger has.
    case mismatch
    /// A number has more digits than sums can hold.
    case limit
    /// Somebody asked to stop.
    case interrupted
  }

  public let code: Code
  /// What happened, and what to do.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension ExportError: CustomStringConvertible {
  public var description: String { message }
}
