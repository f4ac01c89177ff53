public import LedgerEvents

/// Something in the log that differs from what was written.
public struct LogFault: Hashable, Sendable {
  /// The part of the log that is at fault.
  public enum Part: String, CaseIterable, Sendable {
    /// A record's bytes, checksum or format, or a position that is missing.
    case record
    /// A name's row, number or kind.
    case name
    /// An event's personal data does not fit the record's commitment.
    case personal
    /// Something encrypted cannot be decrypted, although it was not erased: its key is missing.
    case key
    /// A key that an erasure destroyed exists: the key file is a copy from before the erasure.
    case erasedKey
    /// The key file is damaged or cannot be read, so nothing that is encrypted was compared.
    case keyFile
    /// A node of the tree does not fit the records below it.
    case tree
    /// LMDB cannot read a table any further, or the log has a table that does not belong to it.
    case table
    /// A row of the ledger's identity does not have its checksum, or is unknown.
    case meta
    /// The list of what was erased contradicts the erasures, or something has no key although no
    /// erasure covers it.
    case erasure
    /// The log is behind the root that was kept beside it, or has another root at its position.
    case root
  }

  public let part: Part
  /// The position of the event that it is about, if there is one.
  public let position: UInt64?
  /// The number of the name that it is about, if there is one.
  public let number: NameNumber?
  /// What is wrong.
  public let message: String

  init(
    _ part: Part, position: UInt64? = nil, number: NameNumber? = nil, _ message: String
  ) {
    self.part = part
    self.position = position
    self.number = number
    self.message = message
  }
}

/// The result of verifying a log.
public struct LogVerification: Sendable {
  /// The number of events up to the last one that was verified. If verification began after a
  /// position, this includes the events up to there.
  public let events: UInt64
  /// The root of the tree over these events, as the records give it.
  public let root: TreeHash
  /// What is wrong, at most ``faultsMax`` faults. It is empty if the log is intact.
  public let faults: [LogFault]

  /// The number of names and texts of people whose keys are missing although they were not erased.
  public let keysMissing: Int

  /// The position of an erasure that is in progress or was interrupted: keys that it destroys may
  /// still be in the key file. `nil` if there is none. The next process that opens the ledger to
  /// write completes it.
  public let unfinishedErasure: UInt64?

  /// The maximum number of faults that are listed. A log with more of them needs its backup, not a
  /// longer list.
  public static let faultsMax = 1_000
}
