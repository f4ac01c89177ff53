internal import LMDB
internal import LedgerEvents

extension LogVerification {
  /// The parts of the log that are not as they were written.
  public var damage: [LogFault] { faults.filter { !$0.part.isOfKeys } }

  /// What is wrong with the keys: keys that are missing although nothing was erased, and keys that
  /// an erasure should have destroyed. The log is intact in both cases: its personal data is
  /// encrypted.
  public var keyFaults: [LogFault] { faults.filter(\.part.isOfKeys) }
}

extension LogFault.Part {
  fileprivate var isOfKeys: Bool { self == .key || self == .erasedKey }
}

extension EventLog {
  /// The file with the keys of personal data. Back it up separately from the ledger.
  public var keyFile: String { "\(path)/\(PersonalKeys.fileName)" }

  /// Whether the key file exists, or nothing needs it yet.
  ///
  /// Single keys can still be missing from it. If the ledger was restored without keys, all keys
  /// from before that are missing.
  ///
  /// - Complexity: O(1).
  /// - Throws: ``LedgerError``: `corrupt` if the file belongs to another ledger, `io`.
  public func hasKeyFile() throws(LedgerError) -> Bool {
    if try tables.texts.keys?.isPresent() == true { return true }
    return try read { (view) throws(LedgerError) in try view.lastSlot() == 0 }
  }
}

extension Ledger {
  /// Whether the key file exists, or nothing needs it yet; see ``EventLog/hasKeyFile()``.
  ///
  /// - Complexity: O(1).
  /// - Throws: ``LedgerError``: `corrupt` if the file belongs to another ledger, `io`.
  public func hasKeyFile() throws(LedgerError) -> Bool { try log.hasKeyFile() }
}
