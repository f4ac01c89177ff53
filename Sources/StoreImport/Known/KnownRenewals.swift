import LedgerEvents

/// The renewal states of one chain that a ledger already has.
struct KnownRenewals {
  let states: [KnownPurchases.RenewalState]

  /// The events that determine a customer's entitlement after the end of a period.
  static let billing: Set<EventKind> = [
    .subscriptionBillingFailed, .subscriptionGracePeriodEntered, .subscriptionBillingRecovered,
    .subscriptionExpired,
  ]

  /// The events that keep a subscription from being over when its period ends.
  private static let interruptions: Set<EventKind> = [
    .subscriptionBillingFailed, .subscriptionGracePeriodEntered,
  ]

  /// Returns the last event in the fold order among those of some kinds up to a time.
  func newest(of kinds: Set<EventKind>, upTo time: Instant) -> Event? {
    states.lazy.map(\.event)
      .filter { kinds.contains($0.type.kind) && $0.occurredAt <= time }
      .max { Self.recency($0) < Self.recency($1) }
  }

  private static func recency(_ event: Event) -> (Instant, Int64, Name) {
    (event.occurredAt, event.sequence ?? 0, event.id)
  }

  /// Returns whether there is a grace period or a billing failure at or after the end of a period.
  ///
  /// - Parameter period: The transaction of the period. The store begins to bill its renewal up to
  ///   24 hours before it ends
  ///   (https://developer.apple.com/documentation/storekit/reducing-involuntary-subscriber-churn),
  ///   and may say before the end that it failed.
  func isInterrupted(after end: Instant, of period: Name? = nil) -> Bool {
    states.contains { state in
      guard Self.interruptions.contains(state.event.type.kind) else { return false }
      let isSigned = state.event.data.instant("signedAt") != nil
      return state.event.occurredAt >= end
        || period != nil && state.event.transaction == period && isSigned
    }
  }

  /// Returns whether an end is known with the date of the end, and also when the store said it. A
  /// failure that the store stated before the end then belongs between the two.
  func isDatedByItself(_ end: Instant) -> Bool {
    let lapses = states.filter {
      $0.event.type.kind == .subscriptionExpired && $0.event.data.instant("expiresAt") == end
    }
    return lapses.contains { $0.event.occurredAt == end }
      && lapses.contains { max($0.event.occurredAt, $0.saidAt) > end }
  }

  /// Returns a known end of the period that the store stated after a failure, but that comes before
  /// it in the fold order. It has to be recorded again, at the time when the store stated it.
  /// Returns nil if there is none, or if it has already been recorded again.
  func lapse(at end: Instant, hiddenBy failure: Failure) -> KnownPurchases.RenewalState? {
    let lapses = states.filter {
      $0.event.type.kind == .subscriptionExpired && $0.event.data.instant("expiresAt") == end
    }
    if lapses.contains(where: { Failure($0.event) >= failure }) { return nil }
    return lapses.filter { $0.saidAt > failure.time }.min { $0.saidAt < $1.saidAt }
  }

  /// Where a failed renewal stands in the fold order.
  struct Failure: Comparable {
    /// The `sequence` of a failure that is dated by the end of its period: after an end of that
    /// moment, which has none, whichever of the two is imported first.
    static let afterEnd: Int64 = 1

    let time: Instant
    let sequence: Int64

    init(at time: Instant, sequence: Int64? = nil) {
      self.time = time
      self.sequence = sequence ?? 0
    }

    init(_ event: Event) { self.init(at: event.occurredAt, sequence: event.sequence) }

    static func < (left: Failure, right: Failure) -> Bool {
      (left.time, left.sequence) < (right.time, right.sequence)
    }
  }

  /// Returns whether an event adds nothing to this known one.
  static func saysTheSame(_ known: Event, _ event: Event) -> Bool {
    guard known.type == event.type, known.transaction == event.transaction else { return false }
    let instants = ["expiresAt", "gracePeriodExpiresAt"]
    let others = ["autoRenew", "toProduct", "consented", "offer"]
    return instants.allSatisfy { known.data.instant($0) == event.data.instant($0) }
      && others.allSatisfy { known.data[$0] == event.data[$0] }
  }
}
