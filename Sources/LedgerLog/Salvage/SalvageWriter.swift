internal import LMDB
internal import LedgerEvents

/// Writes what a plan keeps to the log of a new ledger.
///
/// Records, names and encrypted texts are copied as they are. After a gap, positions and the
/// numbers of names move down, because neither may have gaps. Nothing is decrypted and encrypted
/// again, so what was erased stays erased.
struct SalvageWriter {
  private let plan: SalvagePlan
  private let source: SalvageSource

  /// The missing positions, in order. The new position of a kept event is its former one minus the
  /// number of missing ones before it.
  private let missing: [UInt64]
  private var numbers: [NameNumber: NameNumber] = [:]
  private var nameCount: NameNumber = 0
  private var position: UInt64 = 0
  private var tree = TreeWriter()
  private var bytes: [UInt8] = []
  /// The rows about what each erasure erased, by its former position.
  private let erasures: [UInt64: [ErasedSlot]]

  /// The next slot that no row of the damaged log uses.
  private var spareSlot: UInt32
  /// Slots whose keys must not be in the new key file.
  private(set) var slotsToDestroy: Set<UInt32>

  /// The number of events that are written in one commit.
  private static let eventsPerCommit = 10_000

  init(_ plan: SalvagePlan) {
    self.plan = plan
    source = plan.source
    missing = plan.missing.keys.sorted()
    erasures = plan.erasures.byPosition
    slotsToDestroy = plan.erasures.slotsToDestroy.union(plan.mark?.slots ?? [])
    var highest = plan.erasures.bySlot.keys.max() ?? 0
    for key in source.people.keys {
      guard let row = source.people.value(key, source),
        let taken = SealedName(row.span)?.slot.taken, taken <= plan.lastSlot
      else { continue }
      highest = max(highest, taken)
    }
    for key in source.personal.keys {
      guard let row = source.personal.value(key, source),
        let taken = SealedData(row.span)?.slot.taken, taken <= plan.lastSlot
      else { continue }
      highest = max(highest, taken)
    }
    // Of a ledger whose key file is lost, any row may be given another slot.
    let spares = source.people.count + source.personal.count
    spareSlot = min(highest, PersonalKeys.slotMax - UInt32(clamping: spares)) + 1
  }

  /// The number of key slots that are taken.
  var slotsTaken: UInt32 { spareSlot - 1 }

  /// The root over everything that was written.
  mutating func root() -> TreeHash { tree.root() }

  /// Writes the log into an environment that was just created.
  ///
  /// - Complexity: O(*n* log *n*), and one commit per 10,000 events.
  /// - Throws: ``LedgerError``: `full`, `io`.
  mutating func write(
    to environment: Environment, _ tables: LogTables,
    progress: (_ done: UInt64, _ total: UInt64) -> Void
  ) throws(LedgerError) {
    var positions = plan.positions.makeIterator()
    var next = positions.next()
    while let first = next {
      var transaction: WriteTransaction
      do throws(LMDBError) { transaction = try environment.beginWrite() } catch {
        throw LedgerError(error)
      }
      tree.leaves.removeAll()
      var old: UInt64? = first
      for _ in 0..<Self.eventsPerCommit {
        guard let event = old else { break }
        try write(event, tables, &transaction)
        old = positions.next()
      }
      next = old
      do throws(LMDBError) {
        try tree.write(to: tables.tree, &transaction)
        try transaction.commit()
      } catch { throw LedgerError(error) }
      progress(position, plan.last)
    }
  }

  private mutating func write(
    _ old: UInt64, _ tables: LogTables, _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    guard let record = source.record(old) else {
      throw LedgerError(.io, "The record at position \(old) could be read before, and now cannot.")
    }
    position += 1
    let namesBefore = nameCount
    var uses: [NameNumber] = []
    let recordedAt: Instant
    let isErasure: Bool
    let isCommitted: Bool
    do throws(RecordError) {
      let view = try RecordView(record.span, isChecked: false)
      view.forEachNumber { uses.append($0) }
      recordedAt = view.recordedAt
      isErasure = view.kind == .accountErased
      isCommitted = view.commitment != nil
    } catch { throw LedgerError(error, at: old) }
    var introductions: [UInt8] = []
    var newNumbers: [NameNumber] = []
    for number in uses {
      if let known = numbers[number] {
        newNumbers.append(known)
        continue
      }
      nameCount += 1
      numbers[number] = nameCount
      newNumbers.append(nameCount)
      introductions += try writeName(number, as: nameCount, tables, &transaction)
    }
    if isErasure {
      introductions += Commitment.erasure(try writeErased(at: old, tables, &transaction))
    }
    bytes = record
    tree.leaves.append(bytes[...], introductions) { [position] buffer, start in
      Record.complete(
        &buffer, from: start, position: position, recordedAt: recordedAt,
        namesBefore: namesBefore, numbers: newNumbers)
    }
    do throws(LMDBError) {
      try transaction.append(tables.records, position, tree.leaves.lastRecord)
      if isCommitted {
        let row = personalRow(of: old)
        try transaction.append(tables.personal, position, row.span)
      }
    } catch { throw LedgerError(error) }
  }

