internal import LMDB
internal import LedgerEvents

extension LogAppender {
  /// Makes sure that there are keys for all that the batch may seal, before anything is written.
  func prepareSlots(for batch: PreparedBatch) throws(LedgerError) {
    var needed = batch.records.personal.count
    let names = batch.keys.names
    for at in 0..<names.count where names.isPersonal(at) {
      // A name that was erased is sealed again when it comes back.
      if numbers[at] == 0 || !erasures.isEmpty { needed += 1 }
    }
    guard needed > 0, let keys = tables.texts.keys else { return }
    _ = try keys.newSecret(slot + 1)
    if needed > 1 { _ = try keys.newSecret(slot + UInt32(clamping: needed)) }
  }

  /// Writes the events that have no position yet, and gives them theirs.
  mutating func write(
    _ batch: PreparedBatch, _ positions: inout [UInt64], _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    let now = clock()
    var personal = batch.records.personal.startIndex
    leaves.removeAll()
    for at in positions.indices where positions[at] == 0 {
      while personal < batch.records.personal.endIndex, batch.records.personal[personal].event < at
      {
        personal += 1
      }
      guard batch.keys.firsts[at] == at else {
        positions[at] = positions[batch.keys.firsts[at]]
        continue
      }
      isAhead = true
      position += 1
      positions[at] = position
      let stated = batch.trustsRecordedAt ? batch.inputs[at].recordedAt : nil
      let isForgotten = try isForgotten(batch, at, stated ?? now, transaction.view)
      let namesBefore = nameCount
      try number(batch, at, stated ?? now, isForgotten: isForgotten, &transaction)
      leaves.append(batch.records.bytes[batch.record(of: at)], introductions) { bytes, start in
        Record.settle(
          &bytes, from: start, position: position, recordedAt: stated ?? now,
          namesBefore: namesBefore, numbers: eventNumbers)
      }
      do throws(LMDBError) {
        try transaction.append(tables.records, position, leaves.lastRecord)
      } catch { throw LedgerError(error) }
      if personal < batch.records.personal.endIndex, batch.records.personal[personal].event == at {
        let part = batch.records.personal[personal].part
        try write(part, isForgotten: isForgotten, &transaction)
      }
    }
    do throws(LMDBError) { try writeLeaves(&transaction) } catch { throw LedgerError(error) }
  }

  /// Gathers the numbers of an event's names, and gives those that have none theirs.
  private mutating func number(
    _ batch: PreparedBatch, _ at: Int, _ recordedAt: Instant, isForgotten: Bool,
    _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    eventNumbers.removeAll(keepingCapacity: true)
    introductions.removeAll(keepingCapacity: true)
    for use in batch.uses(of: at) {
      let name = Int(batch.keys.uses[use])
      if numbers[name] == 0 {
        numbers[name] = try writeName(
          batch.keys.names.row(name), isForgotten: isForgotten, &transaction)
      }
      eventNumbers.append(numbers[name])
    }
    guard !erasures.isEmpty, !isForgotten else { return }
    try writeReturns(batch, at, recordedAt, &transaction)
  }

  /// Gives the next number to a name.
  private mutating func writeName(
    _ row: Span<UInt8>, isForgotten: Bool, _ transaction: inout WriteTransaction
  ) throws(LedgerError) -> NameNumber {
    nameCount += 1
    let key = bigEndianKey(nameCount)
    guard let kind = NameKind(rawValue: row[0]), kind.isPersonal else {
      do throws(LMDBError) { try transaction.append(tables.names, key.span, row) } catch {
        throw LedgerError(error)
      }
      introductions.append(copying: row, asIntroductionOf: row[0])
      return nameCount
    }
    let sealed = try seal(row, kind, isForgotten: isForgotten)
    do throws(LMDBError) {
      try transaction.append(tables.people, key.span, sealed.span)
    } catch { throw LedgerError(error) }
    if let name = SealedName(sealed.span) {
      Introduction.append(kind, commitment: name.commitment, to: &introductions)
    }
    return nameCount
  }

