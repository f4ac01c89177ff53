package import LedgerQueries
package import StoreImport

/// Why what was read of a file could not be appended to a ledger.
package enum IntakeFailure: Error, Sendable {
  /// The file contradicts the ledger, or itself.
  case file(ImportError)
  /// The ledger could not be read or written.
  case ledger(LedgerError)
  /// Something about the same purchases or customers was appended each time between reading the
  /// ledger and appending to it, ``PurchaseIntake/attemptsMax`` times.
  case outrun
}
