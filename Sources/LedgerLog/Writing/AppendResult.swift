/// What became of one event of an append.
public enum AppendOutcome: Hashable, Sendable {
  /// It stands at this position, durably.
  case appended(UInt64)
  /// An event with its id and content stood at this position already.
  case duplicate(UInt64)

  /// Where the event stands.
  public var position: UInt64 {
    switch self {
    case .appended(let position), .duplicate(let position): position
    }
  }
}

/// The answer to a batch: everything in it is durable.
public struct AppendResult: Sendable {
  /// One for each event of the batch, in its order.
  public let outcomes: [AppendOutcome]
  /// How many of the appended events have a type that the vocabulary does not know.
  public let unknownTypes: Int

  /// How many events were appended.
  public var appendedCount: Int {
    outcomes.count { if case .appended = $0 { true } else { false } }
  }

  /// The positions that were appended: the batch's events stand next to one another.
  public var positions: ClosedRange<UInt64>? {
    var range: ClosedRange<UInt64>?
    for case .appended(let position) in outcomes {
      range = (range?.lowerBound ?? position)...position
    }
    return range
  }
}

/// How an append goes about its batch.
public struct AppendOptions: Sendable {
  /// Checked in the transaction that writes the batch.
  public var condition: AppendCondition?
  /// Takes `EventInput.recordedAt` for the ledger's clock where it stands: for tests and for
  /// copying one ledger into another.
  public var trustsRecordedAt: Bool
  /// Checks each event by the rules of the format; turn off for what `EventDecoder` has read.
  public var validates: Bool

  public init(
    condition: AppendCondition? = nil, trustsRecordedAt: Bool = false, validates: Bool = true
  ) {
    self.condition = condition
    self.trustsRecordedAt = trustsRecordedAt
    self.validates = validates
  }
}

/// The most events that one batch may have: one commit has to hold them all.
public let batchEventsMax = 100_000

/// The most bytes that the records and personal data of one batch may take.
///
/// LMDB commits at most 131,071 pages of 4 KiB at once.
public let batchBytesMax = 128 << 20
