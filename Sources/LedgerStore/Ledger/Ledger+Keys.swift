internal import LMDB
internal import LedgerEvents

extension LogVerification {
  /// What is not as it was written.
  public var damage: [LogFault] { faults.filter { !$0.part.isOfKeys } }

  /// What of the keys is not as it should be: keys that are missing though nobody was erased, and
  /// keys that an erasure was to destroy. The log is whole all the same: what it holds of people is
  /// sealed.
  public var keyFaults: [LogFault] { faults.filter(\.part.isOfKeys) }
}

extension LogFault.Part {
  fileprivate var isOfKeys: Bool { self == .key || self == .erasedKey }
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
}
