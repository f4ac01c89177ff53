import LedgerEvents

/// An event before it has an id and a position.
struct Draft {
  var kind: EventKind
  var event: Event
  /// The ledger's clock, if it differs from the event's time.
  var recordedAt: Instant?
}

extension EventKind {
  /// The types that histories draw. The maker changes some content activations to changes of
  /// hosting.
  static let drawn = allCases.filter { $0 != .unknown && $0 != .contentHostingChanged }
}

/// Makes single random events of any type from a pool of names. They are valid and use every field.
struct EventMaker {
  var random: SeededRandom
  var pool: NamePool
  /// The time of the next event, in microseconds.
  var now: Int64
  /// The newest `sequence` that was assigned.
  var sequence: Int64 = 0
  var environments: [StoreEnvironment?] = [nil]

  init(random: SeededRandom, pool: NamePool, start: Int64) {
    self.random = random
    self.pool = pool
    now = start
  }

  mutating func maybe(_ numerator: Int, in denominator: Int) -> Bool {
    random.chance(numerator, in: denominator)
  }

  /// Advances the clock: usually by a little, often by exactly a rule's threshold.
  mutating func advance() {
    let steps: [Int64] = [
      0, 0, 1, 1_000, 5_000, Instant.second, 60 * Instant.second, 1_800 * Instant.second,
      Instant.hour, Instant.hour + 1, 12 * Instant.hour, Instant.day, Instant.day + 1,
      3 * Instant.day, 30 * Instant.day,
    ]
    now += random.one(of: steps)
  }

