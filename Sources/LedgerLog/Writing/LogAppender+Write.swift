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
  /// - Parameters:
  ///   - now: The time of the events that state none.
  ///   - scope: What an erasure destroys, which is a batch by itself.
  mutating func write(
    _ batch: PreparedBatch, at now: Instant, _ positions: inout [UInt64],
    _ numbers: inout BatchNumbers, _ index: any LogIndex, _ scope: ErasureScope?,
    _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
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
      // The tree grows at the end of the batch, so that its leaves are hashed all at once.
      let position = self.position + UInt64(tree.leaves.count) + 1
      positions[at] = position
      let stated = batch.trustsRecordedAt ? batch.inputs[at].recordedAt : nil
      let forgotten = try names.forgottenTime(batch, at, stated ?? now, transaction.view)
      let namesBefore = names.count
      try names.number(batch, at, forgotten: forgotten, &numbers, index, &sealer, &transaction)
      if batch.inputs[at].event.type.kind == .accountErased {
        numbers.event.introductions += (scope ?? ErasureScope()).commitment
      }
      tree.leaves.append(
        batch.records.bytes[batch.record(of: at)], numbers.event.introductions
      ) { bytes, start in
        Record.complete(
          &bytes, from: start, position: position, recordedAt: stated ?? now,
          namesBefore: namesBefore, numbers: numbers.event.numbers)
      }
      do throws(LMDBError) {
        try transaction.append(tables.records, position, tree.leaves.lastRecord)
      } catch { throw LedgerError(error) }
      if personal < batch.records.personal.endIndex, batch.records.personal[personal].event == at {
        let part = batch.records.personal[personal].part
        let row = try sealer.row(of: part, isForgotten: forgotten != nil)
        do throws(LMDBError) {
          try transaction.append(tables.personal, position, row.span)
        } catch { throw LedgerError(error) }
      }
    }
    do throws(LMDBError) { try tree.write(to: tables.tree, &transaction) } catch {
      throw LedgerError(error)
    }
  }

  /// Writes the list of what the last event, an erasure, destroys, and the mark that its keys must
  /// be overwritten.
  func write(
    _ scope: ErasureScope, _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    // The keys of an earlier erasure may still be there, if the key file was missing.
    let mark = ErasureMark(
      position: position, scope, after: try ErasureMark(transaction.view, tables))
    do throws(LMDBError) {
      for row in scope.slots(at: position) {
        try transaction.put(tables.erased, row.slot.bigEndianBytes.span, row.value.span)
      }
      try LogIdentity.put(.erasing, mark.value, tables, &transaction)
    } catch { throw LedgerError(error) }
  }
}
