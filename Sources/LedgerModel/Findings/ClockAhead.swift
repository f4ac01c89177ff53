/// `clock-ahead` (info): the stated `occurredAt` is more than 24 hours after `recordedAt`, which is
/// then used instead. Once per event.
enum ClockAhead {
  static func breaks(_ fact: Fact) -> Bool {
    fact.occurredAt != fact.statedOccurredAt
  }
}
