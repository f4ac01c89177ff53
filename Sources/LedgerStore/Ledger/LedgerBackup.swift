internal import LMDB
internal import LedgerEvents

/// What a backup, or what was made from one, holds.
public struct LedgerCopy: Hashable, Sendable {
  /// The position of its newest event.
  public let position: UInt64
  /// The root of the tree there.
  public let root: TreeHash
  /// What of its keys is not as it should be, above all how many are missing though nobody was
  /// erased (``LogVerification/keyFaults``); nothing where every key is there.
  public let keyFaults: [LogFault]
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
  /// - Parameters:
  ///   - folder: Where the copy goes: nothing is there, and the folder that it is to be in is.
  ///   - progress: Called now and then with the events looked at and their number.
  ///   - recording: Called when the copy is verified and before it gets its name, so that no copy
  ///     gets out that the ledger does not tell of; where it throws, nothing is left.
  /// - Complexity: O(*n*) in the size of the log; its free pages are left out.
  /// - Throws: ``LedgerError``: `exists` where something is at `folder`, `cannotCreate`, `corrupt`
  ///   where the copy is not as it was written, `full`, `io`; and what `recording` throws.
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

  /// Makes a ledger of a backup, verified, with its projections folded anew.
  ///
  /// - Parameters:
  ///   - backup: The folder of the backup. Nothing in it is changed or made, so that the right to
  ///     read it is enough; only where something has it open, or has had it, as a ledger, the lock
  ///     file that is there then is used.
  ///   - folder: Where the ledger goes: nothing is there, and the folder that it is to be in is.
  ///   - keys: Where its keys come from.
  ///   - progress: Called now and then with the events looked at and their number.
  /// - Complexity: O(*n*) in the size of the log.
  /// - Throws: ``LedgerError``: `noLedger`, `exists`, `cannotCreate`, `keysMissing`,
  ///   `corrupt`, `full`, `io`.
  public static func restore(
    _ backup: String, to folder: String, keys: RestoredKeys,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LedgerError) -> LedgerCopy {
    let place = try NewLedgerFolder(folder)
    var options = Environment.Options()
    options.usesLocks = EventLog.hasLockFile(backup)
    let log = try EventLog(open: backup, access: .readOnly, options: options)
    let copy = try place.fill { (part) throws(LedgerError) in
      try part.copyLog(of: log)
      switch keys {
      case .file(let path): try part.copyKeys(path, of: log)
      case .none: try part.makeKeys(of: log)
      }
      let copy = try part.verify(keysIn: part.path, progress)
      let ledger = try Ledger(at: part.path)
      try ledger.rebuild()
      try ledger.close()
      return copy
    }
    try log.close()
    return copy
  }
}
