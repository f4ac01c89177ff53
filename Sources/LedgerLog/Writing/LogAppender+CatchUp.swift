internal import LMDB
internal import LedgerEvents

extension LogAppender {
  /// Reads what was appended since the last group, by other processes or before this one began.
  /// Drops from the tail what the index contains by now.
  ///
  /// - Complexity: O(*n*) in the number of events and names that are new to the writer.
  mutating func catchUp(_ log: LogView, _ index: any LogIndex) throws(LedgerError) {
    let lastName = try log.lastNameNumber()
    guard index.reach <= log.lastPosition, index.nameReach <= lastName else {
      throw LedgerError(
        .rebuildNeeded,
        """
        The index of ids reaches to \(index.reach) and the log to \(log.lastPosition): the \
        projections are of another log. Run `daybook rebuild`.
        """
      ).ofIndex
    }
    if tail.meets(index), tail.position <= log.lastPosition, tail.name <= lastName {
      tail.drop(reachedBy: index)
    } else {
      tail = LogTail(behind: index)
    }
    if tail.position < log.lastPosition {
      var records = try log.records(in: tail.position + 1...log.lastPosition)
      while try records.next() {
        tail.appendID(keyHash.id(of: try records.record(isChecked: false), &scratch.idBytes))
      }
    }
    while tail.name < lastName {
      tail.appendName(try log.nameHash(tail.name + 1, keyHash))
    }
    if tree.frontier.size != log.lastPosition { tree.frontier = try log.frontier() }
    if position != log.lastPosition { sealer.slot = try log.lastSlot() }
    try erasures.catchUp(log)
    position = log.lastPosition
    nameCount = lastName
  }
}
