internal import LMDB
internal import LedgerEvents

/// What writing has to know of people who were erased: half of the rules of numbering are theirs.
extension LogAppender {
  /// Writes down what an erasure destroys, and that its keys have to be overwritten.
  mutating func write(
    _ scope: ErasureScope, _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    do throws(LMDBError) {
      for row in scope.slots(at: position) {
        try transaction.put(tables.erased, row.slot.bigEndianBytes.span, row.value.span)
      }
      try LogIdentity.put(.erasing, [UInt8](bigEndianWord: position), tables, &transaction)
    } catch { throw LedgerError(error) }
  }

  /// When an event happened that speaks of the time before its account was erased or, if it names
  /// none, its device or session: then nothing that could tell who it is about is given a key. Nil
  /// where it does not.
  func forgottenTime(
    _ batch: PreparedBatch, _ at: Int, _ recordedAt: Instant, _ view: TransactionView
  ) throws(LedgerError) -> Instant? {
    guard !erasures.isEmpty else { return nil }
    let event = batch.inputs[at].event
    let time = event.occurredAt.believed(recordedAt: recordedAt)
    let log = try LogView(view, tables)
    for name in peopleNames(of: event, batch, at) {
      let number = try erasures.number(
        of: batch.keys.names.row(name), batch.keys.nameHashes[name], at: time, log)
      if number != nil { return time }
    }
    return nil
  }

  /// The places, among the batch's names, of whom an event is about: its account, else the device
  /// and session that report of themselves.
  private func peopleNames(of event: Event, _ batch: PreparedBatch, _ at: Int) -> [Int] {
    if event.account != nil { return [accountName(of: event, batch, at)] }
    let count = (event.device == nil ? 0 : 1) + (event.session == nil ? 0 : 1)
    let first = batch.uses(of: at).lowerBound + (event.app == nil ? 0 : 1)
    return batch.keys.uses[first..<first + count].map { Int($0) }
  }

  /// The number that a person's name has in an event about the time before an erasure: whom it
  /// named then, else whom it names, else a number without a key.
  mutating func formerNumber(
    _ batch: PreparedBatch, _ name: Int, _ time: Instant, _ numbers: inout BatchNumbers,
    _ index: any LogIndex, _ transaction: inout WriteTransaction
  ) throws(LedgerError) -> NameNumber {
    let row = batch.keys.names.row(name)
    let hash = batch.keys.nameHashes[name]
    do {
      let log = try LogView(transaction.view, tables)
      if let number = try erasures.number(of: row, hash, at: time, log) { return number }
      if numbers.byName[name] != 0 { return numbers.byName[name] }
      if let number = numbers.forgotten[name] { return number }
      if let number = try numberWithoutKey(row, hash, log, index) {
        numbers.forgotten[name] = number
        return number
      }
    }
    let number = try writeName(row, isForgotten: true, &transaction)
    numbers.give(number, to: name)
    numbers.forgotten[name] = number
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

  /// Whether a name of an event is that of whom its account's things were transferred to: who got
  /// them before the account was erased has them.
  func isBuyer(_ name: Int, _ batch: PreparedBatch, _ at: Int) -> Bool {
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
}
