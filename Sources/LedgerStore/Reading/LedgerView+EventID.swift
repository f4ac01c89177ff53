internal import LMDB
public import LedgerEvents
internal import LedgerModel
internal import RunStorage

extension LedgerView {
  /// The event with an id; `nil` if the ledger has none.
  ///
  /// - Complexity: O(*r* log *n*) for *r* runs of the index, and O(*k*) in the events after it.
  /// - Throws: ``LedgerError``.
  public func event(withID id: Name) throws(LedgerError) -> RecordedEvent? {
    let key = IndexKey.of(reader.keyHash.id(id))
    let candidates: [UInt32]
    let index = try tables.wholeIDs(in: projections)
    do throws(RunsError) { candidates = try index.values(of: key, in: projections) } catch {
      throw LedgerError(error)
    }
    for position in candidates where try log.isID(id, at: UInt64(position)) {
      return try log.event(at: UInt64(position))
    }
    let prefix = id.prefixWord
    for fact in reader.overlay.facts where fact.idPrefix == prefix {
      if try log.isID(id, at: fact.position) { return try log.event(at: fact.position) }
    }
    return nil
  }
}
