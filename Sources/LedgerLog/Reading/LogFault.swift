public import LedgerEvents

/// Something in the log that is not as it was written.
public struct LogFault: Hashable, Sendable {
  /// What is at fault.
  public enum Part: String, CaseIterable, Sendable {
    /// A record's bytes, checksum or format, or a position that is missing.
    case record
    /// A name's row, number or kind.
    case name
    /// An event's personal data does not fit the record's commitment.
    case personal
    /// What is sealed cannot be opened, and nobody was erased: its key is gone.
    case key
    /// An erasure was to destroy a key, and it is there: the key file is a copy from before.
    case erasedKey
    /// The key file is damaged or cannot be read, so nothing that is encrypted was compared.
    case keyFile
    /// A node of the tree does not fit the records below it.
    case tree
    /// LMDB cannot read a table any further, or the log has a table that is not its own.
    case table
    /// A row of the ledger's identity does not have its checksum, or is unknown.
    case meta
    /// The list of what was erased is not what the erasures say, or something has no key that no
    /// erasure covers.
    case erasure
    /// The log is behind the root that was kept beside it, or has another one there.
    case root
  }

  public let part: Part
  /// The event that it is about, where it is about one.
  public let position: UInt64?
  /// The name that it is about, where it is about one.
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

/// What a look through the whole log has found.
public struct LogVerification: Sendable {
  /// The events that were looked at.
  public let events: UInt64
  /// The tree's root over them, as the records give it.
  public let root: TreeHash
  /// What is wrong, at most ``faultsMax`` of it; nothing in a good log.
  public let faults: [LogFault]

  /// Names and texts of people whose key is missing although nothing was erased.
  public let keysMissing: Int

  /// After so many faults no more are listed: the log needs its backup, not a longer list.
  public static let faultsMax = 1_000
}
