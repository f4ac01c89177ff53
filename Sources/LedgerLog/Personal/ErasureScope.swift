internal import LMDB
package import LedgerEvents

/// What identifies an erased customer: the slots of the key file that are to be destroyed.
package struct ErasureScope: Sendable {
  /// Names of accounts, devices and sessions: the name's number, by slot.
  package var names: [UInt32: NameNumber] = [:]
  /// Personal data of events: the event's position, by slot.
  package var texts: [UInt32: UInt64] = [:]
  /// Believed time of the customer's newest event.
  package var newest = Instant(microseconds: .min)

  /// The scope of nobody, to be filled.
  package init() {}

  /// Every slot and what stands under it, as the erasure at `position` lists it.
  func slots(at position: UInt64) -> [ErasedSlot] {
    let names = names.map { ErasedSlot(slot: $0.key, position: position, number: $0.value) }
    let texts = texts.map { ErasedSlot(slot: $0.key, position: position, event: $0.value) }
    return (names + texts).sorted { $0.slot < $1.slot }
  }

  /// What the leaf of the erasure holds of it.
  var commitment: [UInt8] {
    Commitment.erasure(names: Array(names.values), events: Array(texts.values))
  }
}

/// What an erasure is to destroy: asked by the log's writer, behind everything that is committed.
package typealias ErasureCheck = @Sendable () throws(LedgerError) -> ErasureScope

extension LogView {
  /// The slot under which a name stands; nil where its key was destroyed, or never was.
  package func livingSlot(ofName number: NameNumber) throws(LedgerError) -> UInt32? {
    let slot = try sealedName(number).slot
    return try isErased(slot) ? nil : slot.taken
  }

  /// The slot under which an event's personal data stands; nil where it has none, or no more.
  package func livingSlot(ofData position: UInt64) throws(LedgerError) -> UInt32? {
    guard let row = try personalBytes(at: position), let data = SealedData(row),
      try !isErased(data.slot)
    else { return nil }
    return data.slot.taken
  }
}
