extension Instant {
  /// Returns the store time to use: this time, as stated by an event, or the ledger's time if the
  /// stated time is more than 24 hours ahead of it (`events.md`, *The order of events*).
  public func believed(recordedAt: Instant) -> Instant {
    Instant(
      microseconds: Instant.believed(microseconds, recordedAt: recordedAt.microseconds))
  }

  /// Returns the store time to use, for times in microseconds.
  public static func believed(_ stated: Int64, recordedAt: Int64) -> Int64 {
    stated > recordedAt + clockAheadMax ? recordedAt : stated
  }

  /// How far ahead of the ledger's clock a store time may be, in microseconds.
  private static let clockAheadMax = 24 * Instant.hour
}

extension RecordView {
  /// The store time that the fold uses for this event.
  package var believedAt: Instant { occurredAt.believed(recordedAt: recordedAt) }
}
