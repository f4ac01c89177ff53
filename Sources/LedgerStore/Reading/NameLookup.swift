internal import LMDB
internal import LedgerEvents
internal import RunStorage

extension TailOverlay {
  /// The number of a name; nil where no event up to the overlay's end uses it, and where whom it
  /// named was erased.
  ///
  /// - Complexity: O(*r* log *n*) for *r* runs of the index.
  func number(
    of use: NameUse, _ log: LogView, _ keyHash: KeyHash, _ tables: ProjectionTables,
    _ view: TransactionView
  ) throws(LedgerError) -> NameNumber? {
    for number in try candidates(for: use, log, keyHash, tables, view)
    where try log.isName(number, use) {
      if !use.kind.isPersonal { return number }
      if try !log.isErased(name: number) { return number }
    }
    return nil
  }

  /// The numbers of a name: of a person's that was erased as many as there were erasures, and that
  /// of whoever has it now.
  func allNumbers(
    of use: NameUse, _ log: LogView, _ keyHash: KeyHash, _ tables: ProjectionTables,
    _ view: TransactionView
  ) throws(LedgerError) -> Set<NameNumber> {
    var found: Set<NameNumber> = []
    for number in try candidates(for: use, log, keyHash, tables, view)
    where try log.isName(number, use) {
      found.insert(number)
    }
    return found
  }

  private func candidates(
    for use: NameUse, _ log: LogView, _ keyHash: KeyHash, _ tables: ProjectionTables,
    _ view: TransactionView
  ) throws(LedgerError) -> [NameNumber] {
    let hash = try log.nameHash(use, keyHash)
    let index = try tables.wholeNames(in: view)
    do throws(RunsError) {
      return numbers(of: hash) + (try index.values(of: IndexKey.of(hash), in: view))
    } catch { throw LedgerError(error) }
  }
}
