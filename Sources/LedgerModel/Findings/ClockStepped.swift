/// `clock-stepped` (info): an event states a lower `sequence` than another event of the same device
/// and stated session that has an earlier `occurredAt`. Once per session.
enum ClockStepped {
  static func breaks(_ sequence: Int64, _ session: SessionClock) -> Bool {
    !session.isFound && sequence < session.highestBefore
  }
}
