internal import LMDB
internal import LedgerEvents

extension LogVerifier {
  /// Begins after `position`. Events up to there are not read again, and their root is taken from
  /// the tree.
  ///
  /// - Complexity: O(log *n*).
  /// - Returns: Whether this is possible. If not, the reason is among the faults.
  mutating func begin(after position: UInt64, _ log: LogView) -> Bool {
    guard position > 0 else { return true }
    do throws(LedgerError) {
      var hasher = TreeHasher()
      frontier = MerkleFrontier(size: position, peaks: try log.peaks(at: position, &hasher))
      let record = try log.record(at: position)
      numberUsed = record.introducedNumbers.upperBound - 1
      guard numberUsed <= (try log.lastNameNumber()) else {
        throw .corrupt("Position \(position) counts \(numberUsed) names, which is too many")
      }
      (base, baseName) = (position, numberUsed)
      if let kept, kept.position <= position, try log.root(at: kept.position) != kept.root {
        report(
          LogFault(
            .root, position: kept.position,
            "the log is not the one that was written: its root at \(kept.position) is another "
              + "than the one that was kept"))
      }
      return true
    } catch {
      report(
        LogFault(
          .tree, position: position,
          "what follows position \(position) cannot be verified alone: \(error)"))
      return false
    }
  }

  /// The result if verification could not begin.
  var nothingRead: LogVerification {
    LogVerification(
      events: 0, root: TreeHasher.empty, faults: faults, keysMissing: 0, unfinishedErasure: nil)
  }

  /// Returns the kind of a name that an event uses, or 0 if there is none.
  ///
  /// Names from before the beginning are looked up when they are first used.
  mutating func kind(of number: NameNumber, _ log: LogView) -> UInt8 {
    guard number > 0, number < kinds.count else { return 0 }
    if number > baseName || kinds[Int(number)] != 0 { return kinds[Int(number)] }
    do throws(LedgerError) { kinds[Int(number)] = try log.kind(ofName: number).rawValue } catch {
      report(LogFault(.name, number: number, "name \(number) is damaged"))
    }
    return kinds[Int(number)]
  }
}

extension EventLog {
  /// Returns the root that the tree has for the events up to a position, without reading the
  /// events.
  ///
  /// - Complexity: O(log *n*).
  /// - Throws: ``LedgerError``: `notFound` if the log is shorter, `corrupt`.
  public func storedRoot(at position: UInt64) throws(LedgerError) -> TreeHash {
    try read { (view) throws(LedgerError) in try view.root(at: position) }
  }
}

extension Cursor {
  /// Moves to the next row. The first call moves to the first row after the name or position
  /// `base`.
  mutating func next<Number: FixedWidthInteger>(
    from base: Number, _ isAtStart: inout Bool
  ) throws(LMDBError) -> Bool {
    guard isAtStart else { return try next() }
    isAtStart = false
    if base == 0 { return try next() }
    if Number.bitWidth == 64 { return try seek(UInt64(base) + 1) }
    return try seek(bigEndianKey(UInt32(base) + 1).span)
  }
}