  /// Returns a slot without a key, for a lost text. Its former slot may be the damaged part, and
  /// may now be the number of somebody else's slot.
  private mutating func emptySlot() -> Slot {
    let slot = spareSlot
    slotsToDestroy.insert(slot)
    spareSlot += 1
    return Slot(slot)
  }

  /// Copies a name's row, and returns its introduction in the leaf.
  private mutating func writeName(
    _ number: NameNumber, as new: NameNumber, _ tables: LogTables,
    _ transaction: inout WriteTransaction
  ) throws(LedgerError) -> [UInt8] {
    guard var row = source.name(number), let kind = NameKind(rawValue: row[0]) else {
      throw LedgerError(.io, "Name \(number) could be read before, and now cannot.")
    }
    if let stated = SealedName(row.span)?.slot {
      var slot: [UInt8] = []
      usableSlot(stated, of: number).append(to: &slot)
      row.replaceSubrange(SealedName.slotAt..<SealedName.slotAt + slot.count, with: slot)
    }
    let key = bigEndianKey(new)
    do throws(LMDBError) {
      try transaction.append(tables.table(of: kind), key.span, row.span)
    } catch { throw LedgerError(error) }
    var introduction: [UInt8] = []
    if let name = SealedName(row.span) {
      let commitment = name.introduction
      Introduction.append(kind, commitment: commitment.span, to: &introduction)
    } else {
      Introduction.append(kind, text: row.span.extracting(1..<row.count), to: &introduction)
    }
    return introduction
  }

  /// The slot of a name in the new ledger: its own, unless that is damaged.
  private mutating func usableSlot(_ stated: Slot, of number: NameNumber) -> Slot {
    if plan.namesLost.contains(number) { return emptySlot() }
    if let erased = plan.erasures.row(ofName: number) { return Slot(erased.slot) }
    if stated.taken <= plan.lastSlot { return stated }
    return stated.isForgotten ? Slot.forgotten(after: 0) : emptySlot()
  }

  /// The row of an event's personal data. One that is lost is under a slot without a key, so that
  /// the new ledger says so wherever it is asked about.
  private mutating func personalRow(of old: UInt64) -> [UInt8] {
    if !plan.textsLost.contains(old), let row = source.personal.value(old, source),
      let data = SealedData(row.span), isWhole(data.slot, at: old)
    {
      return row
    }
    var row: [UInt8] = []
    if !plan.textsLost.contains(old), let found = source.personal.value(old, source),
      let data = SealedData(found.span), data.slot.isForgotten
    {
      Slot.forgotten(after: 0).append(to: &row)
      return row
    }
    if let erased = plan.erasures.byEvent[old], isKept(erased) {
      Slot(erased.slot).append(to: &row)
    } else {
      emptySlot().append(to: &row)
    }
    return row
      + [UInt8](repeating: 0, count: SealedData.headByteCount - row.count + Secret.overhead)
  }

  /// Returns whether a row may keep its slot, because nothing was erased there or the erasure is
  /// kept.
  private func isWhole(_ slot: Slot, at old: UInt64) -> Bool {
    if let erased = plan.erasures.byEvent[old] {
      // The slot of what was erased may be the damaged part, and may now be somebody else's.
      return slot == Slot(erased.slot) && isKept(erased)
    }
    if slot.taken > plan.lastSlot { return false }
    return slot.isForgotten || plan.erasures.bySlot[slot.taken] == nil
  }

  /// Returns whether the erasure that a row is about is kept.
  private func isKept(_ row: ErasedSlot) -> Bool {
    row.position <= plan.last && plan.missing[row.position] == nil
  }

  private func newPosition(of old: UInt64) -> UInt64? {
    guard old > 0, old <= plan.last, plan.missing[old] == nil else { return nil }
    var (low, high) = (0, missing.count)
    while low < high {
      let middle = (low + high) / 2
      if missing[middle] < old { low = middle + 1 } else { high = middle }
    }
    return old - UInt64(low)
  }

  /// Writes the rows about what an erasure erased, as far as the names and events are kept.
  private func writeErased(
    at old: UInt64, _ tables: LogTables, _ transaction: inout WriteTransaction
  ) throws(LedgerError) -> [ErasedSlot] {
    var rows: [ErasedSlot] = []
    for row in erasures[old] ?? [] {
      if row.number != 0 {
        guard let number = numbers[row.number] else { continue }
        rows.append(ErasedSlot(slot: row.slot, position: position, number: number))
      } else if let event = newPosition(of: row.event) {
        rows.append(ErasedSlot(slot: row.slot, position: position, event: event))
      }
    }
    do throws(LMDBError) {
      for row in rows {
        try transaction.put(tables.erased, bigEndianKey(row.slot).span, row.value.span)
      }
    } catch { throw LedgerError(error) }
    return rows
  }
}
