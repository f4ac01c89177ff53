internal import LMDB
internal import LedgerEvents
internal import RunStorage

extension TailOverlay {
  /// The number of a name; `nil` if no event up to the overlay's end uses it, or if the person that
  /// it named was erased.
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

  /// All numbers of a name. A person's name has one for each time that it was erased, and one for
  /// the person who has it now.
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
