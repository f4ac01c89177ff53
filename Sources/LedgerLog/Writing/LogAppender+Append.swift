internal import LMDB
internal import LedgerEvents

extension LogAppender {
  /// Checks one batch and appends it to the log, in an open transaction.
  ///
  /// First everything is looked up. Nothing is written before the batch is accepted, with one
  /// exception: required consumptions are checked afterwards, and the batch is removed again if
  /// they are not covered.
  mutating func append(
    _ pending: PendingAppend, _ transaction: inout WriteTransaction, _ hooks: WriterHooks,
    _ index: any LogIndex
  ) throws(AppendFailure) -> AppendResult {
    let batch = pending.batch
    defer { sealer.forgetReserved() }
    let before = Mark(
      frontier: tree.frontier, nameCount: names.count, slot: sealer.slot)
    var numbers: BatchNumbers
    var positions: [UInt64]
    var scope: ErasureScope?
    let now: Instant
    do throws(LedgerError) {
      let log = try LogView(transaction.view, tables)
      numbers = BatchNumbers(try names.knownNumbers(of: batch, log, index))
      positions = try knownPositions(of: batch, numbers, log, index)
      let fresh = positions.indices.count { positions[$0] == 0 && batch.keys.firsts[$0] == $0 }
      try refuseBeyondLimits(fresh, batch)
      if fresh > 0, let condition = pending.condition {
        try check(condition, log, index, except: positions)
      }
      if fresh > 0 {
        scope = try pending.erasure?()
        try sealer.reserve(slotCount(of: batch, numbers))
      }
      now = try readClock()
    } catch {
      throw .refused(error)
    }
    let known = positions
    do throws(LedgerError) {
      try write(batch, at: now, &positions, &numbers, index, scope, &transaction)
      if let scope { try write(scope, &transaction) }
    } catch {
      throw .fatal(error)
    }
    if let refusal = refusal(of: batch, positions, known, transaction.view, hooks) {
      do throws(LMDBError) { try takeOut(from: before, &transaction) } catch {
        throw .fatal(LedgerError(error))
      }
      throw .refused(refusal)
    }
    remember(batch, numbers, known: known)
    return result(of: batch, positions, known: known)
  }

  /// The time of the batch. A record with a time that its format does not have could never be read.
  private func readClock() throws(LedgerError) -> Instant {
    let now = clock()
    guard (0...Instant.microsecondsMax).contains(now.microseconds) else {
      throw LedgerError(
        .io,
        "The clock is not between the years 1970 and 9999, so nothing was appended: set it, then "
          + "append again.")
    }
    return now
  }

  private func refuseBeyondLimits(
    _ count: Int, _ batch: PreparedBatch
  ) throws(LedgerError) {
    guard positionMax - position >= UInt64(count),
      Int(nameNumberMax - names.count) >= batch.keys.names.count
    else {
      throw LedgerError(
        .limitReached,
        """
        A ledger holds at most \(positionMax) events and as many names: begin another one.
        """)
    }
  }

  // MARK: - What is there already

  /// Returns the position of each event that is in the log with the same content; 0 for the others.
  private func knownPositions(
    of batch: PreparedBatch, _ numbers: BatchNumbers, _ log: LogView, _ index: any LogIndex
  ) throws(LedgerError) -> [UInt64] {
    var positions = [UInt64](repeating: 0, count: batch.count)
    var asked: [Int] = []
    for at in positions.indices where batch.keys.firsts[at] == at {
      let found = try ids.first(batch.keys.idHashes[at]) { (value) throws(LedgerError) in
        try log.isID(batch.inputs[at].event.id, at: UInt64(value))
      }
      if let found {
        positions[at] = UInt64(found)
      } else if index.reach > 0 {
        asked.append(at)
      }
    }
    if !asked.isEmpty {
      let hashes = asked.map { batch.keys.idHashes[$0] }
      for candidate in try index.positions(ofIDs: hashes) {
        let at = asked[candidate.index]
        guard positions[at] == 0 else { continue }
        let position = UInt64(candidate.value)
        if try log.isID(batch.inputs[at].event.id, at: position) { positions[at] = position }
      }
    }
    var scratch = Scratch()
    for (at, position) in positions.enumerated() where position != 0 {
      if try isSameRecord(batch, at, numbers, position, log, &scratch) { continue }
      try refuseOtherContent(batch.inputs[at].event, at, position, log)
    }
    return positions
  }

  /// Buffers for one event after the other.
  private struct Scratch {
    var record: [UInt8] = []
    var numbers: [NameNumber] = []
  }

  /// Returns whether the event would give exactly the record at `position`. If so, it has the same
  /// content, and need not be compared as JSON.
  ///
  /// A record that commits to personal data never matches, because each commitment has a different
  /// salt.
  private func isSameRecord(
    _ batch: PreparedBatch, _ at: Int, _ numbers: BatchNumbers, _ position: UInt64,
    _ log: LogView, _ scratch: inout Scratch
  ) throws(LedgerError) -> Bool {
    let stored = try log.record(at: position)
    scratch.numbers.removeAll(keepingCapacity: true)
    for use in batch.uses(of: at) {
      scratch.numbers.append(numbers.byName[Int(batch.keys.uses[use])])
    }
    scratch.record.removeAll(keepingCapacity: true)
    scratch.record.append(contentsOf: batch.records.bytes[batch.record(of: at)])
    Record.complete(
      &scratch.record, from: 0, position: position, recordedAt: stored.recordedAt,
      namesBefore: stored.namesBefore, numbers: scratch.numbers)
    return try log.recordBytes(at: position).equals(scratch.record.span)
  }

  private func refuseOtherContent(
    _ event: Event, _ index: Int, _ position: UInt64, _ log: LogView
  ) throws(LedgerError) {
    // Erased data cannot be compared, so the id alone identifies the event (`events.md`).
    if try log.isErased(at: position) { return }
    guard try log.event(at: position).event.sameContent(as: event) else {
      throw LedgerError(
        .conflict,
        """
        The id \(event.id) is already used at position \(position) by an event with other content: \
        give this event a new id.
        """, index: index, position: position)
    }
  }

  /// Adds the ids and names of an accepted batch to what the writer knows.
  private mutating func remember(
    _ batch: PreparedBatch, _ numbers: BatchNumbers, known: [UInt64]
  ) {
    for at in known.indices where known[at] == 0 && batch.keys.firsts[at] == at {
      ids.append(batch.keys.idHashes[at])
    }
    names.remember(batch, numbers)
  }

  private func result(
    of batch: PreparedBatch, _ positions: [UInt64], known: [UInt64]
  ) -> AppendResult {
    var outcomes: [AppendOutcome] = []
    outcomes.reserveCapacity(positions.count)
    var unknownTypes = 0
    for at in positions.indices {
      if known[at] == 0 && batch.keys.firsts[at] == at {
        outcomes.append(.appended(positions[at]))
        if batch.isUnknown(at) { unknownTypes += 1 }
      } else {
        outcomes.append(.duplicate(positions[at]))
      }
    }
    return AppendResult(outcomes: outcomes, unknownTypes: unknownTypes)
  }
}
