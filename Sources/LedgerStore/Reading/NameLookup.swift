internal import LMDB
internal import LedgerEvents

extension TailOverlay {
  /// The number of a name; nil where no event up to the overlay's end uses it.
  ///
  /// - Complexity: O(*r* log *n*) for *r* runs of the index.
  func number(
    of use: NameUse, _ log: LogView, _ keyHash: KeyHash, _ tables: ProjectionTables,
    _ view: TransactionView
  ) throws(LedgerError) -> NameNumber? {
    let hash = keyHash.name(use)
    for number in numbers(of: hash) where try log.isName(number, use) { return number }
    let candidates: [UInt32]
    do throws(RunsError) {
      candidates = try tables.names.snapshot(in: view).values(of: IndexKey.of(hash), in: view)
    } catch { throw LedgerError(error) }
    for number in candidates where try log.isName(number, use) { return number }
    return nil
  }
}
