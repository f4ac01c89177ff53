package import LMDB

/// What went wrong in a family of sorted runs or in a key filter.
///
/// Two errors are equal when their codes are.
package struct RunsError: Error, Sendable {
  /// The kind of a failure.
  package enum Code: Sendable, Hashable {
    /// A row does not read as what was written there: discard the projections and rebuild them.
    case corrupt

    /// The rows were written by another version of the format.
    case unknownFormat

    /// LMDB failed.
    case storage(LMDBError.Code)
  }

  /// Which failure it is.
  package let code: Code

  /// What happened and what to do, in one or two sentences.
  package let message: String

  /// The failure below, where there is one.
  package let cause: LMDBError?

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
    cause = nil
  }

  /// A row that does not read as what was written there.
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
