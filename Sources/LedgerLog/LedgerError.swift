public import LMDB

/// An error of a ledger, and what to do about it.
///
/// Two errors are equal if their codes are. The message is for people; programs look at ``code``.
public struct LedgerError: Error, Sendable {
  /// The kind of a failure.
  public enum Code: Sendable, Hashable {
    /// There is no ledger at the path.
    case noLedger
    /// There is already a ledger, or something else, at the path where one was to be created.
    case exists
    /// The folder cannot be created, for example because its parent is missing or not writable.
    case cannotCreate
    /// The ledger was written in a format that this version does not know.
    case unknownFormat
    /// An event's id is already in the ledger, or in the same batch, with other content.
    case conflict
    /// The condition of an append does not hold, for example because of an unexpected event in the
    /// log.
    case conditionFailed
    /// A required consumption exceeds the customer's balance.
    case notCovered
    /// An event breaks a rule of the format.
    case invalidEvent
    /// A batch has more events or bytes than fit into one commit.
    case batchTooLarge
    /// The ledger contains as many events or names as it can.
    case limitReached
    /// The operation has to wait for another one: try again.
    case busy
    /// The projections are missing or too far behind: rebuild them, then try again.
    case rebuildNeeded
    /// The disk or the map is full; nothing was written.
    case full
    /// The operating system failed.
    case io
    /// A commit failed, and its outcome is unknown: open the ledger again and look.
    case outcomeUnknown
    /// The data that was read differs from what was written.
    case corrupt
    /// The file with the keys of personal texts is missing.
    case keysMissing
    /// The ledger was opened for reading, or its files may not be written.
    case readOnly
    /// The ledger was closed, or is being used in a forked child.
    case closed
    /// The ledger does not contain the requested position or number.
    case notFound
  }

  /// The kind of failure.
  public let code: Code

  /// What happened and what to do, in one or two sentences.
  public let message: String

  /// The index of the event in the caller's batch that caused it.
  public let index: Int?

  /// The position of the event in the log that it is about.
  public let position: UInt64?

  /// The underlying error, if there is one.
  public let cause: (any Error)?

  public init(
    _ code: Code, _ message: String, index: Int? = nil, position: UInt64? = nil,
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.index = index
    self.position = position
    self.cause = cause
  }

  /// Returns an error for a record, name or node that differs from what was written.
  package static func corrupt(_ what: String, cause: (any Error)? = nil) -> LedgerError {
    LedgerError(
      .corrupt, "\(what). Run `daybook verify`, then restore the ledger from a backup.",
      cause: cause)
  }
}

extension LedgerError {
  /// Damage to projections. They are no longer used, and are folded again from the log.
  private struct ProjectionDamage: Error {
    let what: String
    let cause: (any Error)?
  }

  /// Returns an error for projections that differ from what was written.
  ///
  /// - Parameters:
  ///   - what: What is damaged, as the beginning of a sentence.
  ///   - cause: The underlying error, if there is one.
  /// - Returns: The error, whose code is `rebuildNeeded`.
  package static func damagedProjections(
    _ what: String, cause: (any Error)? = nil
  ) -> LedgerError {
    LedgerError(
      .rebuildNeeded,
      "\(what): run `daybook rebuild`, which folds the projections again from the log.",
      cause: ProjectionDamage(what: what, cause: cause))
  }

  /// What is damaged, if this is damage to projections.
  package var projectionDamage: String? { (cause as? ProjectionDamage)?.what }
}

extension LedgerError: Equatable {
  public static func == (left: LedgerError, right: LedgerError) -> Bool {
    left.code == right.code
  }
}

extension LedgerError: CustomStringConvertible {
  public var description: String { message }
}

extension LedgerError: LMDBFailure {
  /// Translates an error of LMDB.
  public init(_ error: LMDBError) {
    let isPage = error.code == .pageNotFound || error.code == .corrupted
    self.init(
      LedgerError.code(for: error),
      isPage ? "A page is missing or damaged: `daybook verify` says which one." : error.message,
      cause: error)
  }

  private static func code(for error: LMDBError) -> Code {
    switch error.code {
    case .mapFull, .transactionFull: .full
    case .environmentFailed, .panic: .outcomeUnknown
    case .pageNotFound, .corrupted, .truncated, .invalidFile, .outOfOrder, .keySize: .corrupt
    case .versionMismatch, .incompatible: .unknownFormat
    case .readersFull, .mapResized, .transactionsOpen, .alreadyOpen: .busy
    case .readOnly: .readOnly
    case .closed, .forked: .closed
    case .missing: .noLedger
    case .system(let number): code(forSystemError: number)
    default: .io
    }
  }

  /// The values of `errno` are the same on Linux and Darwin: EPERM is 1, ENOENT 2, EACCES 13,
  /// ENOSPC 28 and EROFS 30.
  private static func code(forSystemError number: Int32) -> Code {
    switch number {
    case 1, 13, 30: .readOnly
    case 2: .noLedger
    case 28: .full
    default: .io
    }
  }
}
