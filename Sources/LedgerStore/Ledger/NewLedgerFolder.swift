internal import AgeFiles
internal import LMDB
internal import LedgerEvents

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The destination of a copy of a ledger, which appears as a whole or not at all: the copy is made
/// in a folder beside it, which gets the final name once it is complete and durable.
struct NewLedgerFolder {
  private let path: String
  /// The folder that contains it.
  private let parent: String

  /// Checks, before anything is copied, that a folder can be created there.
  ///
  /// - Throws: ``LedgerError``: `exists` if something is there, `cannotCreate` if the parent folder
  ///   does not exist or is not writable.
  init(_ path: String) throws(LedgerError) {
    var name = path[...]
    while name.count > 1, name.hasSuffix("/") { name.removeLast() }
    self.path = String(name)
    switch name.lastIndex(of: "/") {
    case nil: parent = "."
    case name.startIndex: parent = "/"
    case let slash?: parent = String(name[..<slash])
    }
    guard !name.isEmpty else {
      throw LedgerError(.cannotCreate, "The path of the new folder is empty: name one.")
    }
    guard !Self.isTaken(self.path) else { throw Self.taken(self.path) }
    // A missing folder may be a disk that is not mounted, so it is not created.
    guard FileManager.default.fileExists(atPath: parent + "/.") else {
      throw LedgerError(
        .cannotCreate,
        "There is no folder \(parent) to make \(self.path) in: make it, or mount it, first.")
    }
    guard FileManager.default.isWritableFile(atPath: parent) else {
      throw LedgerError(
        .cannotCreate,
        "Nothing can be written in \(parent): name another folder for \(self.path).")
    }
  }

  /// Whether anything has that name, even a dangling link.
  private static func isTaken(_ path: String) -> Bool {
    switch Result(catching: { try FileManager.default.attributesOfItem(atPath: path) }) {
    case .success: true
    case .failure: FileManager.default.fileExists(atPath: path)
    }
  }

  /// Lets `body` fill a new folder, and then gives the folder its final name.
  func fill(
    _ body: (LedgerPart) throws(LedgerError) -> LedgerCopy
  ) throws(LedgerError) -> LedgerCopy {
    LedgerPart.removeAbandoned(in: parent)
    let part = LedgerPart(path: "\(path)\(LedgerPart.suffix())")
    do throws(LedgerError) {
      let lock = try part.make()
      let copy = try body(part)
      do throws(LMDBError) {
        try syncFolder(part.path)
        try renameFolder(part.path, to: path, in: parent)
      } catch { throw failure(error, of: part) }
      lock?.unlock()
      return copy
    } catch {
      // What is left of the attempt is useless. The error that ended it is the one to report.
      _ = Result { try FileManager.default.removeItem(atPath: part.path) }
      throw error
    }
  }

  /// The error for a complete copy that has not durably got its name.
  private func failure(_ error: LMDBError, of part: LedgerPart) -> LedgerError {
    guard Self.isTaken(path) else { return LedgerError(error) }
    if Self.isTaken(part.path) { return Self.taken(path) }
    return LedgerError(
      .io,
      "\(path) is complete, but its name could not be made durable, so a power failure may take it "
        + "away: \(error). Repair the disk, then check that it is there.",
      cause: error)
  }

  private static func taken(_ path: String) -> LedgerError {
    LedgerError(.exists, "There is something at \(path) already: name another folder.")
  }
}

/// A copy of a ledger that is being made.
struct LedgerPart {
  let path: String

  /// The permissions of its files: only for their owner.
  static let mode: UInt32 = 0o600

  /// Creates its folders, and takes the lock that shows others that the copy is being made.
  fileprivate func make() throws(LedgerError) -> FileLock? {
    do throws(LMDBError) {
      try makeFolder(path)
      let lock = try FileLock.tryLock(folder: path)
      try makeFolder("\(path)/\(EventLog.folderName)")
      return lock
    } catch { throw LedgerError(error) }
  }

  /// Copies the log as it is at one commit, and the root that was kept beside it before, with which
  /// ``verify(keysIn:_:)`` compares the copy.
  ///
  /// - Returns: That root; `nil` if there is none.
  @discardableResult
  func copyLog(of log: EventLog) throws(LedgerError) -> KeptRoot? {
    // The kept root is read first, so the copy is never behind it.
    let kept = try log.keptRoot()
    if let kept { try roots(of: log).keepDurably(kept) }
    do throws(LMDBError) {
      let folder = "\(path)/\(EventLog.folderName)"
      try log.environment.copy(to: folder, compacting: true)
      // LMDB makes its copies readable for everybody.
      try setRights(of: "\(folder)/\(Environment.dataFileName)", to: Self.mode)
    } catch { throw LedgerError(error) }
    return kept
  }

  private func roots(of log: EventLog) -> RootKeeper {
    RootKeeper(folder: path, ledger: log.identity.ledger, mode: Self.mode)
  }

