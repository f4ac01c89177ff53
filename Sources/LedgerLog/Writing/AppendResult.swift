/// The outcome of an append for one event.
public enum AppendOutcome: Hashable, Sendable {
  /// It was appended at this position, durably.
  case appended(UInt64)
  /// It was not appended, because an event with its id and content is already at this position.
  /// That event may be an earlier one of the same batch.
  case duplicate(UInt64)

  /// The position of the event.
  public var position: UInt64 {
    switch self {
    case .appended(let position), .duplicate(let position): position
    }
  }
}

/// The result of appending a batch. Everything in the batch is durable.
public struct AppendResult: Sendable {
  /// The outcome for each event of the batch, in order.
  public let outcomes: [AppendOutcome]
  /// The number of appended events of an unknown type.
  public let unknownTypes: Int

  /// The number of events that were appended.
  public var appendedCount: Int {
    outcomes.count { if case .appended = $0 { true } else { false } }
  }

  /// The positions of the appended events, which are consecutive; `nil` if there are none.
  public var positions: ClosedRange<UInt64>? {
    var range: ClosedRange<UInt64>?
    for case .appended(let position) in outcomes {
      range = (range?.lowerBound ?? position)...position
    }
    return range
  }
}

/// Options for appending a batch.
public struct AppendOptions: Sendable {
  /// The condition to check in the transaction that writes the batch.
  public var condition: AppendCondition?
  /// Whether to use `EventInput.recordedAt`, if it is stated, instead of the ledger's clock. This
  /// is for tests and for copying one ledger into another.
  public var trustsRecordedAt: Bool
  /// Whether to check that each event follows the rules of the format. Turn this off for events
  /// from `EventDecoder`, which has checked them.
  public var validates: Bool

  public init(
    condition: AppendCondition? = nil, trustsRecordedAt: Bool = false, validates: Bool = true
  ) {
    self.condition = condition
    self.trustsRecordedAt = trustsRecordedAt
    self.validates = validates
  }
}

/// The maximum number of events in one batch, which must fit into one commit.
public let batchEventsMax = 100_000

/// The maximum size in bytes of the records and personal data of one batch.
///
/// LMDB commits at most 131,071 pages of 4 KiB at once.
public let batchBytesMax = 128 << 20
