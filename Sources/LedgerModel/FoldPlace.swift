public import LedgerEvents

/// The place of an event in the fold order, with everything that decides it. It is for events what
/// `FoldKey` is for facts (`events.md`, *The order of events*).
public struct FoldPlace: Hashable, Sendable {
  /// Believed `occurredAt`.
  public var time: Instant
  /// 0 if the event states none.
  public var sequence: Int64
  public var id: Name
  public var position: UInt64

  public init(_ recorded: RecordedEvent) {
    time = Fact.believed(recorded.event.occurredAt, recordedAt: recorded.recordedAt)
    sequence = recorded.event.sequence ?? 0
    id = recorded.event.id
    position = recorded.position
  }
}

extension FoldPlace: Comparable {
  public static func < (left: FoldPlace, right: FoldPlace) -> Bool {
    if left.time != right.time { return left.time < right.time }
    if left.sequence != right.sequence { return left.sequence < right.sequence }
    return left.id < right.id
  }
}
