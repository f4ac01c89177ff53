internal import LMDB
internal import LedgerEvents

extension EventLog {
  /// Writes the events after `position` into the folder of a backup, verifies them, and reads the
  /// written file back.
  ///
  /// Everything is read in one snapshot, so the increment shows the log as it was at one commit.
  ///
  /// - Parameters:
  ///   - position: The position with which the previous backup ends.
  ///   - folder: The folder of the backup. The folder `log` in it must exist.
  ///   - mode: The permissions of the file.
  ///   - progress: Called from time to time with the position reached and the last position.
  /// - Returns: The result of the verification. If it has faults that are not about keys, nothing
  ///   is written.
  /// - Complexity: O(*n* log *n*) in the events after `position`.
  /// - Throws: ``LedgerError``: `notFound` if the log is shorter, `corrupt` if a root of the log or
  ///   the written file cannot be read, `full`, `io`.
  package func writeIncrement(
    since position: UInt64, to folder: String, mode: UInt32,
    progress: (_ done: UInt64, _ total: UInt64) -> Void
  ) throws(LedgerError) -> LogVerification {
    try read { (view) throws(LedgerError) in
      guard position <= view.lastPosition else {
        throw LedgerError(
          .notFound, "The log has \(view.lastPosition) events, and nothing follows \(position).",
          position: position)
      }
      var verifier = LogVerifier(identity.keyHash, events: view.lastPosition - position)
      guard verifier.begin(behind: position, view) else { return verifier.nothingRead }
      let lastName = verifier.baseName
      let found = verifier.verify(view, progress: progress)
      guard found.faults.allSatisfy({ $0.part.isAboutKeys }) else { return found }
      let increment = LogIncrement(
        since: KeptRoot(position: position, root: try view.root(at: position)),
        through: KeptRoot(position: view.lastPosition, root: found.root), identity)
      let path = "\(folder)/\(EventLog.folderName)/\(LogIncrement.fileName)"
      do throws(LMDBError) {
        let file = try FlatFile.create(
          path, in: "\(folder)/\(EventLog.folderName)", mode: mode)
        var writer = IncrementWriter(file, increment.head)
        for table in LogIncrement.Table.allCases {
          try view.write(table, behind: position, lastName, to: &writer)
        }
        _ = try writer.finish()
      } catch { throw LedgerError(error) }
      guard try IncrementReader.open(in: folder) != nil else {
        throw LedgerError(.io, "\(path) was written and is not there.")
      }
      return found
    }
  }

  /// Appends the rows of an increment, and hashes its part of the tree again.
  ///
  /// Use this for a copy that nobody else has open. If it fails, the copy is unusable.
  ///
  /// - Parameter folder: The folder of the incremental backup.
  /// - Complexity: O(*n* log *n*) in the events of the increment.
  /// - Throws: ``LedgerError``: `noLedger` if the folder has no increment; `corrupt` if the
  ///   increment is damaged or does not continue the log, because it belongs to another ledger, is
  ///   out of order, or another one is missing before it; `full`, `io`.
  package func apply(incrementIn folder: String) throws(LedgerError) {
    guard var reader = try IncrementReader.open(in: folder) else {
      throw LedgerError(.noLedger, "There is no incremental backup at \(folder).")
    }
    let increment = reader.increment
    try read { (view) throws(LedgerError) in
      try requireSuccessor(increment, from: folder, view)
    }
    try putRows(of: &reader)
    try growTree(to: increment, from: folder)
  }

  private func requireSuccessor(
    _ increment: LogIncrement, from folder: String, _ view: LogView
  ) throws(LedgerError) {
    guard increment.ledger == identity.ledger, increment.keysDigest == identity.keysDigest else {
      throw LedgerError(.corrupt, "The backup at \(folder) is of another ledger.")
    }
    guard increment.since.position == view.lastPosition else {
      throw LedgerError(
        .corrupt,
        """
        The backup at \(folder) follows position \(increment.since.position), and the backups \
        before it end with position \(view.lastPosition): name all of them, in their order.
        """, position: view.lastPosition)
    }
    guard try view.root(at: view.lastPosition) == increment.since.root else {
      throw LedgerError(
        .corrupt,
        """
        The backup at \(folder) follows another course of the ledger: its root at \
        \(view.lastPosition) is not the one that the backups before it have.
        """, position: view.lastPosition)
    }
  }

