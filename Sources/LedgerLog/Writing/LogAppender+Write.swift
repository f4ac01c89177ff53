internal import LMDB
internal import LedgerEvents

extension LogAppender {
  /// Returns the maximum number of key slots that the batch needs.
  func slotCount(of batch: PreparedBatch, _ numbers: BatchNumbers) -> Int {
    let names = batch.keys.names
    return batch.records.personal.count
      + (0..<names.count).count { names.isPersonal($0) && numbers.byName[$0] == 0 }
  }

  /// Writes the events that have no position yet, and assigns positions to them.
  ///
  /// - Parameter scope: What an erasure destroys, which is a batch by itself.
  mutating func write(
    _ batch: PreparedBatch, _ positions: inout [UInt64], _ numbers: inout BatchNumbers,
    _ index: any LogIndex, _ scope: ErasureScope?, _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    let now = clock()
    var personal = batch.records.personal.startIndex
    tree.leaves.removeAll()
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
      let forgotten = try forgottenTime(batch, at, stated ?? now, transaction.view)
      let namesBefore = nameCount
      try number(batch, at, forgotten, &numbers, index, &transaction)
      if batch.inputs[at].event.type.kind == .accountErased {
        scratch.introductions += (scope ?? ErasureScope()).commitment
      }
      tree.leaves.append(
        batch.records.bytes[batch.record(of: at)], scratch.introductions
      ) { bytes, start in
        Record.settle(
          &bytes, from: start, position: position, recordedAt: stated ?? now,
          namesBefore: namesBefore, numbers: scratch.numbers)
      }
      do throws(LMDBError) {
        try transaction.append(tables.records, position, tree.leaves.lastRecord)
      } catch { throw LedgerError(error) }
      if personal < batch.records.personal.endIndex, batch.records.personal[personal].event == at {
        let part = batch.records.personal[personal].part
        try write(part, isForgotten: forgotten != nil, &transaction)
      }
    }
    do throws(LMDBError) { try tree.write(to: tables.tree, &transaction) } catch {
      throw LedgerError(error)
    }
  }

  /// Collects the numbers of an event's names, and assigns numbers to those that have none.
  private mutating func number(
    _ batch: PreparedBatch, _ at: Int, _ forgotten: Instant?, _ numbers: inout BatchNumbers,
    _ index: any LogIndex, _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    scratch.numbers.removeAll(keepingCapacity: true)
    scratch.introductions.removeAll(keepingCapacity: true)
    for use in batch.uses(of: at) {
      let name = Int(batch.keys.uses[use])
      if let forgotten, batch.keys.names.isPersonal(name), !isBuyer(name, batch, at) {
        scratch.numbers.append(
          try formerNumber(batch, name, forgotten, &numbers, index, &transaction))
        continue
      }
      if numbers.byName[name] == 0 {
        // This number is for this event only. Later events of the batch must not use it.
        if let dead = try deadNumber(batch, at, name, transaction.view) {
          scratch.numbers.append(dead)
          continue
        }
        numbers.byName[name] = try newNumber(batch, name, &numbers, &transaction)
      }
      scratch.numbers.append(numbers.byName[name])
    }
  }

  /// Returns the number of an erased name if the event is another erasure of it, because repeating
  /// an erasure must not introduce a new person.
  private func deadNumber(
    _ batch: PreparedBatch, _ at: Int, _ name: Int, _ view: TransactionView
  ) throws(LedgerError) -> NameNumber? {
    guard !erasures.isEmpty, batch.inputs[at].event.type.kind == .accountErased else { return nil }
    return try erasures.newestNumber(
      of: batch.keys.names.row(name), batch.keys.nameHashes[name], try LogView(view, tables))
  }

  /// Assigns the next number to a name that has none.
  private mutating func newNumber(
    _ batch: PreparedBatch, _ name: Int, _ numbers: inout BatchNumbers,
    _ transaction: inout WriteTransaction
  ) throws(LedgerError) -> NameNumber {
    let row = batch.keys.names.row(name)
    let number = try writeName(row, isForgotten: false, &transaction)
    numbers.give(number, to: name)
    return number
  }

  /// Writes a name under the next number, and returns that number.
  mutating func writeName(
    _ row: Span<UInt8>, isForgotten: Bool, _ transaction: inout WriteTransaction
  ) throws(LedgerError) -> NameNumber {
    nameCount += 1
    let key = bigEndianKey(nameCount)
    guard let kind = NameKind(rawValue: row[0]), kind.isPersonal else {
      do throws(LMDBError) { try transaction.append(tables.names, key.span, row) } catch {
        throw LedgerError(error)
      }
      scratch.introductions.append(copying: row, asIntroductionOf: row[0])
      return nameCount
    }
    let sealed = try sealer.row(ofName: row, kind, isForgotten: isForgotten)
    do throws(LMDBError) {
      try transaction.append(tables.people, key.span, sealed.span)
    } catch { throw LedgerError(error) }
    if let name = SealedName(sealed.span) {
      let introduction = name.introduction
      Introduction.append(kind, commitment: introduction.span, to: &scratch.introductions)
    }
    return nameCount
  }

  /// Writes an event's personal data under the next slot.
  private mutating func write(
    _ part: PersonalPart, isForgotten: Bool, _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    let row = try sealer.row(of: part, isForgotten: isForgotten)
    do throws(LMDBError) {
      try transaction.append(tables.personal, position, row.span)
    } catch { throw LedgerError(error) }
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
