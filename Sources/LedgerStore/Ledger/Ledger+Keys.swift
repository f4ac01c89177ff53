internal import LMDB
internal import LedgerEvents

extension LogVerification {
  /// The parts of the log that are not as they were written.
  public var damage: [LogFault] { faults.filter { !$0.part.isAboutKeys } }

  /// What is wrong with the keys: keys that are missing although nothing was erased, keys that an
  /// erasure should have destroyed, and a key file that cannot be used. The log is intact in all of
  /// these cases: its personal data is encrypted.
  public var keyFaults: [LogFault] { faults.filter(\.part.isAboutKeys) }
}

extension EventLog {
  /// The file with the keys of personal data. Back it up separately from the ledger.
  public var keyFile: String { "\(path)/\(PersonalKeys.fileName)" }

  /// Whether the key file exists.
  ///
  /// Single keys can still be missing from it. If the ledger was restored without keys, all keys
  /// from before that are missing.
  ///
  /// - Complexity: O(1).
  /// - Throws: ``LedgerError``: `corrupt` if the file belongs to another ledger, `io`.
  public func hasKeyFile() throws(LedgerError) -> Bool {
    try tables.texts.keys?.isPresent() == true
  }
}

extension Ledger {
  /// The key of the digests in the ids of events that are imported into this ledger, 16 bytes.
  ///
  /// It is in the key file, so an id reveals nothing to anybody without that file.
  ///
  /// - Complexity: O(1).
  /// - Throws: ``LedgerError``: `keysMissing` without the key file, `corrupt`, `io`.
  public func importDigestKey() throws(LedgerError) -> [UInt8] {
    guard let head = try log.tables.texts.keys?.head() else { throw .namesUnknown }
    return head.imports
  }

  /// Whether the key file exists; see ``EventLog/hasKeyFile()``.
  ///
  /// - Complexity: O(1).
  /// - Throws: ``LedgerError``: `corrupt` if the file belongs to another ledger, `io`.
  public func hasKeyFile() throws(LedgerError) -> Bool { try log.hasKeyFile() }
}