  /// Copies a key file of the ledger of `log`, whatever its permissions are.
  ///
  /// - Throws: ``LedgerError``: `keysMissing` if there is no file or it cannot be decrypted,
  ///   `corrupt` if it holds no keys or those of another ledger, `full`, `io`.
  func copyKeys(
    _ file: String, of log: EventLog, _ decryption: AgeDecryption?
  ) throws(LedgerError) {
    guard let source = try CopyReader(file, decryption) else {
      throw LedgerError(.keysMissing, "There is no key file at \(file).")
    }
    var target = try CopyWriter(
      "\(path)/\(PersonalKeys.fileName)", in: path, mode: Self.mode, encryption: nil)
    try Self.copy(source, to: &target, nil)
    // A copy from before an erasure is not to bring back what that took.
    let erased = try log.read { (view) throws(LedgerError) in try view.erasedSlots() }
    do throws(LedgerError) {
      if try keys(of: log).destroy(erased.map(\.slot)) { return }
    } catch {
      guard error.code == .corrupt else { throw error }
      throw LedgerError(
        .corrupt,
        "\(file) is no key file of this ledger: name the copy of its own file "
          + "`\(PersonalKeys.fileName)`.",
        cause: error)
    }
    throw LedgerError(
      .corrupt,
      "\(file) holds no keys: it is empty, or zeros. Name a copy of the ledger's file "
        + "`\(PersonalKeys.fileName)` that does, or give the names and texts of people up "
        + "(--without-keys).")
  }

  /// Rejects a key file that is older than the log.
  ///
  /// Keys are only ever added at the end of the file, and an erasure overwrites them. So a file
  /// that is too short is an older one, and keys that are zeros in a file that is long enough were
  /// erased since the backup.
  ///
  /// - Throws: ``LedgerError``: `keysMissing`, with the number of texts that would be lost.
  func requireKeys(
    of log: EventLog, _ copy: LedgerCopy, file: String
  ) throws(LedgerError) {
    let used = try log.read { (view) throws(LedgerError) in try view.lastSlot() }
    guard try keys(of: log).lastSlot() < used, copy.keysMissing > 0 else { return }
    throw LedgerError(
      .keysMissing,
      """
      The key file \(file) is older than the backup: it lacks the keys of \
      \(copy.keysMissing.counted("name or text", "names and texts")) of people, which could no \
      longer be read. Name a newer copy of the ledger's file `\(PersonalKeys.fileName)`, or give \
      up these texts (--give-up-missing).
      """)
  }

  /// Creates a key file in which all slots in use are empty, and notes in the copied log that
  /// the file belongs to it.
  func makeKeys(ledger: [UInt8], taken: UInt32) throws(LedgerError) {
    let head = try PersonalKeys.makeAnew(
      in: path, ledger: ledger, taken: taken, mode: Self.mode)
    let copy = try EventLog(open: path, options: Environment.Options())
    try copy.setKeys(head)
    try copy.close()
  }

  private func keys(of log: EventLog) -> PersonalKeys {
    PersonalKeys(folder: path, log.identity, isWritable: true)
  }

  /// The folder that a file is in.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Verifies the copy, and keeps its root beside it. Missing keys are not a fault of the copy, but
  /// they are reported.
  func verify(
    keysIn keys: String, _ progress: (UInt64, UInt64) -> Void
  ) throws(LedgerError) -> LedgerCopy {
    // Nobody else has the copy open, so a lock file would only be in the way.
    var options = Environment.Options()
    options.usesLocks = false
    let log = try EventLog(open: path, access: .readOnly, options: options, keysIn: keys)
    let found = try log.verify(progress: progress)
    if found.damage.isEmpty {
      // The names of the last events are under no stored node, so nothing else shows later that
      // they are as they were.
      try roots(of: log).keepDurably(KeptRoot(position: found.events, root: found.root))
    }
    try log.close()
    if let fault = found.damage.first {
      throw LedgerError(
        .corrupt, "The copy is not as it was written: \(fault.message).", position: fault.position)
    }
    return LedgerCopy(
      position: found.events, root: found.root, keyFaults: found.keyFaults,
      keysMissing: found.keysMissing)
  }
}

extension LedgerPart {
  /// The end of its name: the process that makes it, and 16 random hexadecimal digits.
  static func suffix() -> String {
    let random = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
    return ".\(ProcessInfo.processInfo.processIdentifier)-\(random).part"
  }

  /// The process that made a folder of this name; `nil` if the name has another form.
  static func maker(of name: String) -> Int32? {
    name.wholeMatch(of: /.+\.(\d+)-[0-9a-f]{16}\.part/).flatMap { Int32($0.1) }
  }

  /// Removes the copies that killed processes have left in `folder`, as far as this process is
  /// permitted to: folders, and files of keys.
  ///
  /// A process in another pid namespace may be running under a number that is unused here, so the
  /// lock of the copy is checked, too.
  static func removeAbandoned(in folder: String, prefix: String = "") {
    switch Result(catching: { try FileManager.default.contentsOfDirectory(atPath: folder) }) {
    // In a folder that cannot be listed, there is nothing to remove.
    case .failure: return
    case .success(let names):
      for name in names where name.hasPrefix(prefix) {
        guard let maker = maker(of: name), !isRunning(process: maker) else { continue }
        removeIfAbandoned("\(folder)/\(name)")
      }
    }
  }

  private static func removeIfAbandoned(_ path: String) {
    do throws(LMDBError) {
      guard let lock = try FileLock.tryLock(existing: path) else { return }
      // What belongs to somebody else stays.
      _ = Result { try FileManager.default.removeItem(atPath: path) }
      lock.unlock()
    } catch {
      return  // It no longer exists, or it belongs to somebody else.
    }
  }
}

extension EventLog {
  /// Whether somebody has or had the log at `path` open in a way that others can see.
  static func hasLockFile(_ path: String) -> Bool {
    FileManager.default.fileExists(
      atPath: "\(path)/\(folderName)/\(Environment.lockFileName)")
  }
}
