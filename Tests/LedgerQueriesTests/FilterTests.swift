import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import LedgerTesting
import Testing

/// One filter of `events`, derived from an event: the option and the predicate.
private struct Filter {
  let name: String
  let ask: (inout EventsQuery) -> Void
  let admits: (RecordedEvent) -> Bool
}

/// Returns all filters of `commands.md` for which a sample has a value.
private func filters(
  from sample: RecordedEvent, accountEvents: [Name: Set<UInt64>], _ random: inout SeededRandom
) -> [Filter] {
  let event = sample.event
  var found: [Filter] = []
  func add<Value: Equatable>(
    _ name: String, _ path: WritableKeyPath<EventsQuery, Value?>, _ own: KeyPath<Event, Value?>
  ) {
    guard let value = event[keyPath: own] else { return }
    found.append(
      Filter(
        name: name, ask: { $0[keyPath: path] = value },
        admits: { $0.event[keyPath: own] == value }))
  }
  add("device", \.device, \.device)
  add("app", \.app, \.app)
  add("environment", \.environment, \.environment)
  add("transaction", \.transaction, \.transaction)
  add("product", \.product, \.product)
  add("download", \.download, \.download)
  if let account = event.account, let members = accountEvents[account] {
    found.append(
      Filter(
        name: "account", ask: { $0.account = account },
        admits: { members.contains($0.position) }))
  }
  if let original = event.originalTransaction ?? event.transaction {
    found.append(
      Filter(
        name: "original", ask: { $0.original = original },
        admits: {
          $0.event.originalTransaction == original || $0.event.transaction == original
        }))
  }
  let type = event.type.text
  let subject = type.prefix { $0 != "." }
  found += [
    Filter(name: "type", ask: { $0.type = type }, admits: { $0.event.type.text == type }),
    Filter(
      name: "type.*", ask: { $0.type = subject + ".*" },
      admits: { $0.event.type.text.hasPrefix(subject + ".") }),
    Filter(
      name: "source", ask: { $0.source = event.source ?? EventSource(.app) },
      admits: { ($0.event.source?.text ?? "app") == (event.source?.text ?? "app") }),
    Filter(
      name: "since", ask: { $0.since = event.occurredAt },
      admits: { $0.event.occurredAt >= event.occurredAt }),
    Filter(
      name: "until", ask: { $0.until = event.occurredAt },
      admits: { $0.event.occurredAt < event.occurredAt }),
    Filter(
      name: "from", ask: { $0.from = sample.position }, admits: { $0.position >= sample.position }),
    Filter(
      name: "to", ask: { $0.to = sample.position }, admits: { $0.position <= sample.position }),
    Filter(
      name: "as-of", ask: { $0.clocks.asOf = .position(sample.position) },
      admits: { $0.position <= sample.position }),
  ]
  return found
}

@Suite("Filters of events") struct EventFilterTests {
  private func positions(_ folder: TemporaryLedger, _ query: EventsQuery) throws -> [UInt64] {
    try folder.ledger.read { (view) throws(LedgerError) in
      var positions: [UInt64] = []
      try view.events(query) { recorded in
        positions.append(recorded.position)
        return true
      }
      return positions
    }
  }

  @Test(
    "each one holds beside each other one, in both directions",
    arguments: 51...58 as ClosedRange<UInt64>)
  func pairs(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let events = Histories.dense(seed: seed, count: 80)
    let folder = try TemporaryLedger(halfFolded: events)
    var accountEvents: [Name: Set<UInt64>] = [:]
    for account in Set(events.compactMap(\.event.account)) {
      var query = EventsQuery()
      query.account = account
      accountEvents[account] = Set(try positions(folder, query))
    }
    for _ in 0..<2 {
      let one = filters(from: random.one(of: folder.arrived), accountEvents: accountEvents, &random)
      let two = filters(from: random.one(of: folder.arrived), accountEvents: accountEvents, &random)
      for first in one {
        // The account of an event depends on what is known; accounts as of a position are compared
        // elsewhere.
        for second in two where !(first.name == second.name) {
          let names = [first.name, second.name]
          if names.contains("account") && names.contains("as-of") { continue }
          var query = EventsQuery()
          first.ask(&query)
          second.ask(&query)
          let expected = folder.arrived.filter { first.admits($0) && second.admits($0) }
            .map(\.position)
          // A type and a pattern are the same option, so the later one applies.
          if names.contains("type") && names.contains("type.*") { continue }
          #expect(try positions(folder, query) == expected, "seed \(seed): \(names)")
          query.isReverse = true
          #expect(try positions(folder, query) == expected.reversed(), "seed \(seed): \(names)")
        }
      }
    }
  }

