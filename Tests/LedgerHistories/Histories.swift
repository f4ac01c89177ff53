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

  /// Events over many accounts with names of their own, of every type; accounts meet seldom.
  ///
  /// - Complexity: O(*n* log *n*) in `count`; an event takes about half a kilobyte of memory.
  public static func sparse(seed: UInt64, count: Int, accounts: Int) -> [RecordedEvent] {
    var history = SparseHistory(seed: seed, accounts: accounts)
    return history.events(count: count)
  }

  /// Customers as they are: launches, purchases, downloads with some twenty reports of progress,
  /// installs, renewals, refunds, restores; in order of store time, which `recordedAt` follows.
  ///
  /// - Complexity: O(*n* log *n*) in `count`.
  public static func realistic(seed: UInt64, count: Int) -> [RecordedEvent] {
    var history = RealisticHistory(seed: seed)
    return history.events(count: count)
  }
}
