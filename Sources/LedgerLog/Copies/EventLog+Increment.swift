package import AgeFiles
internal import LMDB
internal import LedgerEvents

extension EventLog {
  /// Writes the whole log, or what follows a position, into the folder of a backup, verifies it,
  /// and reads back what was written.
  ///
  /// Everything is read in one snapshot, so the increment shows the log as it was at one commit.
  ///
  /// - Parameters:
  ///   - kind: Whether the file holds the whole log, or only what follows a position.
  ///   - position: The last position of the previous backup; 0 for a full backup.
  ///   - folder: The folder of the backup, which contains a folder `log`.
  ///   - encryption: The recipients to encrypt it for; `nil` for plain text.
  ///   - progress: Called from time to time with the number of events verified and the total.
  /// - Complexity: O(*n* log *n*) in the events that follow.
  /// - Throws: ``LedgerError``: `notFound` if the log is shorter, `corrupt` if what is to be copied
  ///   is damaged, `keysMissing` if a recipient is unusable, `full`, `io`.
  package func write(
    _ kind: LogIncrement.Kind, since position: UInt64, to folder: String, mode: UInt32,
    encryption: AgeEncryption?, progress: (_ done: UInt64, _ total: UInt64) -> Void
  ) throws(LedgerError) -> LogVerification {
    let beside = kind == .full ? try unknownTables() : []
    return try read { (view) throws(LedgerError) in
      guard position <= view.lastPosition else {
        throw LedgerError(
          .notFound,
          "The log has \(view.lastPosition.counted("event")), and nothing follows \(position).",
          position: position)
      }
      var verifier = LogVerifier(identity.keyHash, events: view.lastPosition - position)
      for fault in beside { verifier.report(fault) }
      guard verifier.begin(after: position, view) else { return verifier.nothingRead }
      let lastName = verifier.baseName
      let found = verifier.verify(view, progress: progress)
      guard found.faults.allSatisfy({ $0.part.isAboutKeys }) else { return found }
      let increment = LogIncrement(
        kind, since: KeptRoot(position: position, root: try view.root(at: position)),
        through: KeptRoot(position: view.lastPosition, root: found.root), identity)
      let inside = "\(folder)/\(EventLog.folderName)"
      let suffix = encryption == nil ? "" : LogIncrement.encryptedSuffix
      let file = try CopyWriter(
        "\(inside)/\(kind.fileName)\(suffix)", in: inside, mode: mode, encryption: encryption)
      var writer = IncrementWriter(file, increment.head)
      do throws(LMDBError) {
        for table in kind.tables {
          try view.write(table, after: position, lastName, to: &writer)
        }
      } catch { throw LedgerError(error) }
      _ = try IncrementReader(kind, try writer.finish())
      return found
    }
  }

  /// Creates a log from a full backup in one file, and computes its hash tree again.
  ///
  /// - Parameters:
  ///   - path: The folder of the new ledger, with an empty folder for the log.
  ///   - folder: The folder of the backup.
  ///   - decryption: The keys to decrypt it with; needed only if it is encrypted.
  /// - Returns: Whether the folder contains such a backup.
  /// - Complexity: O(*n* log *n*) in its events.
  /// - Throws: ``LedgerError``: `corrupt` if it is damaged or lies beside another log,
  ///   `keysMissing` if it is encrypted and these keys do not decrypt it, `full`, `io`.
  package static func make(
    at path: String, mode: UInt32, fromFullIn folder: String, _ decryption: AgeDecryption?
  ) throws(LedgerError) -> Bool {
    guard var reader = try IncrementReader.open(.full, in: folder, decryption) else {
      return false
    }
    try requireNoOtherLog(in: folder)
    var options = Environment.Options()
    options.mode = mode
    options.maxTables = LogTables.count
    let environment: Environment
    do throws(LMDBError) {
      environment = try Environment.open("\(path)/\(folderName)", options: options)
    } catch { throw LedgerError(error) }
    let tables = try LogTables(creatingIn: environment)
    try putRows(of: &reader, in: environment, tables)
    do throws(LMDBError) { try environment.close() } catch { throw LedgerError(error) }
    let log = try EventLog(open: path, access: .readWrite, options: options, keysIn: nil)
    do throws(LedgerError) {
      guard reader.increment.isOf(log.identity) else {
        throw LedgerError(.corrupt, "The backup at \(folder) is of another ledger.")
      }
      try log.growTree(to: reader.increment, from: folder)
    } catch {
      try log.close()
      throw error
    }
    try log.close()
    return true
  }

  /// Rejects a full backup in one file beside a log of LMDB: nobody can tell which one is meant.
  private static func requireNoOtherLog(in folder: String) throws(LedgerError) {
    let data = "\(folder)/\(folderName)/\(Environment.dataFileName)"
    do throws(LMDBError) {
      guard try FlatFile.open(data, isWritable: false) != nil else { return }
    } catch { throw LedgerError(error) }
    throw LedgerError(
      .corrupt,
      "There are both \(data) and a full backup in one file beside it: remove the one that is not "
        + "of this backup.")
  }

