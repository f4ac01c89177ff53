internal import LMDB
internal import LedgerEvents

/// What the list of erasures says, as far as it can be believed.
///
/// A row of the list has no checksum, and the tree holds what was erased, but not under which
/// slots. So a row counts if the name or event that it is about is under its slot. If it is under
/// another one, a number is damaged: the row's, or the other. A key that belongs to somebody else
/// must not be destroyed then, and what was erased must not be opened.
struct SalvagedErasures {
  /// Rows that count, by slot.
  private(set) var bySlot: [UInt32: ErasedSlot] = [:]
  /// What was erased of events, by position.
  private(set) var byEvent: [UInt64: ErasedSlot] = [:]
  /// Slots whose keys may not be in the new key file: those of what was erased.
  private(set) var slotsToDestroy: Set<UInt32> = []
  /// Erasures of which a row does not count.
  private(set) var changed: Set<UInt64> = []
  /// Whether every row was found and counts.
  private(set) var isWhole: Bool
  /// What the leaves of erasures hold of what they erased, if every row is as it was written.
  let commitments: [UInt64: [UInt8]]

  private let source: SalvageSource
  private let rows: [ErasedSlot]
  private var byName: [NameNumber: ErasedSlot] = [:]

  /// What a slot's key is for.
  private enum Subject: Hashable {
    case name(NameNumber)
    case event(UInt64)
  }

  /// Reads the rows, without deciding yet which of them count.
  init(_ source: SalvageSource) {
    self.source = source
    var rows: [ErasedSlot] = []
    var isWhole = source.isErasedComplete && source.erased.contested.isEmpty
    for key in source.erased.keys {
      guard let value = source.erased.value(key, source), key <= UInt64(PersonalKeys.slotMax),
        let row = ErasedSlot(UInt32(key).bigEndianBytes.span, value.span),
        Self.isPlausible(row, source)
      else {
        isWhole = false
        continue
      }
      rows.append(row)
    }
    self.isWhole = isWhole
    self.rows = rows
    commitments = Dictionary(grouping: rows, by: \.position).mapValues { Commitment.erasure($0) }
  }

  /// Whether every row was found and is about what is under its slot.
  var isConsistent: Bool {
    isWhole
      && rows.allSatisfy { row in slot(of: Self.subject(of: row)).map { $0 == row.slot } ?? true }
  }

  /// Whether a row is about one thing, and its position that of an erasure.
  private static func isPlausible(_ row: ErasedSlot, _ source: SalvageSource) -> Bool {
    guard (row.number == 0) != (row.event == 0), row.position > 0 else { return false }
    do throws(RecordError) {
      if row.event > 0, let record = source.record(row.event) {
        let event = try RecordView(record.span, isChecked: false)
        if event.commitment == nil { return false }
      }
      guard let record = source.record(row.position) else {
        // A row that no tree leads to may be one of a commit that failed.
        return source.erased.origin(of: UInt64(row.slot))?.isOfTree == true
      }
      return try RecordView(record.span, isChecked: false).kind == .accountErased
    } catch { return false }
  }

  private static func subject(of row: ErasedSlot) -> Subject {
    row.number != 0 ? .name(row.number) : .event(row.event)
  }

  /// The slot that a name or an event says that it is under; nil if it cannot be read or has none.
  private func slot(of subject: Subject) -> UInt32? {
    let slot: Slot?
    switch subject {
    case .name(let number):
      slot = source.name(number).flatMap { SealedName($0.span)?.slot }
    case .event(let position):
      slot = source.personal.value(position, source).flatMap { SealedData($0.span)?.slot }
    }
    return slot.flatMap { $0.isForgotten ? nil : $0.taken }
  }

  // MARK: - Which rows count

  /// Decides which rows count.
  ///
  /// - Parameters:
  ///   - proof: What the tree proves.
  ///   - last: The last position of the log.
  ///   - lastSlot: No slot is higher, unless a bit of it was flipped.
  /// - Complexity: O(*n*) in the names of people and personal texts, if anything was erased.
  mutating func selectRows(_ proof: SalvageProof, last: UInt64, lastSlot: UInt32) {
    // The leaf of an erasure holds what it erased. So if every leaf is proven, no row is missing,
    // and the damage is in the count.
    if !source.isErasedCountConfirmed, !source.erasures.allSatisfy(proof.isProven) {
      isWhole = false
    }
    if rows.isEmpty { return }
    let holders = holders()
    for row in rows {
      let subject = Self.subject(of: row)
      let stated = slot(of: subject)
      let isFree = { (slot: UInt32) in (holders[slot] ?? []).isSubset(of: [subject]) }
      guard row.position <= last, bySlot[row.slot] == nil else {
        drop(row)
        continue
      }
      if stated == row.slot || stated == nil && isFree(row.slot) && row.slot <= lastSlot {
        accept(row)
      } else if let stated, stated > 0, stated <= lastSlot, proof.isProven(row.position),
        isFree(stated), bySlot[stated] == nil
      {
        // It was erased, and nothing else is under either slot that it may have been under.
        accept(
          ErasedSlot(
            slot: stated, position: row.position, number: row.number, event: row.event))
        if isFree(row.slot) { slotsToDestroy.insert(row.slot) }
      } else if stated != nil, row.slot <= lastSlot, proof.isProven(row.position),
        isFree(row.slot)
      {
        // What it says itself is somebody else's slot, or one that was never given out.
        accept(row)
      } else {
        drop(row)
      }
    }
  }

  private mutating func accept(_ row: ErasedSlot) {
    bySlot[row.slot] = row
    slotsToDestroy.insert(row.slot)
    if row.number != 0 { byName[row.number] = row }
    if row.event != 0 { byEvent[row.event] = row }
  }

  private mutating func drop(_ row: ErasedSlot) {
    isWhole = false
    changed.insert(row.position)
  }

  /// What says that it is under the slots that the list names, or that what it lists is under.
  private func holders() -> [UInt32: Set<Subject>] {
    let slots = Set(rows.map(\.slot)).union(rows.compactMap { slot(of: Self.subject(of: $0)) })
    var holders: [UInt32: Set<Subject>] = [:]
    let names = source.people.keys.lazy.map { Subject.name(NameNumber(truncatingIfNeeded: $0)) }
    for subject in names {
      if let slot = slot(of: subject), slots.contains(slot) {
        holders[slot, default: []].insert(subject)
      }
    }
    for subject in source.personal.keys.lazy.map(Subject.event) {
      if let slot = slot(of: subject), slots.contains(slot) {
        holders[slot, default: []].insert(subject)
      }
    }
    return holders
  }

  // MARK: - What was erased

  /// The rows that count, by the position of their erasure.
  var byPosition: [UInt64: [ErasedSlot]] { Dictionary(grouping: bySlot.values, by: \.position) }

  /// The row about a name; nil if it was not erased.
  func row(ofName number: NameNumber) -> ErasedSlot? { byName[number] }
}
