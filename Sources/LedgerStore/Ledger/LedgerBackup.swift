public import AgeFiles
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
  /// The number of events at its end of whose names nothing shows that they are as they were
  /// written, at most 15. It is above 0 only after the restoration of a backup without a root,
  /// which was made before backups had one.
  public internal(set) var unproven: UInt64 = 0
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
  /// The copy is the log as it was at one commit, and its root, with which `restore` compares it.
  /// It has no projections, because they can be folded again. It has no keys: back those up
  /// separately, so that an erasure can reach them. The folder appears as a whole or not at all. An
  /// encrypted copy is one file in the age format; no plain text of it reaches the disk.
  ///
  /// - Parameters:
  ///   - folder: The folder to create. It must not exist, but its parent must.
  ///   - encryption: For whom to encrypt it; nil for a plain copy.
  ///   - progress: Called now and then with the number of events checked and their total.
  ///   - recording: Called after the copy is verified and before it gets its name, so that no copy
  ///     exists without a record of it. If it throws, nothing is left behind.
  /// - Returns: The contents of the copy.
  /// - Complexity: O(*n*) in the size of the log, without its free pages.
  /// - Throws: ``LedgerError``: `exists` if something is at `folder`, `cannotCreate`, `corrupt` if
  ///   the copy is not as it was written, `keysMissing` if a recipient is unusable, `full`, `io`;
  ///   and what `recording` throws.
  public func backUp(
    to folder: String, encryption: AgeEncryption? = nil,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in },
    recording: (LedgerCopy) throws(LedgerError) -> Void = { _ in }
  ) throws(LedgerError) -> LedgerCopy {
    try NewLedgerFolder(folder).fill { (part) throws(LedgerError) in
      let copy: LedgerCopy
      if let encryption {
        copy = try part.copyRows(.full, of: log, encryption, progress)
      } else {
        try part.copyLog(of: log)
        copy = try part.verify(keysIn: path, progress)
      }
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
  ///   - encryption: For whom to encrypt it; nil for a plain one.
  ///   - progress: Called now and then with the number of events checked and their total.
  ///   - recording: As for `backUp(to:encryption:progress:recording:)`.
  /// - Returns: What the ledger has at its end.
  /// - Complexity: O(*n* log *n*) in the events that follow.
  /// - Throws: ``LedgerError``: `exists`, `cannotCreate`, `notFound` if the ledger is shorter,
  ///   `corrupt` if what follows is not as it was written, `keysMissing` if a recipient is
  ///   unusable, `full`, `io`; and what `recording` throws.
  public func backUp(
    since position: UInt64, to folder: String, encryption: AgeEncryption? = nil,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in },
    recording: (LedgerCopy) throws(LedgerError) -> Void = { _ in }
  ) throws(LedgerError) -> LedgerCopy {
    try NewLedgerFolder(folder).fill { (part) throws(LedgerError) in
      let copy = try part.copyRows(
        .increment, of: log, since: position, encryption, progress)
      try recording(copy)
      return copy
    }
  }

  /// Copies the key file and replaces an earlier copy, unless that would lose a key.
  ///
  /// Call this after the log has been copied: keys are only ever added, so a copy that is made
  /// later has every key that the copied log needs.
  ///
  /// - Parameters:
  ///   - file: The file to write. It appears as a whole, with permissions only for its owner. It
  ///     may not be in the folder of the ledger, and what is there must be an earlier copy
  ///     (``checkKeyCopy(at:)``).
  ///   - encryption: For whom to encrypt it; nil for a plain copy.
  /// - Complexity: O(*n*) in the size of the key file.
  /// - Throws: ``LedgerError``: `keysMissing` without a key file or if a recipient is unusable,
  ///   `full`, `io`; `cannotCreate` and `corrupt` as ``checkKeyCopy(at:)``.
  public func backUpKeys(
    to file: String, encryption: AgeEncryption? = nil
  ) throws(LedgerError) {
    guard try hasKeyFile() else { throw .keysMissing(log.keyFile) }
    try checkKeyCopy(at: file)
    try LedgerPart.replace(file, byCopyOf: log.keyFile, encryption)
  }

  /// Checks that a copy of the key file may be made at a path.
  ///
  /// It may take the place of an earlier copy from the same ledger, unless that has keys which the
  /// key file lacks and which were not erased: then the key file is damaged, or the ledger is
  /// another one that was restored from the same backup. An encrypted copy cannot be looked into.
  /// It may be replaced if every key is there that was not erased, and none that was.
  ///
  /// - Parameter file: The path. If nothing is there, it only may not be in the ledger's folder.
  /// - Complexity: O(*n*) in the size of the key file. To replace an encrypted copy, the log is
  ///   verified if the key file lacks keys that were not erased.
  /// - Throws: ``LedgerError``: `cannotCreate` in the folder of the ledger, and if something is
  ///   there that is no earlier copy; `corrupt` if a key would be lost, or the key file is damaged;
  ///   `keysMissing` without a key file, `io`.
  public func checkKeyCopy(at file: String) throws(LedgerError) {
    try refuseOwnFolder(file)
    try log.checkKeyCopy(at: file)
  }

  /// Refuses a file in the ledger's folder or a folder in it, where a copy would replace what the
  /// ledger needs and would be lost together with it.
  private func refuseOwnFolder(_ file: String) throws(LedgerError) {
    do throws(LMDBError) {
      guard try isOwn(LedgerPart.folder(of: file)) else { return }
    } catch { throw LedgerError(error) }
    throw LedgerError(
      .cannotCreate,
      "The keys cannot be copied to \(file), which is in the folder of the ledger: name a file "
        + "somewhere else, best on another disk.")
  }

  /// Whether a folder is that of the ledger, or is anywhere in it.
  private func isOwn(_ folder: String) throws(LMDBError) -> Bool {
    var folder = folder
    while true {
      if try isSameFile(folder, path) { return true }
      let parent = folder + "/.."
      // The root is its own parent, and a folder that does not exist has none.
      if try isSameFile(folder, parent) { return false }
      if try !isSameFile(parent, parent) { return false }
      folder = parent
    }
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
  ///   - decryption: What decrypts the backups and the key file; needed only if one is encrypted.
  ///     Each part is tried with all of it, so the parts may be encrypted differently.
  ///   - givesUpMissingKeys: Whether to go on if the key file is older than the backup and lacks
  ///     keys that it needs. What was encrypted with them can then never be decrypted.
  ///   - progress: Called now and then with the number of events checked and their total.
  /// - Returns: The contents of the restored ledger.
  /// - Complexity: O(*n*) in the size of the log.
  /// - Throws: ``LedgerError``: `noLedger`, `exists`, `cannotCreate`, `keysMissing` if there is no
  ///   key file, it is older than the backup, or something is encrypted and `decryption` does not
  ///   decrypt it; `corrupt`, also if an increment does not follow on what is before it, or a page
  ///   of the backup is damaged; `full`, `io`.
  public static func restore(
    _ backup: String, increments: [String] = [], to folder: String, keys: RestoredKeys,
    decryption: AgeDecryption? = nil, givesUpMissingKeys: Bool = false,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LedgerError) -> LedgerCopy {
    let target = try NewLedgerFolder(folder)
    return try target.fill { (part) throws(LedgerError) in
      let unproven = try part.copyLog(ofBackup: backup, decryption)
      for increment in increments { try part.apply(increment, decryption) }
      switch keys {
      case .file(let path):
        try part.withLog { (log) throws(LedgerError) in
          try part.copyKeys(path, of: log, decryption)
        }
      case .none:
        let (ledger, taken) = try part.withLog { (log) throws(LedgerError) in
          try log.read { (view) throws(LedgerError) in
            (log.identity.ledger, try view.lastSlot())
          }
        }
        try part.makeKeys(ledger: ledger, taken: taken)
      }
      var copy = try part.verify(keysIn: part.path, progress)
      // An increment states the root that it follows on, which has been compared.
      if increments.isEmpty { copy.unproven = unproven }
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
  }
}
