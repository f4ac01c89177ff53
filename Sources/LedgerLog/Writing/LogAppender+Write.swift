internal import LMDB
internal import LedgerEvents

extension LogAppender {
  /// Makes sure that there are keys for all that the batch may seal, before anything is written.
  func prepareSlots(for batch: PreparedBatch) throws(LedgerError) {
    var needed = batch.records.personal.count
    let names = batch.keys.names
    for at in 0..<names.count where names.isPersonal(at) && numbers[at] == 0 { needed += 1 }
    guard needed > 0, let keys = tables.texts.keys else { return }
    try keys.reserve(slot + 1...slot + UInt32(clamping: needed))
  }

  /// Writes the events that have no position yet, and gives them theirs.
  mutating func write(
    _ batch: PreparedBatch, _ positions: inout [UInt64], _ index: any LogIndex,
    _ transaction: inout WriteTransaction
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
      let forgotten = try forgottenTime(batch, at, stated ?? now, transaction.view)
      let namesBefore = nameCount
      try number(batch, at, forgotten, index, &transaction)
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
        try write(part, isForgotten: forgotten != nil, &transaction)
      }
    }
    do throws(LMDBError) { try writeLeaves(&transaction) } catch { throw LedgerError(error) }
  }

  /// Gathers the numbers of an event's names, and gives those that have none theirs.
  private mutating func number(
    _ batch: PreparedBatch, _ at: Int, _ forgotten: Instant?, _ index: any LogIndex,
    _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    eventNumbers.removeAll(keepingCapacity: true)
    introductions.removeAll(keepingCapacity: true)
    for use in batch.uses(of: at) {
      let name = Int(batch.keys.uses[use])
      if let forgotten, batch.keys.names.isPersonal(name), !isBuyer(name, batch, at) {
        eventNumbers.append(try formerNumber(batch, name, forgotten, index, &transaction))
        continue
      }
      if numbers[name] == 0 {
        numbers[name] = try newNumber(batch, at, name, &transaction)
      }
      eventNumbers.append(numbers[name])
    }
  }

  /// Whether a name of an event is that of whom its account's things were transferred to: who got
  /// them before the account was erased has them.
  private func isBuyer(_ name: Int, _ batch: PreparedBatch, _ at: Int) -> Bool {
    let event = batch.inputs[at].event
    return event.type.kind == .accountTransferred
      && batch.keys.names.kind(name) == NameKind.account.rawValue
      && name != accountName(of: event, batch, at)
  }

  /// The place of an event's account among the batch's names.
  private func accountName(of event: Event, _ batch: PreparedBatch, _ at: Int) -> Int {
    // The envelope's names come first, the app before the account.
    Int(batch.keys.uses[batch.uses(of: at).lowerBound + (event.app == nil ? 0 : 1)])
  }

  /// The number of a name that has none.
  private mutating func newNumber(
    _ batch: PreparedBatch, _ at: Int, _ name: Int, _ transaction: inout WriteTransaction
  ) throws(LedgerError) -> NameNumber {
    let row = batch.keys.names.row(name)
    // Whom to forget once more is nobody new.
    if !erasures.isEmpty, batch.inputs[at].event.type.kind == .accountErased,
      let number = try erasures.newestNumber(
        of: row, batch.keys.nameHashes[name], try LogView(transaction.view, tables))
    {
      return number
    }
    let number = try writeName(row, isForgotten: false, &transaction)
    given.append((name, number))
    return number
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

  // MARK: - Erasures

  /// Writes down what an erasure destroys, and that its keys have to be overwritten.
  mutating func write(
    _ scope: ErasureScope, _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    do throws(LMDBError) {
      for (slot, number) in scope.slots {
        let row = ErasedSlot(slot: slot, position: position, number: number)
        try transaction.put(tables.erased, slot.bigEndianBytes.span, row.value.span)
      }
      try transaction.put(
        tables.meta, LogIdentity.Row.erasing.bytes.span, [UInt8](bigEndianWord: position).span)
    } catch { throw LedgerError(error) }
  }

  /// When an event happened that speaks of the time before its account was erased: then nothing
  /// that could tell who it is about is given a key. Nil where it does not.
  private func forgottenTime(
    _ batch: PreparedBatch, _ at: Int, _ recordedAt: Instant, _ view: TransactionView
  ) throws(LedgerError) -> Instant? {
    guard !erasures.isEmpty else { return nil }
    let event = batch.inputs[at].event
    guard event.account != nil else { return nil }
    let name = accountName(of: event, batch, at)
    let time = event.occurredAt.believed(recordedAt: recordedAt)
    let number = try erasures.number(
      of: batch.keys.names.row(name), batch.keys.nameHashes[name], at: time,
      try LogView(view, tables))
    return number == nil ? nil : time
  }

  /// The number that a person's name has in an event about the time before an erasure: whom it
  /// named then, else whom it names, else a number without a key.
  private mutating func formerNumber(
    _ batch: PreparedBatch, _ name: Int, _ time: Instant, _ index: any LogIndex,
    _ transaction: inout WriteTransaction
  ) throws(LedgerError) -> NameNumber {
    let row = batch.keys.names.row(name)
    let hash = batch.keys.nameHashes[name]
    do {
      let log = try LogView(transaction.view, tables)
      if let number = try erasures.number(of: row, hash, at: time, log) { return number }
      if numbers[name] != 0 { return numbers[name] }
      if let number = forgottenNumbers[name] { return number }
      if let number = try numberWithoutKey(row, hash, log, index) {
        forgottenNumbers[name] = number
        return number
      }
    }
    let number = try writeName(row, isForgotten: true, &transaction)
    given.append((name, number))
    forgottenNumbers[name] = number
    return number
  }

  private func numberWithoutKey(
    _ row: Span<UInt8>, _ hash: UInt64, _ log: LogView, _ index: any LogIndex
  ) throws(LedgerError) -> NameNumber? {
    func isIt(_ number: NameNumber) throws(LedgerError) -> Bool {
      guard try log.isName(number, row: row) else { return false }
      return try log.sealedName(number).slot.isForgotten
    }
    if let number = try tail.name(hash, where: isIt) { return number }
    for candidate in try index.numbers(ofNames: [hash]) where try isIt(candidate.value) {
      return candidate.value
    }
    return nil
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
