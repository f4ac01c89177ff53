public import LedgerEvents

extension [RecordedEvent] {
  /// The same events, a good half of them from the absent device, so that units share its state.
  public func mostlyWithoutDevices(_ random: inout SeededRandom) -> [RecordedEvent] {
    map { recorded in
      var recorded = recorded
      if random.below(5) < 3 { recorded.event.device = nil }
      return recorded
    }
  }
}

extension RecordedEvent {
  /// What a ledger holds after appending `arrivals` in their order: an id that comes again is
  /// acknowledged with its first position and takes none of its own. Where an event states
  /// `recordedAt` the ledger's clock stood there, else at its `occurredAt`.
  public static func appended(_ arrivals: [EventInput]) -> [RecordedEvent] {
    var known: Set<Name> = []
    var events: [RecordedEvent] = []
    for arrival in arrivals where known.insert(arrival.event.id).inserted {
      events.append(
        RecordedEvent(
          position: UInt64(events.count + 1),
          recordedAt: arrival.recordedAt ?? arrival.event.occurredAt, event: arrival.event))
    }
    return events
  }

  /// The same events, each with its own `recordedAt`, as they stand after arriving in this order.
  public static func renumbered(_ events: [RecordedEvent]) -> [RecordedEvent] {
    events.enumerated().map { offset, recorded in
      RecordedEvent(
        position: UInt64(offset + 1), recordedAt: recorded.recordedAt, event: recorded.event)
    }
  }

  /// The same events arriving in an order drawn from `seed`.
  public static func shuffled(_ events: [RecordedEvent], seed: UInt64) -> [RecordedEvent] {
    var random = SeededRandom(seed: seed)
    return renumbered(random.shuffled(events))
  }

  /// The same events arriving newest first, as stores hand out their histories.
  public static func newestFirst(_ events: [RecordedEvent]) -> [RecordedEvent] {
    renumbered(
      events.sorted {
        ($1.event.occurredAt, $1.position) < ($0.event.occurredAt, $0.position)
      })
  }
}
