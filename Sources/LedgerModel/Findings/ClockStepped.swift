/// `clock-stepped` (info): an event states a `sequence` lower than one stated by another of the
/// same device and stated session with an earlier `occurredAt`. Once per session.
enum ClockStepped {
  static func breaks(_ sequence: Int64, _ session: SessionClock) -> Bool {
    !session.isFound && sequence < session.highestBefore
  }
}
