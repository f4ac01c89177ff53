internal import LMDB
package import LedgerEvents

/// What identifies an erased customer: the slots of the key file that are to be destroyed.
package struct ErasureScope: Sendable {
  /// Names of accounts, devices and sessions: the name's number, by slot.
  package var names: [UInt32: NameNumber] = [:]
  /// Personal data of events.
  package var texts: Set<UInt32> = []
  /// Believed time of the customer's newest event.
  package var newest = Instant(microseconds: .min)

  /// The scope of nobody, to be filled.
  package init() {}

  /// Every slot, with the number of the name that stands under it, or 0.
  package var slots: [(slot: UInt32, number: NameNumber)] {
    (names.map { ($0.key, $0.value) } + texts.map { ($0, 0) }).sorted { $0.0 < $1.0 }
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
