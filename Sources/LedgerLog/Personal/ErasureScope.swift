internal import LMDB
package import LedgerEvents

/// What identifies an erased customer: the key slots that are to be destroyed.
package struct ErasureScope: Sendable {
  /// The numbers of the names of accounts, devices and sessions, by slot.
  package var names: [UInt32: NameNumber] = [:]
  /// The positions of events with personal data, by slot.
  package var texts: [UInt32: UInt64] = [:]
  /// The believed time of the customer's newest event.
  package var newest = Instant(microseconds: .min)

  /// Creates an empty scope.
  package init() {}

  /// Returns each slot with what is encrypted under it, as the erasure at `position` lists it.
  func slots(at position: UInt64) -> [ErasedSlot] {
    let names = names.map { ErasedSlot(slot: $0.key, position: position, number: $0.value) }
    let texts = texts.map { ErasedSlot(slot: $0.key, position: position, event: $0.value) }
    return (names + texts).sorted { $0.slot < $1.slot }
  }

  /// What the leaf of the erasure contains of it.
  var commitment: [UInt8] {
    Commitment.erasure(names: Array(names.values), events: Array(texts.values))
  }
}

/// Returns what an erasure destroys. The log's writer calls it under the log's lock, when all
/// earlier events are committed.
package typealias ErasureCheck = @Sendable () throws(LedgerError) -> ErasureScope

extension LogView {
  /// Returns the slot under which a name is encrypted; `nil` if its key was destroyed or it never
  /// had one.
  package func livingSlot(ofName number: NameNumber) throws(LedgerError) -> UInt32? {
    let slot = try sealedName(number).slot
    return try isErased(slot) ? nil : slot.taken
  }

  /// Returns the slot under which an event's personal data is encrypted; `nil` if it has none or if
  /// the key was destroyed.
  package func livingSlot(ofData position: UInt64) throws(LedgerError) -> UInt32? {
    guard let row = try personalBytes(at: position), let data = SealedData(row),
      try !isErased(data.slot)
    else { return nil }
    return data.slot.taken
  }
}
