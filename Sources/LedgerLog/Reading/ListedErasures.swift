internal import LMDB
internal import LedgerEvents

/// The rows of the table `erased`, with which everything that has no key is compared.
///
/// A row is not trusted by itself. The leaf of each `account.erased` contains a hash of its rows,
/// and a row must be about a name or an event that is stored under its slot.
struct ListedErasures {
  private let bySlot: [UInt32: ErasedSlot]
  /// The position of the erasure of each number.
  private let byName: [NameNumber: UInt64]
  /// What the leaves of erasures contain, by position.
  let commitments: [UInt64: [UInt8]]
  /// The positions at which something was erased.
  let positions: Set<UInt64>

  /// Creates an empty list.
  init() {
    (bySlot, byName, commitments, positions) = ([:], [:], [:], [])
  }

  /// Reads the table.
  ///
  /// - Complexity: O(*n* log *n*) in everything that was ever erased.
  /// - Throws: ``LedgerError``: `corrupt`, `io`.
  init(_ log: LogView) throws(LedgerError) {
    let rows = try log.erasedSlots()
    bySlot = Dictionary(rows.map { ($0.slot, $0) }) { first, _ in first }
    byName = Dictionary(rows.filter { $0.number != 0 }.map { ($0.number, $0.position) }) {
      first, _ in first
    }
    commitments = Dictionary(grouping: rows, by: \.position).mapValues { Commitment.erasure($0) }
    positions = Set(rows.map(\.position))
  }

  /// Returns whether a row lists a slot as erased.
  func lists(_ slot: Slot) -> Bool { bySlot[slot.taken] != nil }

  /// Returns whether an erasure has destroyed the key of the name with `number`, according to its
  /// row.
  func covers(name number: NameNumber, _ slot: Slot) -> Bool {
    bySlot[slot.taken].map { $0.number == number && $0.event == 0 } ?? false
  }

  /// Returns whether an erasure has destroyed the key of the personal data at `position`, according
  /// to its row.
  func covers(event position: UInt64, _ slot: Slot) -> Bool {
    bySlot[slot.taken].map { $0.event == position && $0.number == 0 } ?? false
  }

  /// Returns whether an event was written without keys: it was appended after an erasure, but is
  /// about the time before it. The erasure is that of its account or, if it names none, of its
  /// device or session.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt` if the erasure cannot be read.
  func forgets(_ record: borrowing RecordView, _ log: LogView) throws(LedgerError) -> Bool {
    let account = record.number(.account)
    let people = account != 0 ? [account] : [record.number(.device), record.number(.session)]
    for number in people {
      guard let erasure = byName[number], erasure < record.position else { continue }
      let moment = try log.record(at: erasure, isChecked: false).believedAt
      if record.believedAt <= moment { return true }
    }
    return false
  }

  /// Returns the rows whose name or event is not stored under the row's slot.
  ///
  /// - Complexity: O(*n* log *n*) in everything that was ever erased.
  func strays(in log: LogView) throws(LedgerError) -> [ErasedSlot] {
    var found: [ErasedSlot] = []
    for row in bySlot.values.sorted(by: { $0.slot < $1.slot }) where try !stands(row, log) {
      found.append(row)
    }
    return found
  }

  private func stands(_ row: ErasedSlot, _ log: LogView) throws(LedgerError) -> Bool {
    let slot = Slot(row.slot)
    if row.number != 0 {
      guard row.event == 0, let bytes = try log.nameRow(row.number, in: log.tables.people),
        let name = SealedName(bytes)
      else { return false }
      return name.slot == slot
    }
    guard let bytes = try log.personalBytes(at: row.event), let data = SealedData(bytes) else {
      return false
    }
    return data.slot == slot
  }
}
