internal import LMDB
internal import LedgerEvents

extension LogVerification {
  /// What is not as it was written.
  public var damage: [LogFault] { faults.filter { $0.part != .key } }

  /// What of the keys is not as it should be: keys that are missing though nobody was erased, and
  /// keys that an erasure was to destroy. The log is whole all the same: what it holds of people is
  /// sealed.
  public var keyFaults: [LogFault] { faults.filter { $0.part == .key } }
}

extension Ledger {
  /// Whether the key file is there, or nothing needs it yet.
  ///
  /// Single keys may be missing from it all the same: where it is the one that a restoring without
  /// keys has made, all from before that are.
  ///
  /// - Complexity: O(1).
  /// - Throws: ``LedgerError``: `corrupt` where the file is another ledger's, `io`.
  public func hasKeyFile() throws(LedgerError) -> Bool {
    if try log.tables.texts.keys?.isPresent() == true { return true }
    return try log.read { (view) throws(LedgerError) in try view.lastSlot() == 0 }
  }

  /// Whether the key file has keys that an erasure was to destroy: then it is a copy from before.
  ///
  /// - Complexity: O(*n*) in all that was ever erased.
  /// - Throws: ``LedgerError``.
  public func hasErasedKeys() throws(LedgerError) -> Bool {
    try log.read { (view) throws(LedgerError) in
      for erased in try view.erasedSlots() {
        if try view.tables.texts.keys?.secret(erased.slot) != nil { return true }
      }
      return false
    }
  }
}
