/// Why an export failed; nothing is left of it then.
public struct ExportError: Error, Hashable, Sendable {
  /// The kind of a failure.
  public enum Code: Hashable, Sendable {
    /// There is a file of that name already.
    case exists
    /// No file can be made there.
    case cannotCreate
    /// The file cannot be written or read.
    case file
    /// What was read back is not what the ledger has.
    case mismatch
    /// A number has more digits than sums are kept with.
    case limit
    /// Somebody asked to stop.
    case interrupted
  }

  public let code: Code
  /// What happened and what to do.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension ExportError: CustomStringConvertible {
  public var description: String { message }
}
