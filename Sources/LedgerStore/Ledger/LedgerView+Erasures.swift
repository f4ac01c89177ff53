internal import LMDB
internal import LedgerEvents

extension LedgerView {
  /// How many names and texts were erased so far. While it stays the same, answers about the past
  /// have the same texts in the same order.
  ///
  /// - Complexity: O(1).
  /// - Throws: ``LedgerError``.
  package func erasureCount() throws(LedgerError) -> Int { try log.erasureCount() }

  /// Returns the positions at which an account was erased; empty if it never was, or never had a
  /// key.
  ///
  /// The list of what was erased says so. If its row is missing or does not lead to an erasure,
  /// because it was damaged or another ledger's `account.erased` was appended, the events say so:
  /// then nothing that came before may stay readable only because it no longer belongs to anybody.
  ///
  /// - Parameters:
  ///   - number: The number of the account's name.
  ///   - positions: The events of its unit, in order.
  /// - Complexity: O(1) if it is listed, otherwise O(*n*) in the positions.
  func erasures(
    of number: NameNumber, among positions: [UInt64]
  ) throws(LedgerError) -> [UInt64] {
    let slot = try log.sealedName(number).slot
    if slot.isForgotten { return [] }
    if let listed = try log.erasure(of: slot.taken), try isErasure(at: listed) { return [listed] }
    var found: [UInt64] = []
    for position in positions {
      let record = try log.record(at: position)
      if record.kind == .accountErased, record.number(.account) == number {
        found.append(position)
      }
    }
    return found
  }

  /// Whether there is an erasure at a position. A row of the list has no checksum.
  private func isErasure(at position: UInt64) throws(LedgerError) -> Bool {
    guard position > 0, position <= log.lastPosition else { return false }
    return try log.record(at: position).kind == .accountErased
  }
}
