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

extension [RecordedEvent] {
  /// What is said about downloads and installs.
  public static let downloadKinds: [EventKind] = [
    .downloadRequested, .downloadPauseRequested, .downloadResumeRequested,
    .downloadCancelRequested, .downloadWaiting, .downloadProgressed, .downloadPaused,
    .downloadFinished, .downloadFailed, .downloadCancelled, .contentInstallStarted,
    .contentInstalled, .contentInstallFailed,
  ]

  /// The same events, and after them downloads and installs of what half of those with a
  /// transaction name: some with another account, environment or session, and at times and with ids
  /// that differ late or not at all.
  public func withDownloads(_ random: inout SeededRandom) -> [RecordedEvent] {
    var all = self
    for recorded in self where recorded.event.transaction != nil && random.chance(1, in: 2) {
      let other = random.one(of: self).event
      for count in 0..<2 + random.below(20) {
        var report = recorded
        var data = EventData.Builder()
        report.event.type = EventType(random.one(of: Self.downloadKinds))
        switch report.event.type.kind {
        case .contentInstallStarted, .contentInstalled, .contentInstallFailed:
          data.set("contentVersion", "1.0")
          report.event.product = report.event.product ?? "map"
        default: data.set("progress", number: "0.\(10 + count)")
        }
        report.event.id = Name("reported-\(random.next())")
        report.event.data = data.build()
        report.event.download = "content"
        if random.chance(1, in: 8) { report.event.account = other.account }
        if random.chance(1, in: 8) { report.event.environment = other.environment }
        if random.chance(1, in: 8) { report.event.session = other.session }
        report.event.sequence = nil
        report.event.occurredAt = Instant(
          microseconds: recorded.event.occurredAt.microseconds
            + Int64(random.below(5) - 2) * random.one(of: [0, 1, 3_600_000_000]))
        all.append(report)
      }
    }
    return all
  }
}

extension RecordedEvent {
  /// Returns the events that a ledger has after appending `arrivals` in order. An id that occurs
  /// again is acknowledged with its first position and gets no position of its own. The ledger's
  /// clock shows an event's `recordedAt` if it states one, else its `occurredAt`.
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

  /// Returns the same events, each with its own `recordedAt`, numbered in this order.
  public static func renumbered(_ events: [RecordedEvent]) -> [RecordedEvent] {
    events.enumerated().map { offset, recorded in
      RecordedEvent(
        position: UInt64(offset + 1), recordedAt: recorded.recordedAt, event: recorded.event)
    }
  }

  /// Returns the same events arriving in an order that depends on `seed`.
  public static func shuffled(_ events: [RecordedEvent], seed: UInt64) -> [RecordedEvent] {
    var random = SeededRandom(seed: seed)
    return renumbered(random.shuffled(events))
  }

  /// Returns the same events arriving by store time, but for a third of them, which arrive up to
  /// `delayMax` events later.
  public static func someLate(
    _ events: [RecordedEvent], delayMax: Int, _ random: inout SeededRandom
  ) -> [RecordedEvent] {
    let sorted = events.sorted {
      ($0.event.occurredAt, $0.position) < ($1.event.occurredAt, $1.position)
    }
    let arrivals = sorted.indices.map { index in
      (random.chance(1, in: 3) ? index + random.below(delayMax) : index, index)
    }
    return renumbered(arrivals.sorted { $0 < $1 }.map { sorted[$0.1] })
  }

  /// Returns the same events arriving newest first, the order in which stores return histories.
  public static func newestFirst(_ events: [RecordedEvent]) -> [RecordedEvent] {
    renumbered(
      events.sorted {
        ($1.event.occurredAt, $1.position) < ($0.event.occurredAt, $0.position)
      })
  }
}
