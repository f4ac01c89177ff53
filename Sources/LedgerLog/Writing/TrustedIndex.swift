internal import LedgerEvents

/// An index whose failures can be told from those of the log.
///
/// What an index does not say, the log does: the writer goes on without an index that fails.
struct TrustedIndex: LogIndex {
  private let index: any LogIndex

  /// Asks `index` for one.
  ///
  /// - Throws: ``LedgerError`` with an ``IndexFailure`` as its cause.
  init(_ index: () throws(LedgerError) -> any LogIndex) throws(LedgerError) {
    self.index = try Self.telling { () throws(LedgerError) in try index() }
  }

  var reach: UInt64 { index.reach }
  var nameReach: NameNumber { index.nameReach }

  func positions(ofIDs hashes: [UInt64]) throws(LedgerError) -> [KeyCandidate] {
    try Self.telling { () throws(LedgerError) in try index.positions(ofIDs: hashes) }
  }

  func numbers(ofNames hashes: [UInt64]) throws(LedgerError) -> [KeyCandidate] {
    try Self.telling { () throws(LedgerError) in try index.numbers(ofNames: hashes) }
  }

  private static func telling<Value>(
    _ body: () throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    // Whatever keeps an index from being asked, the log can be. If the log cannot be read either,
    // reading it says so.
    do throws(LedgerError) { return try body() } catch { throw error.ofIndex }
  }
}

/// Why an index is not asked any more.
struct IndexFailure: Error {
  let reason: LedgerError
}

extension LedgerError {
  /// The same error, marked as an index's.
  var ofIndex: LedgerError {
    LedgerError(code, message, position: position, cause: IndexFailure(reason: self))
  }
}
