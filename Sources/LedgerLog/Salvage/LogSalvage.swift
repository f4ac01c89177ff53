internal import LMDB
internal import LedgerEvents
internal import PageReading

/// Reads what is left of a damaged log, and writes it to a new log.
package struct LogSalvage {
  private let plan: SalvagePlan
  private let file: PageFile
  private let kept: KeptRoot?

  /// What the new log will contain and what it will lack.
  package let report: SalvageReport

  /// Reads the ledger in the folder `path`. Nothing in it is changed, and LMDB does not open it.
  ///
  /// - Parameters:
  ///   - path: The ledger's folder.
  ///   - keyFile: A copy of the ledger's key file; `nil` for the one in its folder.
  /// - Complexity: O(*n* log *n*) in the rows of the log.
  /// - Throws: ``LedgerError``: `noLedger`; `corrupt` if nothing can be salvaged; `keysMissing` if
  ///   a copy of the key file could bring back what was erased; `io`.
  package init(_ path: String, keyFile: String?) throws(LedgerError) {
    let data = "\(path)/\(EventLog.folderName)/\(Environment.dataFileName)"
    do throws(LMDBError) {
      guard let file = try PageFile(data) else {
        throw LMDBError(.missing, operation: "salvage", message: "There is no log at \(data).")
      }
      self.file = file
    } catch { throw LedgerError(error) }
    var notes: [String] = []
    // The ledger's id is needed to read the root beside the log, which states how far the log went.
    let first = SalvageSource(file)
    first.read(knownEvents: nil)
    let keys = SalvageKeys(keyFile ?? "\(path)/\(PersonalKeys.fileName)", first.identity)
    kept = Self.kept(path, first.identity[.ledger] ?? keys.head?.ledger, &notes)
    let source: SalvageSource
    if let kept, first.isNewestCommit,
      kept.position > first.eventsStated ?? 0 || !first.isCountConfirmed
    {
      source = SalvageSource(file)
      source.read(knownEvents: kept.position)
    } else {
      source = first
    }
    for row in LogIdentity.Row.allCases
    where ![.generation, .erasing, .slots].contains(row) && source.identity[row] == nil {
      notes.append("the row `\(row)` of the ledger's identity is lost, and was made anew")
    }
    let last = min(
      max(source.eventsStated ?? 0, kept?.position ?? 0, source.records.lastKey), positionMax)
    let isLengthKnown =
      source.isNewestCommit && source.eventsStated != nil && source.isCountConfirmed
      || kept?.position == last
    if !isLengthKnown {
      let reason =
        source.isNewestCommit && source.eventsStated != nil
        ? "the log does not hold as many events as it counts"
        : "the newest commit cannot be read"
      notes.append(
        "\(reason), so how many events the log had is not known: it may have had more, or events "
          + "at its end that were never acknowledged")
    }
    plan = SalvagePlan(source, keys, kept: kept, last: last)
    if keys.head != nil { notes += plan.notesOnMark }
    if keyFile != nil, keys.head != nil, !plan.erasures.isWhole {
      throw LedgerError(
        .keysMissing,
        """
        The list of what was erased is damaged, so nobody can tell which keys of the copy were \
        destroyed: leave out --keys to use the ledger's own key file.
        """)
    }
    report = plan.report(mayHaveHadMore: !isLengthKnown, notes: notes)
    guard report.kept > 0 || report.lastPosition == 0 && isLengthKnown else {
      throw LedgerError(
        .corrupt,
        "Nothing of the log \(data) proves itself: restore the ledger from a backup.")
    }
  }

  private static func kept(
    _ path: String, _ ledger: [UInt8]?, _ notes: inout [String]
  ) -> KeptRoot? {
    guard let ledger else { return nil }
    do throws(LedgerError) {
      return try RootKeeper(folder: path, ledger: ledger, mode: mode).kept()
    } catch {
      notes.append("the file `\(RootKeeper.fileName)` beside the log is damaged")
      return nil
    }
  }

  /// The permissions of the new files, which only their owner can read and write.
  private static let mode: UInt32 = 0o600

  /// Writes the new log and its key file into the folder `path`, which must contain an empty folder
  /// for the log.
  ///
  /// - Complexity: O(*n* log *n*).
  /// - Throws: ``LedgerError``: `busy` if the damaged log was written to meanwhile, `full`, `io`.
  package func write(
    to path: String, progress: (_ done: UInt64, _ total: UInt64) -> Void
  ) throws(LedgerError) {
    var options = Environment.Options()
    options.maxTables = LogTables.count
    let environment: Environment
    do throws(LMDBError) {
      environment = try Environment.open("\(path)/\(EventLog.folderName)", options: options)
    } catch { throw LedgerError(error) }
    let tables = try LogTables(creatingIn: environment)
    var writer = SalvageWriter(plan)
    try writer.write(to: environment, tables, progress: progress)
    try checkUnchanged()
    let head = try writeKeys(to: path, writer)
    let created = plan.source.identity[.created].flatMap { $0.count == 8 ? $0 : nil }
    let identity = try identity(head, created?.span.bigEndianWord(at: 0))
    do throws(LMDBError) {
      var transaction = try environment.beginWrite()
      try identity.write(to: &transaction, tables)
      try LogIdentity.put(
        .slots, [UInt8](bigEndianWord: UInt64(writer.slotsTaken)), tables, &transaction)
      try transaction.commit()
      try environment.close()
    } catch { throw LedgerError(error) }
  }

  private func identity(
    _ head: KeyFileHead, _ created: UInt64?
  ) throws(LedgerError) -> LogIdentity {
    var random = SystemRandom()
    let known = plan.source.identity[.key]
    let key: [UInt8] =
      if let known, known.count == KeyHash.keyByteCount {
        known
      } else { [UInt8](random: KeyHash.keyByteCount, using: &random) }
    let first = plan.source.record(1).flatMap { Self.recordedAt($0) }
    let fallback = first ?? EventLog.systemClock()
    return try LogIdentity(
      format: LogIdentity.formatVersion, ledger: head.ledger, key: key, keysDigest: head.digest,
      createdAt: created.map { Instant(microseconds: Int64(bitPattern: $0)) } ?? fallback)
  }

  private static func recordedAt(_ record: [UInt8]) -> Instant? {
    do throws(RecordError) {
      return try RecordView(record.span, isChecked: false).recordedAt
    } catch { return nil }
  }

  /// Throws an error if the damaged log was written to while it was read.
  private func checkUnchanged() throws(LedgerError) {
    let now: PageFile
    do throws(LMDBError) { now = try file.refreshed() } catch { throw LedgerError(error) }
    guard now.plausibleMetas == file.plausibleMetas else {
      throw LedgerError(
        .busy, "Somebody has appended to the damaged ledger meanwhile: stop all writers first.")
    }
  }

  // MARK: - Keys

  /// Copies the key file without the keys that must be destroyed, or creates one without keys.
  private func writeKeys(
    to folder: String, _ writer: SalvageWriter
  ) throws(LedgerError) -> KeyFileHead {
    guard let source = plan.keys.file, let head = plan.keys.head else {
      var random = SystemRandom()
      let ledger =
        plan.source.identity[.ledger]
        ?? [UInt8](random: LogIdentity.ledgerByteCount, using: &random)
      return try PersonalKeys.makeAnew(
        in: folder, ledger: ledger, taken: writer.slotsTaken, mode: Self.mode)
    }
    do throws(LMDBError) {
      let target = try FlatFile.create(
        "\(folder)/\(PersonalKeys.fileName)", in: folder, mode: Self.mode)
      try Self.copy(source, to: target)
      let size = try target.size()
      let zeros = [UInt8](repeating: 0, count: Secret.byteCount)
      for slot in writer.slotsToDestroy where slot > 0 {
        let offset = PersonalKeys.offset(slot)
        if offset + Secret.byteCount <= size { try target.write(zeros, at: offset) }
      }
      try target.sync()
    } catch { throw LedgerError(error) }
    return head
  }

  private static func copy(_ source: FlatFile, to target: FlatFile) throws(LMDBError) {
    let pieceBytes = 1 << 20
    var offset = 0
    while true {
      let piece = try source.read(at: offset, count: pieceBytes)
      if piece.isEmpty { return }
      try target.write(piece, at: offset)
      offset += piece.count
    }
  }
}