  @Test(
    "as of a position an account's events are those of a ledger that was stopped there",
    arguments: 61...64 as ClosedRange<UInt64>)
  func accountsAsOf(_ seed: UInt64) throws {
    let events = Histories.dense(seed: seed, count: 60)
    let folder = try TemporaryLedger(events)
    for end in stride(from: 6, through: 60, by: 9) {
      let stopped = try TemporaryLedger(Array(events[..<end]))
      for account in Set(events.compactMap(\.event.account)) {
        var query = EventsQuery()
        query.account = account
        let then = try positions(stopped, query)
        query.clocks.asOf = .position(UInt64(end))
        #expect(try positions(folder, query) == then, "seed \(seed), \(account) as of \(end)")
      }
    }
  }

  @Test(
    "for some apps an account's events are those of a ledger of these apps' events alone",
    arguments: 71...78 as ClosedRange<UInt64>)
  func accountsOfApps(_ seed: UInt64) throws {
    let apps: [Name?] = ["app1", "app2", nil]
    let history = Histories.dense(seed: seed, count: 60)
    let first = try #require(history.first)
    // Both ledgers know all environments.
    let starts = try StoreEnvironment.allCases.map { environment in
      let line =
        #"{"id":"start-\#(environment.text)","type":"session.started","app":"app1","#
        + #""occurredAt":"2020-01-01T00:00:00Z","device":"elsewhere","session":"s","#
        + #""environment":"\#(environment.text)"}"#
      return RecordedEvent(
        position: 1, recordedAt: first.recordedAt,
        event: try EventDecoder().decode(line: Array(line.utf8)).event)
    }
    let events =
      starts
      + history.enumerated().map { index, recorded in
        var recorded = recorded
        recorded.event.app = apps[index % apps.count]
        return recorded
      }
    let folder = try TemporaryLedger(halfFolded: events)
    for known in [["app1"], ["app1", "app2"]] as [Set<Name>] {
      let alone = try TemporaryLedger(
        halfFolded: events.filter { $0.event.app.map(known.contains) ?? false })
      for account in Set(events.compactMap(\.event.account)) {
        var query = EventsQuery()
        query.account = account
        let expected = try ids(alone, query)
        query.knownApps = known
        #expect(try ids(folder, query) == expected, "seed \(seed), \(account) of \(known)")
      }
    }
  }

  private func ids(_ folder: TemporaryLedger, _ query: EventsQuery) throws -> [Name] {
    try folder.ledger.read { (view) throws(LedgerError) in
      var ids: [Name] = []
      try view.events(query) { recorded in
        ids.append(recorded.event.id)
        return true
      }
      return ids
    }
  }
}

/// One filter of `findings`, derived from a finding.
private struct FindingFilter {
  let name: String
  let ask: (inout FindingsQuery) -> Void
  let admits: (FindingAnswer) -> Bool
}

@Suite("Filters of findings") struct FindingFilterTests {
  private func findings(_ folder: TemporaryLedger, _ query: FindingsQuery) throws -> [FindingAnswer]
  {
    try folder.ledger.read { (view) throws(LedgerError) in try view.findings(query) }
  }

  private func filters(from sample: FindingAnswer, about account: Name, _ own: Set<String>)
    -> [FindingFilter]
  {
    [
      FindingFilter(
        name: "environment", ask: { $0.environments = [sample.environment] },
        admits: { $0.environment == sample.environment }),
      FindingFilter(
        name: "rule", ask: { $0.rules = [sample.rule] }, admits: { $0.rule == sample.rule }),
      FindingFilter(
        name: "severity", ask: { $0.severities = [sample.severity] },
        admits: { $0.severity == sample.severity }),
      FindingFilter(
        name: "since", ask: { $0.since = sample.occurredAt },
        admits: { $0.occurredAt >= sample.occurredAt }),
      FindingFilter(
        name: "until", ask: { $0.until = sample.occurredAt },
        admits: { $0.occurredAt < sample.occurredAt }),
      FindingFilter(
        name: "account", ask: { $0.account = account }, admits: { own.contains($0.key) }),
    ]
  }

