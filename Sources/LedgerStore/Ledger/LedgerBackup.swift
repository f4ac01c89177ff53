internal import LMDB
internal import LedgerEvents

/// The contents of a backup, or of a ledger that was restored from one.
public struct LedgerCopy: Hashable, Sendable {
  /// The position of its newest event.
  public let position: UInt64
  /// The root of the tree at that position.
  public let root: TreeHash
  /// What is wrong with its keys, above all how many are missing although nothing was erased
  /// (``LogVerification/keyFaults``); empty if every key is there.
  public let keyFaults: [LogFault]
  /// The number of names and texts of people whose key is missing although nothing was erased.
  public let keysMissing: Int
}

/// Where the keys of a restored ledger come from.
public enum RestoredKeys: Sendable {
  /// A copy of the ledger's key file.
  case file(String)
  /// No key file: the names and texts of people stay encrypted forever, and later events get new
  /// keys.
  case none
}

extension Ledger {
  /// Copies the log to a new folder while others continue to append, and verifies the copy.
  ///
  /// The copy is the log as it was at one commit. It has no projections, because they can be folded
  /// again. It has no keys: back those up separately, so that an erasure can reach them. The folder
  /// appears as a whole or not at all.
  ///
  /// - Parameters:
  ///   - folder: The folder to create. It must not exist, but its parent must.
  ///   - progress: Called now and then with the number of events checked and their total.
  ///   - recording: Called after the copy is verified and before it gets its name, so that no copy
  ///     exists without a record of it. If it throws, nothing is left behind.
  /// - Returns: The contents of the copy.
  /// - Complexity: O(*n*) in the size of the log, without its free pages.
  /// - Throws: ``LedgerError``: `exists` if something is at `folder`, `cannotCreate`, `corrupt` if
  ///   the copy is not as it was written, `full`, `io`; and what `recording` throws.
  public func backUp(
    to folder: String, progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in },
    recording: (LedgerCopy) throws(LedgerError) -> Void = { _ in }
  ) throws(LedgerError) -> LedgerCopy {
    try NewLedgerFolder(folder).fill { (part) throws(LedgerError) in
      try part.copyLog(of: log)
      let copy = try part.verify(keysIn: path, progress)
      try recording(copy)
      return copy
    }
  }

  /// Copies the events after a position to a new folder and verifies them: an incremental backup.
  ///
  /// It continues the backup that ends with `position`, and can only be restored together with
  /// that. It lists what was erased since, so a restored ledger knows of the erasures.
  ///
  /// - Parameters:
  ///   - position: The position at which the previous backup ends.
  ///   - folder: The folder to create. It must not exist, but its parent must.
  ///   - progress: Called now and then with the number of events checked and their total.
  ///   - recording: As for `backUp(to:progress:recording:)`.
  /// - Returns: The state of the ledger at the last copied event.
  /// - Complexity: O(*n* log *n*) in the number of these events.
  /// - Throws: ``LedgerError``: `exists`, `cannotCreate`, `notFound` if the ledger is shorter,
  ///   `corrupt` if the events are not as they were written, `full`, `io`; and what `recording`
  ///   throws.
  public func backUp(
    since position: UInt64, to folder: String,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in },
    recording: (LedgerCopy) throws(LedgerError) -> Void = { _ in }
  ) throws(LedgerError) -> LedgerCopy {
    try NewLedgerFolder(folder).fill { (part) throws(LedgerError) in
      let copy = try part.copyIncrement(of: log, since: position, progress)
      try recording(copy)
      return copy
    }
  }

  /// Copies the key file and replaces any earlier copy.
  ///
  /// Call this after the log has been copied: keys are only ever added, so a copy that is made
  /// later has every key that the copied log needs.
  ///
  /// - Parameter file: The file to write. It appears as a whole, with permissions only for its
  ///   owner.
  /// - Complexity: O(*n*) in the size of the key file.
  /// - Throws: ``LedgerError``: `keysMissing` without a key file, `corrupt` if it is damaged,
  ///   `full`, `io`.
  public func backUpKeys(to file: String) throws(LedgerError) {
    guard try hasKeyFile() else { throw .keysMissing(log.keyFile) }
    try LedgerPart.replace(file, byCopyOf: log.keyFile)
  }

  /// Restores a ledger from a backup, verifies it, and folds its projections.
  ///
  /// - Parameters:
  ///   - backup: The folder of the backup. Nothing in it is changed or created, so permission to
  ///     read it is enough. If it contains a lock file, because somebody has or had it open as a
  ///     ledger, that file is used.
  ///   - increments: The folders of the incremental backups that follow it, in order.
  ///   - folder: The folder to create. It must not exist, but its parent must.
  ///   - keys: Where the keys come from.
  ///   - givesUpMissingKeys: Whether to go on if the key file is older than the backup and lacks
  ///     keys that it needs. What was encrypted with them can then never be decrypted.
  ///   - progress: Called now and then with the number of events checked and their total.
  /// - Returns: The contents of the restored ledger.
  /// - Complexity: O(*n*) in the size of the log.
  /// - Throws: ``LedgerError``: `noLedger`, `exists`, `cannotCreate`, `keysMissing` if there is no
  ///   key file or it is older than the backup, `corrupt`, also if an increment does not continue
  ///   what is before it, `full`, `io`.
  public static func restore(
    _ backup: String, increments: [String] = [], to folder: String, keys: RestoredKeys,
    givesUpMissingKeys: Bool = false,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LedgerError) -> LedgerCopy {
    let place = try NewLedgerFolder(folder)
    var options = Environment.Options()
    options.usesLocks = EventLog.hasLockFile(backup)
    let log = try EventLog(open: backup, access: .readOnly, options: options)
    let copy = try place.fill { (part) throws(LedgerError) in
      try part.copyLog(of: log)
      for increment in increments { try part.apply(increment) }
      switch keys {
      case .file(let path):
        try part.withLog { (log) throws(LedgerError) in try part.copyKeys(path, of: log) }
      case .none:
        let taken = try part.withLog { (log) throws(LedgerError) in
          try log.read { (view) throws(LedgerError) in try view.lastSlot() }
        }
        try part.makeKeys(of: log, taken: taken)
      }
      let copy = try part.verify(keysIn: part.path, progress)
      if case .file(let path) = keys, !givesUpMissingKeys {
        try part.withLog { (log) throws(LedgerError) in
          try part.requireKeys(of: log, copy, file: path)
        }
      }
      let ledger = try Ledger(at: part.path)
      try ledger.rebuild()
      try ledger.close()
      return copy
    }
    try log.close()
    return copy
  }
}
