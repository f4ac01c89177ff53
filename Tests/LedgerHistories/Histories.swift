public import LedgerEvents

/// Seeded random histories. The same seed gives the same events on every machine.
public enum Histories {
  /// Returns a short history in which a few names meet often. It has every type, all environments,
  /// clocks that are ahead, late arrivals, and scenes for rules that random events seldom break.
  ///
  /// - Parameter count: The approximate number of events. A scene that has begun is completed.
  public static func dense(seed: UInt64, count: Int = 60) -> [RecordedEvent] {
    var history = DenseHistory(seed: seed)
    return history.events(count: count)
  }

  /// Returns events of every type for many accounts with separate names. Accounts seldom meet.
  ///
  /// - Complexity: O(*n* log *n*) in `count`. An event takes about half a kilobyte of memory.
  public static func sparse(seed: UInt64, count: Int, accounts: Int) -> [RecordedEvent] {
    var history = SparseHistory(seed: seed, accounts: accounts)
    return history.events(count: count)
  }

  /// Returns the events of realistic customers: launches, purchases, downloads with about twenty
  /// progress reports, installs, renewals, refunds and restores. They are in order of store time,
  /// and `recordedAt` follows that.
  ///
  /// - Complexity: O(*n* log *n*) in `count`.
  public static func realistic(seed: UInt64, count: Int) -> [RecordedEvent] {
    var history = RealisticHistory(seed: seed)
    return history.events(count: count)
  }
}