  @Test(
    "each one holds beside each other one, now and in the past",
    arguments: 71...78 as ClosedRange<UInt64>, [false, true])
  func pairs(_ seed: UInt64, isPast: Bool) throws {
    var random = SeededRandom(seed: seed)
    let folder = try TemporaryLedger(Histories.dense(seed: seed, count: 80))
    var plain = FindingsQuery()
    if isPast { plain.clocks.asOf = .position(60) }
    let all = try findings(folder, plain)
    let accounts = Set(folder.arrived.compactMap(\.event.account)).sorted()
    for _ in 0..<6 where !all.isEmpty {
      let account = random.one(of: accounts)
      var mine = plain
      mine.account = account
      let own = Set(try findings(folder, mine).map(\.key))
      let one = filters(from: random.one(of: all), about: account, own)
      let two = filters(from: random.one(of: all), about: account, own)
      for first in one {
        for second in two where first.name != second.name {
          var query = plain
          first.ask(&query)
          second.ask(&query)
          let expected = all.filter { first.admits($0) && second.admits($0) }.map(\.key)
          let found = try findings(folder, query).map(\.key)
          #expect(found == expected, "seed \(seed): \(first.name), \(second.name)")
        }
      }
    }
  }
}

@Suite("Findings of one account") struct AccountFindingTests {
  private func findings(_ folder: TemporaryLedger, _ query: FindingsQuery) throws -> [FindingAnswer]
  {
    try folder.ledger.read { (view) throws(LedgerError) in try view.findings(query) }
  }

  /// The positions of the customer's events.
  private func positions(
    of account: Name, _ clocks: Clocks, in folder: TemporaryLedger
  ) throws -> Set<UInt64> {
    try folder.ledger.read { (view) throws(LedgerError) in
      var query = EventsQuery()
      query.account = account
      query.clocks = clocks
      var positions: Set<UInt64> = []
      try view.events(query) { (recorded) throws(LedgerError) in
        positions.insert(recorded.position)
        return true
      }
      return positions
    }
  }

  @Test(
    "are those of the whole ledger that name it at its own events, and none that it does not have",
    arguments: [84, 88, 92, 96] as [UInt64], [false, true])
  func agree(_ seed: UInt64, isFolded: Bool) throws {
    let folder = try TemporaryLedger()
    let events = Histories.dense(seed: seed, count: 120)
    try folder.append(events)
    if isFolded { try folder.ledger.fold() }
    for clocks in [Clocks.now, Clocks(asOf: .position(100))] {
      var query = FindingsQuery()
      query.clocks = clocks
      let all = try findings(folder, query)
      for account in Set(events.compactMap(\.event.account)) {
        query.account = account
        let own = try findings(folder, query)
        // Other events that name it are from before an erasure, or follow a transfer.
        let events = try positions(of: account, clocks, in: folder)
        let naming = Set(
          all.filter { $0.account == account && events.contains($0.position) }.map(\.key))
        #expect(naming.subtracting(own.map(\.key)).isEmpty, "seed \(seed): \(account)")
        #expect(Set(own.map(\.key)).isSubset(of: all.map(\.key)), "seed \(seed): \(account)")
      }
    }
  }

  /// Such a restore is in no customer's unit.
  @Test(
    "tell of a restore that names no device, as the whole ledger's do", arguments: [false, true])
  func restoreWithoutDevice(isFolded: Bool) throws {
    let folder = try TemporaryLedger()
    let hour = Instant.hour
    let types: [(EventKind, Int64)] = [
      (.paymentAdded, 0), (.restoreRequested, hour), (.paymentAdded, 5 * hour),
    ]
    let events = types.enumerated().map { count, reported in
      var event = Event(
        id: Name("e\(count)"), type: EventType(reported.0),
        occurredAt: Instant(microseconds: 1_700_000_000_000_000 + reported.1))
      event.account = "A"
      if reported.0 == .paymentAdded { event.product = "p" }
      return RecordedEvent(
        position: UInt64(count + 1),
        recordedAt: Instant(microseconds: event.occurredAt.microseconds + 1), event: event)
    }
    try folder.append(events)
    if isFolded { try folder.ledger.fold() }
    for clocks in [Clocks.now, Clocks(asOf: .position(3))] {
      var query = FindingsQuery()
      query.clocks = clocks
      query.account = "A"
      query.rules = [.restoreUnanswered]
      #expect(try findings(folder, query).map(\.position) == [2])
      query.account = "B"
      #expect(try findings(folder, query).isEmpty)
    }
  }
}

extension FindingAnswer {
  fileprivate var key: String {
    "\(position) \(rule.id) \(environment.text) \(transaction?.text ?? "-") "
      + "\(download?.text ?? "-") \(device?.text ?? "-") \(detail?.text ?? "-")"
  }
}
