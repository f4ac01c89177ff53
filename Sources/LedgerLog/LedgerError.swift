public import LMDB

/// What a ledger refuses or fails to do, and what to do about it.
///
/// Two errors are equal when their codes are. The message is for people; programs look at
/// ``code``.
public struct LedgerError: Error, Sendable {
  /// The kind of a failure.
  public enum Code: Sendable, Hashable {
    /// There is no ledger at the path.
    case noLedger
    /// There is a ledger, or something else, where one was to be created.
    case exists
    /// There is no place where a folder is to be made, or it may not be made there.
    case cannotCreate
    /// The ledger was written in a format that this version does not know.
    case unknownFormat
    /// An event's id is in the ledger, or in the same batch, with other content.
    case conflict
    /// An event that the caller expected not to be there stands in the log.
    case conditionFailed
    /// A required consumption is more than what the customer's balance covers.
    case notCovered
    /// An event breaks a rule of the format.
    case invalidEvent
    /// A batch has more events or bytes than one commit takes.
    case batchTooLarge
    /// The ledger holds as many events or names as it can.
    case limitReached
    /// Somebody else is at work that this has to wait for: try again.
    case busy
    /// The projections are missing or too far behind: rebuild them, then try again.
    case rebuildNeeded
    /// The disk or the map is full; nothing was written.
    case full
    /// The operating system failed.
    case io
    /// A commit failed and nobody knows whether it holds: open the ledger again and look.
    case outcomeUnknown
    /// What was read is not what was written.
    case corrupt
    /// The file with the keys of personal texts is missing.
    case keysMissing
    /// The ledger was opened for reading, or its files may not be written.
    case readOnly
    /// The ledger was closed, or is used in a forked child.
    case closed
    /// A position or a number that the ledger does not hold was asked for.
    case notFound
  }

  /// Which failure it is.
  public let code: Code

  /// What happened and what to do, in one or two sentences.
  public let message: String

  /// The event of the caller's batch that caused it, counted from 0.
  public let index: Int?

  /// The event of the log that it is about.
  public let position: UInt64?

  /// What failed below, where something did.
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

  /// A record, name or node that is not as it was written.
  package static func corrupt(_ what: String, cause: (any Error)? = nil) -> LedgerError {
    LedgerError(
      .corrupt, "\(what). Run `daybook verify`, then restore the ledger from a backup.",
      cause: cause)
  }
}

extension LedgerError {
  /// Damage to projections: they are not asked any more, and folded again from the log.
  private struct ProjectionDamage: Error {
    let what: String
    let cause: (any Error)?
  }

  /// Projections that are not as they were written.
  ///
  /// - Parameters:
  ///   - what: What is damaged, as the beginning of a sentence.
  ///   - cause: What failed below, if anything did.
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
  /// Says in the ledger's words what LMDB refused.
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

  /// `errno` values are those of Linux and Darwin alike: 1 EPERM, 2 ENOENT, 13 EACCES, 28 ENOSPC,
  /// 30 EROFS.
  private static func code(forSystemError number: Int32) -> Code {
    switch number {
    case 1, 13, 30: .readOnly
    case 2: .noLedger
    case 28: .full
    default: .io
    }
  }
}
