public import LedgerEvents

/// Seeded random histories: the same seed gives the same events on every machine.
public enum Histories {
  /// A short history in which few names meet often: every type, all environments, clocks ahead,
  /// late arrivals, and scenes for rules that chance seldom brings about.
  ///
  /// - Parameter count: about how many events; a scene that has begun is told to its end.
  public static func dense(seed: UInt64, count: Int = 60) -> [RecordedEvent] {
    var history = DenseHistory(seed: seed)
    return history.events(count: count)
  }
}