  /// Returns an event of `kind` at the present time.
  mutating func draft(_ kind: EventKind) -> Draft {
    var event = Event(id: "", type: EventType(kind), occurredAt: Instant(microseconds: now))
    common(&event)
    names(&event, kind)
    event.data = data(for: kind, &event)
    let made = Self.turnedToHosting(event) ? EventKind.contentHostingChanged : kind
    if made != kind {
      event.type = EventType(made)
      event.data.members.append(
        EventData.Member(name: "hosting", json: Array(#""readyToSubmit""#.utf8)))
    }
    return Draft(kind: made, event: event, recordedAt: ledgerClock())
  }

  /// Whether an activation is changed to a change of hosting; half of them are. Neither type
  /// changes an answer, so the histories of a seed keep theirs.
  private static func turnedToHosting(_ event: Event) -> Bool {
    event.type.kind == .contentActivated && event.account == nil
  }

  /// Returns an event of a type that no version knows.
  mutating func unknown() -> Draft {
    var event = Event(
      id: "", type: EventType(text: "future.thing"), occurredAt: Instant(microseconds: now))
    common(&event)
    event.account = maybe(1, in: 3) ? random.one(of: pool.accounts) : nil
    if maybe(1, in: 3) { event.payment = random.one(of: pool.payments) }
    if maybe(1, in: 2) { event.transaction = random.one(of: pool.transactions) }
    if maybe(1, in: 2) { event.environment = .sandbox }
    var text = DataText()
    text.set("signedAt", raw: "[1, 2.50]")
    event.data = text.data
    return Draft(kind: .unknown, event: event, recordedAt: ledgerClock())
  }

  private mutating func ledgerClock() -> Instant? {
    guard maybe(1, in: 20) else { return nil }
    let offsets: [Int64] = [
      Instant.second, Instant.hour, -Instant.hour, -Instant.day, -Instant.day - 1,
      -2 * Instant.day, 30 * Instant.day,
    ]
    return Instant(microseconds: now + random.one(of: offsets))
  }

  private mutating func common(_ event: inout Event) {
    event.app = random.one(of: pool.apps)
    event.environment = random.one(of: environments)
    event.device = random.one(of: pool.devices)
    event.session = random.one(of: pool.sessions)
    if maybe(1, in: 4) {
      sequence = maybe(1, in: 8) ? Int64(random.below(4)) : sequence + 1
      event.sequence = sequence
    }
  }

  private mutating func names(_ event: inout Event, _ kind: EventKind) {
    let subject = kind.text.prefix { $0 != "." }
    let sources: [EventSource] = [
      EventSource(.app), EventSource(.storekit1), EventSource(.storekit2), EventSource(.simulator),
      EventSource(text: "partner"),
    ]
    let stores: [EventSource] = [
      EventSource(.notification), EventSource(.server), EventSource(.receipt),
    ]
    let isOfStore =
      subject == "subscription" || kind == .transactionRefunded || kind == .transactionRevoked
      || kind == .transactionRefundReversed
    if maybe(2, in: 3) {
      event.source = random.one(of: maybe(isOfStore ? 3 : 1, in: 6) ? stores : sources)
    }
    switch subject {
    case "transaction", "purchase", "subscription", "download":
      event.transaction = random.one(of: pool.transactions)
      if maybe(2, in: 5) { event.originalTransaction = random.one(of: pool.originals) }
      if maybe(1, in: 4) { event.account = random.one(of: pool.accounts) }
      if maybe(1, in: 8) { event.payment = random.one(of: pool.payments) }
      if subject == "transaction", maybe(1, in: 4) { event.product = random.one(of: pool.products) }
      if subject == "download" { event.download = random.one(of: pool.downloads) }
    case "receipt":
      if maybe(3, in: 4) { event.transaction = random.one(of: pool.transactions) }
      if maybe(1, in: 3) { event.account = random.one(of: pool.accounts) }
    case "payment":
      event.product = random.one(of: pool.products)
      if maybe(1, in: 2) { event.payment = random.one(of: pool.payments) }
      if maybe(1, in: 3) { event.account = random.one(of: pool.accounts) }
    case "content":
      event.product = random.one(of: pool.products)
      if maybe(2, in: 3) {
        event.transaction = random.one(of: pool.transactions)
        if maybe(3, in: 4) { event.download = random.one(of: pool.downloads) }
      }
      if maybe(1, in: 2) { event.account = random.one(of: pool.accounts) }
    default:
      event.account = maybe(1, in: 2) ? random.one(of: pool.accounts) : nil
    }
    narrow(&event, kind)
  }

  /// Adds or removes fields for types with special requirements.
  private mutating func narrow(_ event: inout Event, _ kind: EventKind) {
    switch kind {
    case .transactionPurchasing, .transactionDeferred, .transactionFailed, .transactionFinished,
      .transactionRemoved:
      if maybe(1, in: 5) {
        event.payment = random.one(of: pool.payments)
        event.transaction = nil
      }
    case .transactionPurchased, .transactionRestored, .subscriptionRenewed:
      event.product = random.one(of: pool.products)
    case .subscriptionExpired, .subscriptionGracePeriodEntered, .subscriptionBillingFailed,
      .subscriptionBillingRecovered, .subscriptionRenewalExtended, .subscriptionAutoRenewChanged,
      .subscriptionPlanChanged, .subscriptionPriceIncreased, .subscriptionOfferRedeemed:
      if maybe(2, in: 5) {
        event.originalTransaction = random.one(of: pool.originals)
        event.transaction = nil
        if maybe(3, in: 4) { event.payment = nil }
      }
    case .transactionAssigned, .accountLinked, .accountTransferred, .accountErased,
      .consumableConsumed, .entitlementGranted, .entitlementWithdrawn:
      event.account = random.one(of: pool.accounts)
      if kind == .consumableConsumed, maybe(1, in: 4) {
        event.transaction = random.one(of: pool.transactions)
      }
      if kind == .accountLinked || kind == .accountTransferred || kind == .accountErased {
        event.device = nil
        event.session = nil
      }
    case .contentPurged:
      event.product = nil
      event.transaction = nil
      event.download = nil
    case .receiptSubmitted, .receiptAccepted, .receiptRejected:
      if maybe(1, in: 2) { event.transaction = random.one(of: pool.transactions) }
    default: break
    }
  }
}