  /// The number of rows in one commit, which can take only a limited number of pages.
  private static let commitRows = 10_000

  private func putRows(of reader: inout IncrementReader) throws(LedgerError) {
    var isDone = false
    while !isDone {
      var transaction: WriteTransaction
      do throws(LMDBError) { transaction = try environment.beginWrite() } catch {
        throw LedgerError(error)
      }
      for _ in 0..<EventLog.commitRows {
        guard let row = try reader.next() else {
          isDone = true
          break
        }
        do throws(LMDBError) {
          let table = row.table.of(tables)
          // Erased slots are in the order of their numbers, between those that are already there.
          if row.table == .erased {
            try transaction.put(table, row.key.span, row.value.span)
          } else {
            try transaction.append(table, row.key.span, row.value.span)
          }
        } catch { throw LedgerError(error) }
      }
      do throws(LMDBError) { try transaction.commit() } catch { throw LedgerError(error) }
    }
  }

  /// Hashes the leaves that were added, and writes the nodes that they complete.
  private func growTree(to increment: LogIncrement, from folder: String) throws(LedgerError) {
    var nodes: [TreeHash] = []
    let root = try read { (view) throws(LedgerError) in
      var hasher = TreeHasher()
      let base = increment.since.position
      var frontier = MerkleFrontier(size: base, peaks: try view.peaks(at: base, &hasher))
      let erased = try view.erasureCommitments()
      var leaf: [UInt8] = []
      for position in base + 1..<max(base, view.lastPosition) + 1 {
        leaf.removeAll(keepingCapacity: true)
        leaf.append(contentsOf: TreeHasher.leafPrefix)
        try view.appendLeaf(
          of: try view.recordBytes(at: position), at: position, to: &leaf, erased: erased)
        frontier.append(TreeHasher.leafHash(prefixed: leaf), &hasher, completed: &nodes)
      }
      return KeptRoot(position: frontier.size, root: frontier.root(&hasher))
    }
    guard root == increment.through else {
      throw LedgerError(
        .corrupt,
        "The backup at \(folder) does not lead to the root that it names: it was changed.",
        position: root.position)
    }
    var place = MerkleTree.storedNodes(atSize: increment.since.position)
    var rest = nodes[...]
    while !rest.isEmpty {
      do throws(LMDBError) {
        var transaction = try environment.beginWrite()
        for node in rest.prefix(EventLog.commitRows) {
          var bytes: [UInt8] = []
          node.append(to: &bytes)
          try transaction.append(tables.tree, place, bytes.span)
          place += 1
        }
        try transaction.commit()
      } catch { throw LedgerError(error) }
      rest = rest.dropFirst(EventLog.commitRows)
    }
  }
}

extension LogView {
  /// Writes the rows of a table that follow a position and the last name before it.
  fileprivate func write(
    _ table: LogIncrement.Table, behind position: UInt64, _ lastName: NameNumber,
    to writer: inout IncrementWriter
  ) throws(LMDBError) {
    var cursor = try view.cursor(table.of(tables))
    var isAtStart = true
    switch table {
    case .names, .people:
      while try cursor.next(from: lastName, &isAtStart) {
        try writer.add(table, cursor.key, cursor.value)
      }
    case .records, .personal:
      while try cursor.next(from: position, &isAtStart) {
        try writer.add(table, cursor.key, cursor.value)
      }
    case .erased:
      // The rows are in the order of slots. Each row states its erasure.
      while try cursor.next() {
        guard let row = ErasedSlot(cursor.key, cursor.value), row.position > position else {
          continue
        }
        try writer.add(table, cursor.key, cursor.value)
      }
    }
  }
}

extension LogFault.Part {
  /// Whether the fault is about keys, and not about the content of the log.
  package var isAboutKeys: Bool { self == .key || self == .erasedKey || self == .keyFile }
}
