extension Instant {
  /// The store time that is believed: this time, as an event states it, or the ledger's own where
  /// the stated time runs more than 24 hours ahead of it (`events.md`, *The order of things*).
  public func believed(recordedAt: Instant) -> Instant {
    Instant(
      microseconds: Instant.believed(microseconds, recordedAt: recordedAt.microseconds))
  }

  /// The same of times in microseconds.
  public static func believed(_ stated: Int64, recordedAt: Int64) -> Int64 {
    stated > recordedAt + clockAheadMax ? recordedAt : stated
  }

  /// How far ahead of the ledger's clock a store time is believed, in microseconds.
  private static let clockAheadMax = 24 * Instant.hour
}

extension RecordView {
  /// The store time of the event that is believed.
  package var believedAt: Instant { occurredAt.believed(recordedAt: recordedAt) }
}
