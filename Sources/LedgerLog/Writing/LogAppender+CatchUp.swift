internal import LMDB
internal import LedgerEvents

extension LogAppender {
  /// Reads what was appended since the last group, by other processes or before this one began.
  /// Drops what the index contains by now.
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
    let last = UInt32(log.lastPosition)
    ids.follow(UInt32(index.reach), in: last)
    if ids.end < last {
      var idBytes: [UInt8] = []
      var records = try log.records(in: UInt64(ids.end) + 1...log.lastPosition)
      while try records.next() {
        ids.append(keyHash.id(of: try records.record(isChecked: false), &idBytes))
      }
    }
    try names.catchUp(log, index)
    guard position != log.lastPosition else { return }
    // The tree says which position the writer knows, so it is set last.
    sealer.slot = try log.lastSlot()
    tree.frontier = try log.frontier()
  }
}
