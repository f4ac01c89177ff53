internal import LMDB
internal import LedgerEvents

/// Assigns the slots of the key file, and encrypts under them what identifies people.
struct PersonalSealer {
  private let texts: PersonalTexts

  /// The number of key slots that are taken.
  var slot: UInt32 = 0
  /// The slots that the batch has reserved, as they were then.
  private var free = KeySlots.none

  init(_ texts: PersonalTexts) { self.texts = texts }

  /// Makes sure that there are keys in `count` more slots, before anything is written.
  ///
  /// - Throws: ``LedgerError``: `keysMissing`, `io`.
  mutating func reserve(_ count: Int) throws(LedgerError) {
    guard count > 0, let keys = texts.keys else { return }
    free = try keys.reserve(slot + 1...slot + UInt32(clamping: count))
  }

  /// Forgets what was reserved, after a batch: memory keeps no secrets, and others may take the
  /// slots.
  mutating func forgetReserved() { free = .none }

  /// Takes the next slot, and returns its secret.
  private mutating func nextSecret(_ keys: PersonalKeys) throws(LedgerError) -> Secret {
    slot += 1
    if let secret = free.secret(slot) { return secret }
    // This can fill the slots that follow, too.
    free = .none
    return try keys.newSecret(slot)
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
    let secret = try nextSecret(keys)
    return try texts.seal().seal(row, kind, Slot(slot), secret)
  }

  /// Returns the row of an event's personal data, under the next slot; without any data if it is to
  /// be forgotten.
  mutating func row(
    of part: PersonalPart, isForgotten: Bool
  ) throws(LedgerError) -> [UInt8] {
    guard !isForgotten, let keys = texts.keys else {
      return part.row(.forgotten(after: slot), pad: nil)
    }
    let pad = try nextSecret(keys)
    return part.row(Slot(slot), pad: pad)
  }
}
