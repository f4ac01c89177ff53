/// Gives saved answers to the ledger. The program runs `daybook import history`; tests have others.
package protocol AnswerImporter: Sendable {
  /// Imports a file, verified, and returns how many events were appended.
  ///
  /// - Throws: ``PullError``: `daybook` if the file was refused or the ledger could not be written.
  func importAnswer(
    _ file: String, from environment: StoreHost.Environment
  ) async throws(PullError) -> Int

  /// Refuses to go on without a ledger: one that cannot be found is not another one.
  ///
  /// - Throws: ``PullError``: `daybook` with exit code 66 if there is none.
  func requireLedger() throws(PullError)

  /// The event of the ledger at a position, or its last one; nil if there is none.
  ///
  /// - Throws: ``PullError``: `daybook` if the ledger cannot be read.
  func mark(at position: Int64?) throws(PullError) -> LedgerMark?
}

/// What a pull says while it works.
package protocol PullProgress: Sendable {
  func pulled(_ subject: String, page: Int, signed: Int)
}
