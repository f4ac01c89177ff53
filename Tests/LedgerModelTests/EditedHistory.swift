import LedgerEvents
import LedgerHistories

/// A random history with edits that its maker would not make: exchanged names, removed fields,
/// fields where they are unusual, times moved together, and another history mixed in.
///
/// Each history has only a few kinds of edits, so that rare ones meet common ones.
struct EditedHistory {
  private var random: SeededRandom
  private let sorts: UInt64
  private let names: Names
  private let data: [EventKind: [EventData]]
  private let allData: [EventData]

  /// The names in the events, each as often as it occurs.
  private struct Names {
    var accounts: [Name?]
    var devices: [Name?]
    var sessions: [Name?]
    var payments: [Name?]
    var products: [Name?]
    var transactions: [Name?]
    var downloads: [Name?]

    init(_ events: [Event]) {
      accounts = events.map(\.account)
      devices = events.map(\.device)
      sessions = events.map(\.session)
      payments = events.map(\.payment)
      products = events.map(\.product)
      transactions = events.map(\.transaction) + events.map(\.originalTransaction)
      downloads = events.map(\.download)
    }
  }

  /// Returns the edited history of a seed.
  static func events(seed: UInt64, count: Int = 60) -> [RecordedEvent] {
    var events = Histories.dense(seed: seed, count: count)
    var random = SeededRandom(seed: ~seed)
    if random.chance(1, in: 2) {
      events += reported(Histories.dense(seed: ~seed, count: count), among: events)
    }
    if random.chance(1, in: 2) { events.removeAll { _ in random.chance(1, in: 5) } }
    if random.chance(1, in: 3) { events = events.map { hurried($0, since: events[0]) } }
    var history = EditedHistory(events.map(\.event), random)
    return RecordedEvent.renumbered(events.map { history.edited($0) })
  }

  private init(_ events: [Event], _ random: SeededRandom) {
    names = Names(events)
    allData = events.map(\.data)
    data = Dictionary(grouping: events, by: \.type.kind).mapValues { $0.map(\.data) }
    self.random = random
    sorts = self.random.next()
  }

  /// Returns the events with another history mixed in, which begins at the same time.
  private static func reported(
    _ others: [RecordedEvent], among events: [RecordedEvent]
  ) -> [RecordedEvent] {
    let shift =
      events[0].event.occurredAt.microseconds - others[0].event.occurredAt.microseconds
    return others.map { other in
      var moved = moved(other, by: shift)
      moved.event.id = Name("o" + other.event.id.text)
      return moved
    }
  }

  private static func moved(_ recorded: RecordedEvent, by shift: Int64) -> RecordedEvent {
    var event = recorded.event
    event.occurredAt = Instant(microseconds: event.occurredAt.microseconds + shift)
    return RecordedEvent(
      position: recorded.position,
      recordedAt: Instant(microseconds: recorded.recordedAt.microseconds + shift), event: event)
  }

  /// Compresses a thousand seconds into a millisecond, so that many events occur at the same
  /// instant.
  private static func hurried(_ recorded: RecordedEvent, since first: RecordedEvent)
    -> RecordedEvent
  {
    let start = first.event.occurredAt.microseconds
    let since = recorded.event.occurredAt.microseconds - start
    return moved(recorded, by: since / (1_000 * Instant.second) * 1_000 - since)
  }

  /// Returns an event after its edits, or the original one if they would make it invalid.
  private mutating func edited(_ recorded: RecordedEvent) -> RecordedEvent {
    var event = recorded.event
    exchangeNames(&event)
    exchangeOthers(&event)
    keepReadable(&event)
    do { try event.validate() } catch { return recorded }
    let edited = RecordedEvent(
      position: recorded.position, recordedAt: recorded.recordedAt, event: event)
    guard does(12, 1, in: 6) else { return edited }
    return Self.moved(edited, by: Int64(random.below(5) - 2) * Instant.hour)
  }

  /// Returns whether the history has this kind of edit, and whether to apply it here.
  private mutating func does(_ sort: UInt64, _ numerator: Int, in denominator: Int) -> Bool {
    sorts >> sort & 1 == 1 && random.chance(numerator, in: denominator)
  }

  private mutating func exchangeNames(_ event: inout Event) {
    if does(0, 1, in: 6) { event.device = random.one(of: names.devices) }
    if does(1, 1, in: 4) { event.device = nil }
    if does(2, 1, in: 4) { event.account = random.one(of: names.accounts) }
    if does(3, 1, in: 5) { event.transaction = random.one(of: names.transactions) }
    if does(4, 1, in: 6) { event.payment = random.one(of: names.payments) }
    if does(5, 1, in: 5) { event.product = random.one(of: names.products) }
    if does(6, 1, in: 6) { event.originalTransaction = random.one(of: names.transactions) }
    if does(7, 1, in: 5) { event.session = random.one(of: names.sessions) }
    if does(8, 1, in: 3) { event.download = random.one(of: names.downloads) }
  }

  private mutating func exchangeOthers(_ event: inout Event) {
    let environments: [StoreEnvironment?] = [nil, nil, .production, .sandbox]
    let sources = [
      nil, EventSource(.app), EventSource(.server), EventSource(.notification),
      EventSource(.receipt), EventSource(.operator), EventSource(text: "partner"),
    ]
    if does(9, 1, in: 5) { event.environment = random.one(of: environments) }
    if does(10, 1, in: 6) { event.source = random.one(of: sources) }
    if does(11, 1, in: 4) { event.sequence = Int64(random.below(6)) }
    if does(13, 1, in: 3), let others = data[event.type.kind] {
      event.data = random.one(of: others)
    }
    if does(14, 1, in: 2) {
      let members = random.one(of: allData).members
      event.data.members += members.filter { event.data[$0.name] == nil }
    }
  }

  /// Removes what the model reads differently from the text (`model.md`, *A known limit*): a
  /// transaction or a payment in events of the absent device that are not about transactions.
  private func keepReadable(_ event: inout Event) {
    guard event.device == nil else { return }
    switch event.type.kind {
    case .sessionStarted, .restoreRequested, .restoreCompleted, .restoreFailed, .paymentsChecked,
      .contentPurged:
      event.transaction = nil
      event.payment = nil
    default: break
    }
  }
}
