package import LMDB

/// An error of a family of sorted runs or of a key filter.
///
/// Two errors are equal if their codes are equal.
package struct RunsError: Error, Sendable {
  /// The kind of error.
  package enum Code: Sendable, Hashable {
    /// A row differs from what was written there: discard the projections and rebuild them.
    case corrupt

    /// The rows were written by another version of the format.
    case unknownFormat

    /// LMDB failed.
    case storage(LMDBError.Code)
  }

  /// The kind of error.
  package let code: Code

  /// A description of the error and what to do, in one or two sentences.
  package let message: String

  /// The underlying error, if there is one.
  package let cause: LMDBError?

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
    cause = nil
  }

  /// Returns an error for a row that differs from what was written there.
  @inline(never)
  package static func corrupt(_ what: String) -> RunsError {
    RunsError(.corrupt, "\(what): discard the projections and rebuild them from the log.")
  }
}

extension RunsError: LMDBFailure {
  package init(_ error: LMDBError) {
    code = .storage(error.code)
    message = error.message
    cause = error
  }
}

extension RunsError: Equatable {
  package static func == (left: RunsError, right: RunsError) -> Bool { left.code == right.code }
}

extension RunsError: CustomStringConvertible {
  package var description: String { cause?.description ?? message }
}
