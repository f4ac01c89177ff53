public import LedgerEvents

extension RecordedEvent {
  /// Events as a ledger would hold them after they were appended in this order, each id once. The
  /// ledger's clock showed `recordedAt` if it is stated, otherwise `occurredAt`.
  ///
  /// - Complexity: O(*n*).
  public static func held(_ events: [Event], recordedAt: [Instant?] = []) -> [RecordedEvent] {
    var known: Set<Name> = []
    var held: [RecordedEvent] = []
    for (index, event) in events.enumerated() where known.insert(event.id).inserted {
      let clock = index < recordedAt.count ? recordedAt[index] : nil
      held.append(
        RecordedEvent(
          position: UInt64(held.count + 1), recordedAt: clock ?? event.occurredAt, event: event))
    }
    return held
  }
}
