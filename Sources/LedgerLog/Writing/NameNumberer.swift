internal import LMDB
internal import LedgerEvents

/// Numbers names: finds the number that a name has, and gives the next number to a new name.
///
/// All of its state follows from the log and can be dropped. Names that are sealed get their slots
/// from the ``PersonalSealer`` that is passed.
struct NameNumberer {
  let tables: LogTables
  let keyHash: KeyHash

  /// The number of names that have a number, which is also the last number.
  private(set) var count: NameNumber = 0
  /// The names that the index does not contain yet.
  private(set) var tail = KeyTail()
  /// The names that were used recently.
  private(set) var cache = NameCache()
  private(set) var erasures = Erasures()

  init(_ tables: LogTables, _ keyHash: KeyHash) {
    self.tables = tables
    self.keyHash = keyHash
  }

  /// Reads the names and erasures that are new in the log.
  ///
  /// - Complexity: O(*n*) in the number of names that are new; see also ``Erasures/catchUp(_:)``.
  mutating func catchUp(_ log: LogView, _ index: any LogIndex) throws(LedgerError) {
    let last = try log.lastNameNumber()
    tail.follow(index.nameReach, in: last)
    while tail.end < last { tail.append(try log.nameHash(tail.end + 1, keyHash)) }
    try erasures.catchUp(log)
    count = last
  }

  /// Collects the numbers of the names of event `at`, and gives numbers to those that have none.
  ///
  /// - Parameters:
  ///   - batch: The event's batch.
  ///   - at: The index of the event in the batch.
  ///   - forgotten: The believed time of an event about the time before its account was erased.
  ///   - numbers: The numbers of the batch. `numbers.event` is set to those of the event.
  mutating func number(
    _ batch: PreparedBatch, _ at: Int, forgotten: Instant?, _ numbers: inout BatchNumbers,
    _ index: any LogIndex, _ sealer: inout PersonalSealer, _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    numbers.event.removeAll()
    for use in batch.uses(of: at) {
      let name = Int(batch.keys.uses[use])
      if let forgotten, batch.keys.names.isPersonal(name), !isBuyer(name, batch, at) {
        numbers.event.numbers.append(
          try formerNumber(batch, name, forgotten, &numbers, index, &sealer, &transaction))
        continue
      }
      if numbers.byName[name] == 0 {
        // This number is for this event only. Later events of the batch must not use it.
        if let dead = try deadNumber(batch, at, name, transaction.view) {
          numbers.event.numbers.append(dead)
          continue
        }
        numbers.byName[name] = try newNumber(
          batch, name, isForgotten: false, &numbers, &sealer, &transaction)
      }
      numbers.event.numbers.append(numbers.byName[name])
    }
  }

  /// Writes a name of the batch under the next number, and returns that number.
  mutating func newNumber(
    _ batch: PreparedBatch, _ name: Int, isForgotten: Bool, _ numbers: inout BatchNumbers,
    _ sealer: inout PersonalSealer, _ transaction: inout WriteTransaction
  ) throws(LedgerError) -> NameNumber {
    count += 1
    numbers.give(count, to: name)
    let key = bigEndianKey(count)
    let row = batch.keys.names.row(name)
    guard let kind = NameKind(rawValue: row[0]) else {
      preconditionFailure("a name of the batch has no kind")
    }
    guard kind.isPersonal else {
      do throws(LMDBError) { try transaction.append(tables.names, key.span, row) } catch {
        throw LedgerError(error)
      }
      Introduction.append(
        kind, text: row.extracting(1..<row.count), to: &numbers.event.introductions)
      return count
    }
    let sealed = try sealer.row(ofName: row, kind, isForgotten: isForgotten)
    do throws(LMDBError) {
      try transaction.append(tables.people, key.span, sealed.span)
    } catch { throw LedgerError(error) }
    if let name = SealedName(sealed.span) {
      let introduction = name.introduction
      Introduction.append(
        kind, commitment: introduction.span, to: &numbers.event.introductions)
    }
    return count
  }

  /// Adds the names that an accepted batch introduced to the tail and the cache.
  mutating func remember(_ batch: PreparedBatch, _ numbers: BatchNumbers) {
    for (name, number) in numbers.given {
      tail.append(batch.keys.nameHashes[name])
      if numbers.byName[name] == number { keep(number, batch, name) }
    }
  }

  /// Keeps the number of a name of the batch in the cache.
  mutating func keep(_ number: NameNumber, _ batch: PreparedBatch, _ name: Int) {
    cache.insert(batch.keys.nameHashes[name], batch.keys.names.row(name), number)
  }

  /// Deletes the names after `last`, which a batch introduced that was not accepted.
  mutating func takeOut(
    after last: NameNumber, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    while count > last {
      let key = bigEndianKey(count)
      if try !transaction.delete(tables.names, key.span) {
        _ = try transaction.delete(tables.people, key.span)
      }
      count -= 1
    }
  }
}
