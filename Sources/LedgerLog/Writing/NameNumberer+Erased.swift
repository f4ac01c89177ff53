internal import LMDB
internal import LedgerEvents

/// The numbers of names of people who were erased.
extension NameNumberer {
  /// Returns the believed time of an event about the time before its account was erased, or `nil`
  /// for any other event. If the event names no account, its device and session count.
  ///
  /// Nothing that could identify a person in such an event gets a key.
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

  /// Returns the indices, among the batch's names, of the people that an event is about: its
  /// account or, if it names none, its device and session.
  private func peopleNames(of event: Event, _ batch: PreparedBatch, _ at: Int) -> [Int] {
    if event.account != nil { return [accountName(of: event, batch, at)] }
    let count = (event.device == nil ? 0 : 1) + (event.session == nil ? 0 : 1)
    let first = batch.uses(of: at).lowerBound + (event.app == nil ? 0 : 1)
    return batch.keys.uses[first..<first + count].map { Int($0) }
  }

  /// Returns the number of a person's name in an event about the time before an erasure: the number
  /// that the name had then, otherwise the one that it has now, otherwise a number without a key.
  mutating func formerNumber(
    _ batch: PreparedBatch, _ name: Int, _ time: Instant, _ numbers: inout BatchNumbers,
    _ index: any LogIndex, _ sealer: inout PersonalSealer, _ transaction: inout WriteTransaction
  ) throws(LedgerError) -> NameNumber {
    let row = batch.keys.names.row(name)
    let hash = batch.keys.nameHashes[name]
    do {
      let log = try LogView(transaction.view, tables)
      if let number = try erasures.number(of: row, hash, at: time, log) { return number }
      if numbers.byName[name] != 0 { return numbers.byName[name] }
      if let number = numbers.forgotten[name] { return number }
      let withoutKey = try number(hash, index) { (number) throws(LedgerError) in
        guard try log.isName(number, row: row) else { return false }
        return try log.sealedName(number).slot.isForgotten
      }
      if let withoutKey {
        numbers.forgotten[name] = withoutKey
        return withoutKey
      }
    }
    let number = try newNumber(batch, name, isForgotten: true, &numbers, &sealer, &transaction)
    numbers.forgotten[name] = number
    return number
  }

  /// Returns the number of an erased name if the event is another erasure of it, because repeating
  /// an erasure must not introduce a new person.
  func deadNumber(
    _ batch: PreparedBatch, _ at: Int, _ name: Int, _ view: TransactionView
  ) throws(LedgerError) -> NameNumber? {
    guard !erasures.isEmpty, batch.inputs[at].event.type.kind == .accountErased else { return nil }
    return try erasures.newestNumber(
      of: batch.keys.names.row(name), batch.keys.nameHashes[name], try LogView(view, tables))
  }

  /// Returns whether a name of an event is the account to which a transfer moves everything. It
  /// keeps what it got before the other account was erased, so it is still named.
  func isBuyer(_ name: Int, _ batch: PreparedBatch, _ at: Int) -> Bool {
    let event = batch.inputs[at].event
    return event.type.kind == .accountTransferred
      && batch.keys.names.kind(name) == NameKind.account.rawValue
      && name != accountName(of: event, batch, at)
  }

  /// Returns the index of an event's account among the batch's names.
  private func accountName(of event: Event, _ batch: PreparedBatch, _ at: Int) -> Int {
    // The envelope's names come first, the app before the account.
    Int(batch.keys.uses[batch.uses(of: at).lowerBound + (event.app == nil ? 0 : 1)])
  }
}
