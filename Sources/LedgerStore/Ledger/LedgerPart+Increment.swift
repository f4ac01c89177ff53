internal import AgeFiles
internal import LMDB
internal import LedgerEvents

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension LedgerPart {
  /// Writes the whole log, or what follows a position, as one file, and verifies it.
  func copyRows(
    _ kind: LogIncrement.Kind, of log: EventLog, since position: UInt64 = 0,
    _ encryption: AgeEncryption?, _ progress: (UInt64, UInt64) -> Void
  ) throws(LedgerError) -> LedgerCopy {
    let found = try log.write(
      kind, since: position, to: path, mode: Self.mode, encryption: encryption, progress: progress)
    if let fault = found.damage.first {
      throw LedgerError(
        .corrupt, "The log is not as it was written: \(fault.message).", position: fault.position)
    }
    return LedgerCopy(
      position: found.events, root: found.root, keyFaults: found.keyFaults,
      keysMissing: found.keysMissing)
  }

  /// Copies the log of a full backup, encrypted or not, or of any other ledger.
  ///
  /// - Returns: The number of its last events whose names nothing proves: none if there is a root
  ///   of the whole log in the backup.
  func copyLog(
    ofBackup backup: String, _ decryption: AgeDecryption?
  ) throws(LedgerError) -> UInt64 {
    if try EventLog.make(at: path, mode: Self.mode, fromFullIn: backup, decryption) { return 0 }
    try Self.requireLog(of: backup)
    try Self.requireWholePages(of: backup)
    var options = Environment.Options()
    options.usesLocks = EventLog.hasLockFile(backup)
    let log: EventLog
    do throws(LedgerError) {
      log = try EventLog(open: backup, access: .readOnly, options: options, keysIn: nil)
    } catch {
      guard error.code == .noLedger else { throw error }
      throw LedgerError(
        .noLedger, "The backup at \(backup) is empty: name another one.", cause: error)
    }
    let unproven: UInt64
    do throws(LedgerError) {
      try Self.requireRoot(of: log, in: backup)
      let kept = try copyLog(of: log)
      unproven = try withLog { (copy) throws(LedgerError) in
        try copy.read { (view) throws(LedgerError) in
          min(view.eventsAfterNodes, view.lastPosition - (kept?.position ?? 0))
        }
      }
    } catch {
      try log.close()
      throw error
    }
    try log.close()
    return unproven
  }

  /// Rejects a backup that does not have the root that was written with it.
  private static func requireRoot(of log: EventLog, in backup: String) throws(LedgerError) {
    let file = "\(backup)/\(RootKeeper.fileName)"
    let kept: KeptRoot?
    do throws(LedgerError) { kept = try log.keptRoot() } catch {
      guard error.code == .corrupt else { throw error }
      throw LedgerError(
        .corrupt,
        "The file \(file) is damaged, with which the log is compared. Restore another backup. If "
          + "there is none, remove the file: the names of the last events are then not verified.",
        cause: error)
    }
    guard let kept else { return }
    do throws(LedgerError) {
      if try log.read({ (view) throws(LedgerError) in try kept.fits(view) }) { return }
    } catch {
      // What cannot be read is named when the copy is verified.
      guard error.code == .corrupt else { throw error }
      return
    }
    throw LedgerError(
      .corrupt,
      """
      The backup at \(backup) is not as it was written: up to position \(kept.position), its log \
      does not have the root that is in \(file). Restore another backup, or save what is left of \
      this one: `daybook salvage \(backup) --into NEW`.
      """, position: kept.position)
  }

  /// Rejects a folder without a log: one that is not there, or an incremental backup.
  private static func requireLog(of backup: String) throws(LedgerError) {
    if try EventLog.hasLog(backup) { return }
    throw LedgerError(
      .noLedger,
      EventLog.kindOfFileCopy(in: backup) == .increment
        ? "\(backup) is an incremental backup: name the full backup first, then the increments in "
          + "their order."
        : "There is no backup at \(backup): check the path.")
  }

  /// Rejects a backup with a damaged page, which LMDB would follow out of the file.
  private static func requireWholePages(of backup: String) throws(LedgerError) {
    let damaged = try EventLog.damagedPages(backup)
    guard let first = damaged.first else { return }
    let rest = damaged.count > 1 ? ", and \(damaged.count - 1) more" : ""
    throw LedgerError(
      .corrupt,
      "The backup at \(backup) has a damaged page: \(first)\(rest). Restore another backup, or "
        + "save what is left of this one: `daybook salvage \(backup) --into NEW`.")
  }

  /// Adds to the copy what an incremental backup holds.
  func apply(_ increment: String, _ decryption: AgeDecryption?) throws(LedgerError) {
    let log = try EventLog(open: path, access: .readWrite, keysIn: nil)
    do throws(LedgerError) { try log.apply(incrementIn: increment, decryption) } catch {
      try log.close()
      throw error
    }
    try log.close()
  }

  /// Opens the copy while `body` runs.
  func withLog<Value>(
    _ body: (EventLog) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    var options = Environment.Options()
    options.usesLocks = false
    let log = try EventLog(open: path, access: .readOnly, options: options, keysIn: nil)
    let value: Value
    do throws(LedgerError) { value = try body(log) } catch {
      try log.close()
      throw error
    }
    try log.close()
    return value
  }

  /// Copies a key file to `copy` in place of what is there. The copy appears as a whole.
  static func replace(
    _ copy: String, byCopyOf file: String, _ encryption: AgeEncryption?
  ) throws(LedgerError) {
    let folder = folder(of: copy)
    let part = copy + suffix()
    removeAbandoned(in: folder, prefix: URL(fileURLWithPath: copy).lastPathComponent + ".")
    do throws(LedgerError) {
      guard let source = try CopyReader(file, nil) else { throw .keysMissing(file) }
      var target = try CopyWriter(part, in: folder, mode: mode, encryption: encryption)
      let lock = try locked(part)
      try self.copy(source, to: &target, encryption)
      do throws(LMDBError) { try replaceFile(copy, by: part, in: folder) } catch {
        throw LedgerError(error)
      }
      lock?.unlock()
    } catch {
      // What is left of the attempt is useless. The error that ended it is the one to report.
      _ = Result { try FileManager.default.removeItem(atPath: part) }
      throw LedgerError(
        error.code, "The keys cannot be copied to \(copy): \(error.message)", cause: error)
    }
  }

  /// Takes the lock that shows others that a copy is being made; `nil` on a file system that has no
  /// locks. There, nobody can take it and remove the copy as abandoned, either.
  private static func locked(_ part: String) throws(LedgerError) -> FileLock? {
    do throws(LMDBError) { return try FileLock.tryLock(existing: part) } catch {
      if FileLock.areMissing(error) { return nil }
      throw LedgerError(error)
    }
  }

  /// Copies what a file of keys holds, and reads an encrypted copy back.
  static func copy(
    _ source: CopyReader, to target: inout CopyWriter, _ encryption: AgeEncryption?
  ) throws(LedgerError) {
    var source = source
    try source.forEachPiece { (piece) throws(LedgerError) in
      do throws(LMDBError) { try target.write(piece) } catch { throw LedgerError(error) }
    }
    var written = try target.finish()
    if encryption != nil { try written.forEachPiece { _ in } }
  }
}
