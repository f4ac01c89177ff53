internal import LMDB
internal import LedgerEvents

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What a backup, or what was made from one, holds.
public struct LedgerCopy: Hashable, Sendable {
  /// The position of its newest event.
  public let position: UInt64
  /// The root of the tree there.
  public let root: TreeHash
  /// How many personal texts it has no key for though nobody was erased: none where the key file
  /// was there.
  public let isWithoutKeys: Bool
}

/// Where the keys of a restored ledger come from.
public enum RestoredKeys: Sendable {
  /// A copy of the ledger's key file.
  case file(String)
  /// The keys are gone: names and texts of people stay sealed for ever, and what comes gets new
  /// ones.
  case none
}

extension Ledger {
  /// Copies the log into a new folder while others go on appending, and verifies the copy.
  ///
  /// The copy is the log as it was at one commit. It has no projections, which are folded anew,
  /// and no keys: those are backed up apart, so that an erasure reaches them. The folder is there
  /// whole or not at all.
  ///
  /// - Complexity: O(*n*) in the size of the log; its free pages are left out.
  /// - Throws: ``LedgerError``: `exists` where something is at `folder`, `corrupt` where the copy
  ///   is not as it was written, `full`, `io`.
  public func backUp(
    to folder: String, progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LedgerError) -> LedgerCopy {
    try LedgerFolder.make(folder) { (part) throws(LedgerError) in
      try LedgerFolder.copyLog(of: log, into: part)
      return try LedgerFolder.verify(part, keysIn: path, progress)
    }
  }

  /// Makes a ledger of a backup, verified, with its projections folded anew.
  ///
  /// - Parameters:
  ///   - backup: The folder of the backup; it is not changed.
  ///   - folder: Where the ledger goes: nothing is there.
  ///   - keys: Where its keys come from.
  /// - Complexity: O(*n*) in the size of the log.
  /// - Throws: ``LedgerError``: `noLedger`, `exists`, `keysMissing`, `corrupt`, `full`, `io`.
  public static func restore(
    _ backup: String, to folder: String, keys: RestoredKeys,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LedgerError) -> LedgerCopy {
    let log = try EventLog(open: backup, access: .readOnly)
    let copy = try LedgerFolder.make(folder) { (part) throws(LedgerError) in
      try LedgerFolder.copyLog(of: log, into: part)
      switch keys {
      case .file(let path): try LedgerFolder.copyKeys(path, of: log, into: part)
      case .none: try LedgerFolder.makeKeys(of: log, in: part)
      }
      return try LedgerFolder.verify(part, keysIn: part, progress)
    }
    try log.close()
    let ledger = try Ledger(at: folder)
    try ledger.rebuild()
    try ledger.close()
    return copy
  }
}

/// Makes folders of ledgers that are there whole or not at all.
private enum LedgerFolder {
  /// Lets `body` fill a folder beside `folder`, which gets that name when it is done and synced.
  static func make(
    _ folder: String, _ body: (_ part: String) throws(LedgerError) -> LedgerCopy
  ) throws(LedgerError) -> LedgerCopy {
    let files = FileManager.default
    guard !files.fileExists(atPath: folder) else {
      throw LedgerError(.exists, "There is something at \(folder) already: name another folder.")
    }
    let part = "\(folder).\(UUID().uuidString.prefix(8)).part"
    do throws(LedgerError) {
      try attempt(part) {
        try files.createDirectory(
          atPath: "\(part)/\(EventLog.folderName)", withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
      }
      let copy = try body(part)
      try attempt(folder) {
        try syncFolder(part)
        try files.moveItem(atPath: part, toPath: folder)
        try syncFolder(parent(of: folder))
      }
      return copy
    } catch {
      // What is left of the attempt is of no use; the error that ended it is what is told.
      _ = Result { try files.removeItem(atPath: part) }
      throw error
    }
  }

  static func copyLog(of log: EventLog, into part: String) throws(LedgerError) {
    do throws(LMDBError) {
      try log.environment.copy(to: "\(part)/\(EventLog.folderName)", compacting: true)
    } catch { throw LedgerError(error) }
  }

  static func copyKeys(
    _ path: String, of log: EventLog, into part: String
  ) throws(LedgerError) {
    let target = "\(part)/\(PersonalKeys.fileName)"
    guard FileManager.default.fileExists(atPath: path) else {
      throw LedgerError(.keysMissing, "There is no key file at \(path).")
    }
    try attempt(target) {
      try FileManager.default.copyItem(atPath: path, toPath: target)
      try syncFile(target)
    }
    // Refuses another ledger's. A copy from before an erasure is not to bring back what it took.
    let erased = try log.read { (view) throws(LedgerError) in try view.erasedSlots() }
    _ = try PersonalKeys(
      folder: part, ledger: log.identity.ledger, mode: 0o600, isWritable: true
    ).destroy(erased.map(\.slot))
  }

  /// Makes a key file whose slots that are taken are empty.
  static func makeKeys(of log: EventLog, in part: String) throws(LedgerError) {
    let taken = try log.read { (view) throws(LedgerError) in try view.lastSlot() }
    try PersonalKeys(
      folder: part, ledger: log.identity.ledger, mode: 0o600, isWritable: true
    ).makeAnew(taken: taken)
  }

  /// Looks through a copy. Keys that are not there are no fault of a copy: it is said that they
  /// are not.
  static func verify(
    _ part: String, keysIn keys: String, _ progress: (UInt64, UInt64) -> Void
  ) throws(LedgerError) -> LedgerCopy {
    let log = try EventLog(open: part, access: .readOnly, keysIn: keys)
    let result = try log.verify(progress: progress)
    try log.close()
    if let fault = result.faults.first(where: { $0.part != .key }) {
      throw LedgerError(
        .corrupt, "The copy is not as it was written: \(fault.message).", position: fault.position)
    }
    // A lock file of this look is nobody's.
    let lock = "\(part)/\(EventLog.folderName)/lock.mdb"
    _ = Result { try FileManager.default.removeItem(atPath: lock) }
    return LedgerCopy(
      position: result.events, root: result.root, isWithoutKeys: !result.faults.isEmpty)
  }

  private static func attempt(_ path: String, _ body: () throws -> Void) throws(LedgerError) {
    do { try body() } catch {
      throw LedgerError(.io, "\(path) cannot be made: \(error).", cause: error)
    }
  }

  private static func parent(of path: String) -> String {
    let absolute =
      path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    return absolute.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/"
  }
}
