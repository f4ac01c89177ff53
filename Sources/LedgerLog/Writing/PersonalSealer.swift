internal import LMDB
internal import LedgerEvents

/// Assigns the slots of the key file, and encrypts under them what identifies people.
struct PersonalSealer {
  private let texts: PersonalTexts

  /// The number of key slots that are taken.
  var slot: UInt32 = 0

  init(_ texts: PersonalTexts) { self.texts = texts }

  /// Makes sure that there are keys in `count` more slots, before anything is written.
  ///
  /// - Throws: ``LedgerError``: `keysMissing`, `io`.
  func reserve(_ count: Int) throws(LedgerError) {
    guard count > 0, let keys = texts.keys else { return }
    try keys.reserve(slot + 1...slot + UInt32(clamping: count))
  }

  /// Returns the row of a person's name, under the next slot; without a key if it is to be
  /// forgotten.
  mutating func row(
    ofName row: Span<UInt8>, _ kind: NameKind, isForgotten: Bool
  ) throws(LedgerError) -> [UInt8] {
    guard !isForgotten, let keys = texts.keys else {
      var source = SecretSource()
      return try texts.seal().seal(row, kind, .forgotten(after: slot), source.next())
    }
    slot += 1
    return try texts.seal().seal(row, kind, Slot(slot), try keys.newSecret(slot))
  }

  /// Returns the row of an event's personal data, under the next slot; without any data if it is to
  /// be forgotten.
  mutating func row(
    of part: PersonalPart, isForgotten: Bool
  ) throws(LedgerError) -> [UInt8] {
    if isForgotten { return part.row(.forgotten(after: slot), pad: nil) }
    slot += 1
    return part.row(Slot(slot), pad: try texts.keys?.newSecret(slot))
  }
}
