internal import LedgerEvents

/// An index whose errors can be distinguished from those of the log.
///
/// Everything in an index is also in the log, so the writer continues without an index that fails.
struct TrustedIndex: LogIndex {
  private let index: any LogIndex

  /// Requests an index from `index`.
  ///
  /// - Throws: ``LedgerError`` with an ``IndexFailure`` as its cause.
  init(_ index: () throws(LedgerError) -> any LogIndex) throws(LedgerError) {
    self.index = try Self.marking { () throws(LedgerError) in try index() }
  }

  var reach: UInt64 { index.reach }
  var nameReach: NameNumber { index.nameReach }

  func positions(ofIDs hashes: [UInt64]) throws(LedgerError) -> [KeyCandidate] {
    try Self.marking { () throws(LedgerError) in try index.positions(ofIDs: hashes) }
  }

  func numbers(ofNames hashes: [UInt64]) throws(LedgerError) -> [KeyCandidate] {
    try Self.marking { () throws(LedgerError) in try index.numbers(ofNames: hashes) }
  }

  private static func marking<Value>(
    _ body: () throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    // If an index cannot be read for any reason, the log is read instead. If that cannot be read
    // either, reading it throws the error.
    do throws(LedgerError) { return try body() } catch { throw error.ofIndex }
  }
}

/// The reason why an index is no longer used.
struct IndexFailure: Error {
  let reason: LedgerError
}

extension LedgerError {
  /// The same error, marked as that of an index.
  var ofIndex: LedgerError {
    LedgerError(code, message, position: position, cause: IndexFailure(reason: self))
  }
}
