import ArgumentParser
import LedgerEvents
import LedgerStore

/// When something happened that a command records.
struct StoreClockOptions: ParsableArguments {
  @Option(
    name: .customLong("occurred-at"),
    help: ArgumentHelp(
      "When it happened, if it is recorded later (default: now).", valueName: "time"),
    transform: Parse.instant)
  var occurredAt: Instant?

  var clock: @Sendable () -> Instant {
    guard let occurredAt else { return EventLog.systemClock }
    return { occurredAt }
  }
}
