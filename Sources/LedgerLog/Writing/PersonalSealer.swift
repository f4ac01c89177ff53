internal import LMDB
internal import LedgerEvents
internal import WorkThreads

/// Assigns the slots of the key file, and encrypts under them what identifies people.
struct PersonalSealer {
  /// A name of a batch, by its index there, and the slot that it will get.
  struct NewName {
    var name: Int
    var slot: UInt32
  }

  private let texts: PersonalTexts

  /// The number of key slots that are taken.
  var slot: UInt32 = 0

  /// Names that are encrypted already, in the order of their slots, and their rows.
  private var ahead: ArraySlice<(new: NewName, row: [UInt8])> = []

  /// The number of names from which several threads encrypt them: some hundred microseconds.
  static let aheadNamesMin = 32

  /// The number of names that one thread encrypts at a time.
  private static let pieceNames = 16

  init(_ texts: PersonalTexts) { self.texts = texts }

  /// Makes sure that there are keys in `count` more slots, before anything is written.
  ///
  /// - Throws: ``LedgerError``: `keysMissing`, `io`.
  func reserve(_ count: Int) throws(LedgerError) {
    guard count > 0, let keys = texts.keys else { return }
    try keys.reserve(slot + 1...slot + UInt32(clamping: count))
  }

  /// Encrypts names of a batch on several threads, before their rows are asked for one by one.
  ///
  /// - Parameters:
  ///   - new: The names that get the next slots, in the order of these.
  ///   - names: All names of the batch.
  /// - Throws: ``LedgerError``: `keysMissing`, `io`.
  mutating func sealAhead(_ new: [NewName], of names: NameRows) throws(LedgerError) {
    ahead = []
    guard new.count >= Self.aheadNamesMin, let first = new.first, let last = new.last,
      let secrets = try texts.keys?.newSecrets(first.slot...last.slot)
    else { return }
    let seal = try texts.seal()
    let starts = Array(stride(from: 0, to: new.count, by: Self.pieceNames))
    let pieces = concurrentMap(starts.count) { piece in
      new[starts[piece]..<min(starts[piece] + Self.pieceNames, new.count)].map {
        (new) -> (NewName, [UInt8])? in
        let row = names.row(new.name)
        guard let secret = secrets[Int(new.slot - first.slot)],
          let kind = NameKind(rawValue: row[0])
        else { return nil }
        let sealed = Result { () throws(LedgerError) in
          try seal.seal(row, kind, Slot(new.slot), secret)
        }
        // What cannot be encrypted here is tried again in its turn, which reports the reason.
        guard case .success(let bytes) = sealed else { return nil }
        return (new, bytes)
      }
    }
    ahead = pieces.flatMap { $0.compactMap { $0.map { (new: $0.0, row: $0.1) } } }[...]
  }

  /// Returns the row of a person's name, under the next slot; without a key if it is to be
  /// forgotten.
  ///
  /// - Parameters:
  ///   - row: The name's row among those of the batch.
  ///   - name: Its index there.
  mutating func row(
    ofName row: Span<UInt8>, _ name: Int, _ kind: NameKind, isForgotten: Bool
  ) throws(LedgerError) -> [UInt8] {
    guard !isForgotten, let keys = texts.keys else {
      var source = SecretSource()
      return try texts.seal().seal(row, kind, .forgotten(after: slot), source.next())
    }
    slot += 1
    while let next = ahead.first, next.new.slot <= slot {
      ahead.removeFirst()
      if next.new.slot == slot, next.new.name == name { return next.row }
    }
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