  /// Appends the content of an increment, and computes its part of the hash tree again.
  ///
  /// Use this for a copy that nobody else has open. If it fails, the copy is unusable.
  ///
  /// - Parameters:
  ///   - folder: The folder of the incremental backup.
  ///   - decryption: The keys to decrypt it with; needed only if it is encrypted.
  /// - Complexity: O(*n* log *n*) in the events of the increment.
  /// - Throws: ``LedgerError``: `noLedger` if the folder has no increment, `corrupt` if it is
  ///   damaged, of another ledger, or does not begin where the log ends; `keysMissing` if it is
  ///   encrypted and these keys do not decrypt it; `full`, `io`.
  package func apply(
    incrementIn folder: String, _ decryption: AgeDecryption?
  ) throws(LedgerError) {
    guard var reader = try IncrementReader.open(.increment, in: folder, decryption) else {
      let isFull =
        EventLog.kindOfFileCopy(in: folder) == .full ? true : try EventLog.hasLog(folder)
      throw LedgerError(
        .noLedger,
        isFull
          ? "\(folder) is a full backup: name it first, and only increments after it."
          : "There is no incremental backup at \(folder): check the path.")
    }
    let increment = reader.increment
    try read { (view) throws(LedgerError) in
      try requireSuccessor(increment, from: folder, view)
    }
    try EventLog.putRows(of: &reader, in: environment, tables)
    try growTree(to: increment, from: folder)
  }

  private func requireSuccessor(
    _ increment: LogIncrement, from folder: String, _ view: LogView
  ) throws(LedgerError) {
    guard increment.isOf(identity) else {
      throw LedgerError(.corrupt, "The backup at \(folder) is of another ledger.")
    }
    guard increment.since.position == view.lastPosition else {
      throw LedgerError(
        .corrupt,
        """
        The backup at \(folder) begins after position \(increment.since.position), but the \
        backups before it end at position \(view.lastPosition): name every backup, in order.
        """, position: view.lastPosition)
    }
    guard try view.root(at: view.lastPosition) == increment.since.root else {
      throw LedgerError(
        .corrupt,
        """
        The backup at \(folder) does not continue the backups before it: it has another root at \
        position \(view.lastPosition). The ledger was rewritten between them, or a backup was \
        changed.
        """, position: view.lastPosition)
    }
  }

  /// The number of rows in one commit, which can take only a limited number of pages.
  private static let commitRows = 10_000
  /// The number of bytes in one commit, which LMDB keeps in memory.
  private static let commitBytes = 64 << 20

  private static func putRows(
    of reader: inout IncrementReader, in environment: Environment, _ tables: LogTables
  ) throws(LedgerError) {
    var isDone = false
    while !isDone {
      var transaction: WriteTransaction
      do throws(LMDBError) { transaction = try environment.beginWrite() } catch {
        throw LedgerError(error)
      }
      var bytes = 0
      for _ in 0..<EventLog.commitRows where bytes < EventLog.commitBytes {
        guard let row = try reader.next() else {
          isDone = true
          break
        }
        bytes += row.value.count
        do throws(LMDBError) {
          let table = row.table.of(tables)
          // Erased slots are in the order of slots, so new rows go between existing ones.
          if row.table == .erased || row.table == .meta {
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
    var hasher = TreeHasher()
    let base = increment.since.position
    var (frontier, erased, last) = try read { (view) throws(LedgerError) in
      (
        MerkleFrontier(size: base, peaks: try view.peaks(at: base, &hasher)),
        try view.erasureCommitments(), view.lastPosition
      )
    }
    var index = MerkleTree.storedNodes(atSize: base)
    while frontier.size < last {
      var nodes: [TreeHash] = []
      try read { (view) throws(LedgerError) in
        var leaf: [UInt8] = []
        let end = min(last, frontier.size + UInt64(EventLog.commitRows))
        for position in frontier.size + 1...end {
          leaf.removeAll(keepingCapacity: true)
          leaf.append(contentsOf: TreeHasher.leafPrefix)
          try view.appendLeaf(
            of: try view.recordBytes(at: position), at: position, to: &leaf, erased: erased)
          frontier.append(TreeHasher.leafHash(prefixed: leaf), &hasher, completed: &nodes)
        }
      }
      do throws(LMDBError) {
        var transaction = try environment.beginWrite()
        for node in nodes {
          var bytes: [UInt8] = []
          node.append(to: &bytes)
          try transaction.append(tables.tree, index, bytes.span)
          index += 1
        }
        try transaction.commit()
      } catch { throw LedgerError(error) }
    }
    guard
      KeptRoot(position: frontier.size, root: frontier.root(&hasher)) == increment.through
    else {
      throw LedgerError(
        .corrupt,
        "The backup at \(folder) was changed: its events do not have the root that it states.",
        position: frontier.size)
    }
  }
}

extension LogIncrement {
  /// Whether it belongs to the ledger with this identity and key file.
  fileprivate func isOf(_ identity: LogIdentity) -> Bool {
    ledger == identity.ledger && keysDigest == identity.keysDigest
  }
}

extension LogView {
  /// Writes the rows of a table that follow a position and the last name before it.
  fileprivate func write(
    _ table: LogIncrement.Table, after position: UInt64, _ lastName: NameNumber,
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
        if position > 0 {
          guard let row = ErasedSlot(cursor.key, cursor.value), row.position > position else {
            continue
          }
        }
        try writer.add(table, cursor.key, cursor.value)
      }
    case .meta:
      while try cursor.next() { try writer.add(table, cursor.key, cursor.value) }
    }
  }
}

extension LogFault.Part {
  /// Whether the fault is about keys, and not about the content of the log.
  package var isAboutKeys: Bool { self == .key || self == .erasedKey || self == .keyFile }
}
