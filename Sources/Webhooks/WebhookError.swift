internal import GRDB

/// Why webhooks cannot be read, changed or told, in words that say what to do. No message has a
/// secret.
package struct WebhookError: Error, Sendable, CustomStringConvertible {
  /// What a program can do about it.
  package enum Code: Sendable, Hashable {
    /// No webhook has this name, or no delivery this id.
    case unknown
    /// A webhook has this name already.
    case exists
    /// What a webhook is to do is malformed or contradicts itself.
    case invalid
    /// There are as many webhooks as a ledger can have.
    case limitReached
    /// There is no ledger at the path.
    case noLedger
    /// A later version of the program has written the file.
    case unknownVersion
    /// Another process tells already, or keeps the file locked.
    case busy
    /// The file cannot be read or written.
    case disk
  }

  package let code: Code
  package let message: String

  package init(_ code: Code, _ message: String) {
    (self.code, self.message) = (code, message)
  }

  package var description: String { message }

  init(_ error: DatabaseError, _ path: String) {
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(.busy, "\(path) is used by another process, which does not end: try again.")
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      self.init(
        .disk,
        "\(path) is damaged: \(error.message ?? "no reason"). Stop the service, move the file "
          + "away, and create the webhooks again; nothing of the ledger is in it.")
    default:
      self.init(.disk, "\(path) cannot be used: \(error.message ?? error.resultCode.description)")
    }
  }
}