  /// The row of a person's name.
  private mutating func seal(
    _ row: Span<UInt8>, _ kind: NameKind, isForgotten: Bool
  ) throws(LedgerError) -> [UInt8] {
    let texts = tables.texts
    guard !isForgotten, let keys = texts.keys else {
      var source = SecretSource()
      return try texts.seal.seal(row, kind, .forgotten(after: slot), source.next())
    }
    slot += 1
    return try texts.seal.seal(row, kind, Slot(slot), try keys.newSecret(slot))
  }

  /// Writes an event's personal data under the next slot.
  private mutating func write(
    _ part: PersonalPart, isForgotten: Bool, _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    let row = try row(of: part, isForgotten: isForgotten)
    do throws(LMDBError) {
      try transaction.append(tables.personal, position, row.span)
    } catch { throw LedgerError(error) }
  }

  private mutating func row(
    of part: PersonalPart, isForgotten: Bool
  ) throws(LedgerError) -> [UInt8] {
    if isForgotten { return part.row(.forgotten(after: slot), pad: nil) }
    slot += 1
    return part.row(Slot(slot), pad: try tables.texts.keys?.newSecret(slot))
  }

  // MARK: - After an erasure

  /// Whether an event speaks of the time before its account was erased: then nothing that could
  /// tell who it is about is given a key.
  private func isForgotten(
    _ batch: PreparedBatch, _ at: Int, _ recordedAt: Instant, _ view: TransactionView
  ) throws(LedgerError) -> Bool {
    guard !erasures.isEmpty else { return false }
    let event = batch.inputs[at].event
    guard event.account != nil else { return false }
    // The envelope's names come first, the app before the account.
    let use = batch.uses(of: at).lowerBound + (event.app == nil ? 0 : 1)
    let number = numbers[Int(batch.keys.uses[use])]
    guard number != 0,
      let erased = try erasures.moment(of: number, try LogView(view, tables))
    else { return false }
    return event.believedTime(recordedAt: recordedAt) <= erased
  }

  /// Introduces again the names of people that were erased and now are named by what happened
  /// later.
  private mutating func writeReturns(
    _ batch: PreparedBatch, _ at: Int, _ recordedAt: Instant,
    _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    let time = batch.inputs[at].event.believedTime(recordedAt: recordedAt)
    var found: [NameNumber: Int] = [:]
    for use in batch.uses(of: at) {
      let name = Int(batch.keys.uses[use])
      guard batch.keys.names.isPersonal(name), found[numbers[name]] == nil,
        !erasures.isLiving(numbers[name]),
        let erased = try erasures.moment(of: numbers[name], try LogView(transaction.view, tables)),
        time > erased
      else { continue }
      found[numbers[name]] = name
    }
    for (number, name) in found.sorted(by: { $0.key < $1.key }) {
      let row = batch.keys.names.row(name)
      guard let kind = NameKind(rawValue: row[0]) else { continue }
      let sealed = try seal(row, kind, isForgotten: false)
      let key = ReturnedKey(position: position, number: number)
      do throws(LMDBError) {
        try transaction.append(tables.returned, key.bytes.span, sealed.span)
      } catch { throw LedgerError(error) }
      if let name = SealedName(sealed.span) {
        Introduction.append(
          kind, commitment: name.commitment, again: number, to: &introductions)
      }
      erasures.append(ReturnedKey(position: position, number: number))
    }
  }
}

extension Event {
  /// When the event happened, as far as its clock is believed (`events.md`).
  fileprivate func believedTime(recordedAt: Instant) -> Instant {
    occurredAt.microseconds - recordedAt.microseconds > Erasures.clockAheadMax
      ? recordedAt : occurredAt
  }
}

extension [UInt8] {
  /// Appends the introduction of a name that identifies nobody, by its row.
  fileprivate mutating func append(copying row: Span<UInt8>, asIntroductionOf kind: UInt8) {
    append(kind)
    append(UInt8(truncatingIfNeeded: row.count - 1))
    append(UInt8(truncatingIfNeeded: (row.count - 1) >> 8))
    append(copying: row.extracting(1..<row.count))
  }
}
