internal import CLMDB

/// What went wrong in LMDB or in the wrapper around it, and what to do about it.
///
/// Two errors are equal if their codes are. The message is for people; programs look at ``code``.
public struct LMDBError: Error, Sendable {
  /// The kind of failure.
  public let code: Code

  /// The name of the call that failed, for reports.
  public let operation: String

  /// What happened and what to do, in one or two sentences.
  public let message: String

  /// The value of `errno`, if the operating system caused the failure.
  public var systemError: Int32? {
    if case .system(let number) = code { return number }
    return cause
  }

  let cause: Int32?

  package init(
    _ code: Code, operation: String, message: String? = nil, cause: Int32? = nil
  ) {
    self.code = code
    self.operation = operation
    self.message = message ?? code.advice
    self.cause = cause
  }

  /// Wraps a return code of LMDB; the caller has seen that it is a failure.
  @inline(never)
  init(status: Int32, operation: String, message: String? = nil) {
    self.init(Code(status: status), operation: operation, message: message)
  }
}

extension LMDBError: Equatable {
  public static func == (left: LMDBError, right: LMDBError) -> Bool { left.code == right.code }
}

extension LMDBError: CustomStringConvertible {
  public var description: String { "\(operation): \(message)" }
}

/// An error of another layer that can carry a failure of LMDB.
///
/// A closure that runs in a transaction may throw such an error. Failures of the transaction itself
/// are then thrown as the same type.
public protocol LMDBFailure: Error {
  /// Creates an error that carries `error`.
  init(_ error: LMDBError)
}

extension LMDBError: LMDBFailure {
  public init(_ error: LMDBError) { self = error }
}
