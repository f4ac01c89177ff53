import LedgerEvents

/// One dense random history: few names, every type of the vocabulary, and sometimes a scene for a
/// rule, with random events before, during and after it.
struct DenseHistory {
  private var maker: EventMaker
  private var drafts: [Draft] = []
  private var weights: [(kind: EventKind, weight: Int)] = []
  private var total = 0

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let pool = NamePool.dense(&random)
    let starts = [
      "2024-01-31T00:00:00Z", "2024-02-28T23:59:59.999999Z", "2023-10-31T12:00:00Z",
      "2024-06-10T00:30:00Z",
    ]
    let start = Instant(rfc3339: random.one(of: starts))?.microseconds ?? 0
    maker = EventMaker(random: random, pool: pool, start: start)
    maker.environments =
      maker.maybe(1, in: 2)
      ? [nil, nil, .production] : [nil, nil, nil, .production, .production, .sandbox, .xcode]
    weigh()
  }

  /// Chooses the few subjects that this history is about.
  private mutating func weigh() {
    let subjects: [String: Int] = [
      "transaction": 10, "download": 3, "content": 4, "subscription": 4, "catalog": 5,
      "account": 3, "session": 3, "restore": 5, "entitlement": 6, "consumable": 8, "payment": 6,
      "payments": 4, "purchase": 4,
    ]
    var factors: [String: Int] = [:]
    for subject in subjects.keys.sorted() {
      factors[subject] = (subjects[subject] ?? 1) * maker.random.one(of: [0, 1, 1, 2, 4])
    }
    for kind in EventKind.drawn {
      var weight = factors[String(kind.text.prefix { $0 != "." })] ?? 1
      switch kind {
      case .transactionPurchased, .transactionRestored, .subscriptionRenewed, .catalogSet,
        .transactionFinished:
        weight *= 4
      case .contentInstalled, .contentPurged, .downloadRequested, .downloadFinished,
        .downloadProgressed, .sessionStarted:
        weight *= 2
      default: break
      }
      if weight > 0 { weights.append((kind, weight)) }
      total += weight
    }
  }

  private mutating func randomKind() -> EventKind {
    var ticket = maker.random.below(total)
    for (kind, weight) in weights {
      ticket -= weight
      if ticket < 0 { return kind }
    }
    return .noteAdded
  }

  /// Advances the clock and adds an event.
  mutating func add(
    _ kind: EventKind, _ change: (inout Event, inout DataText) -> Void = { _, _ in }
  ) {
    maker.advance()
    var draft = maker.draft(kind)
    var text = DataText()
    change(&draft.event, &text)
    for member in text.members {
      draft.event.data.members.removeAll { $0.name == member.name }
      draft.event.data.members.append(member)
    }
    drafts.append(draft)
  }

  private mutating func addRandom() {
    if maker.maybe(1, in: 40) {
      maker.advance()
      drafts.append(maker.unknown())
    } else {
      add(randomKind())
    }
  }

  /// Returns a history of at least `count` events, in order of arrival.
  mutating func events(count: Int) -> [RecordedEvent] {
    let scenes = maker.random.shuffled(Scene.allCases).prefix(maker.random.below(4))
    var waiting = Array(scenes)
    while drafts.count < count {
      if let scene = waiting.last, maker.maybe(waiting.count, in: 12) {
        waiting.removeLast()
        for (kind, change) in scene.events(&maker.random) {
          if maker.maybe(1, in: 6) { addRandom() }
          add(kind, change)
        }
      } else {
        addRandom()
      }
    }
    return Arrival.arranged(drafts, &maker.random)
  }
}

/// Converts drafts to the events of a ledger.
enum Arrival {
  /// Assigns ids that are not in the order of time, makes some drafts arrive late, and numbers
  /// them.
  static func arranged(_ drafts: [Draft], _ random: inout SeededRandom) -> [RecordedEvent] {
    var order: [(key: Int, draft: Draft)] = []
    for (number, draft) in drafts.enumerated() {
      var draft = draft
      let rising = random.chance(1, in: 2)
      let digits = String(rising ? 1_000_000_000 + number : 9_000_000_000 - number)
      draft.event.id = Name(random.one(of: ["a", "b", "x", "y"]) + digits)
      var key = 2 * number
      if random.chance(1, in: 8) { key += random.below(60) }
      order.append((key, draft))
    }
    let sorted = order.enumerated().sorted {
      ($0.element.key, $0.offset) < ($1.element.key, $1.offset)
    }
    return sorted.enumerated().map { number, item in
      let draft = item.element.draft
      return RecordedEvent(
        position: UInt64(number + 1), recordedAt: draft.recordedAt ?? draft.event.occurredAt,
        event: draft.event)
    }
  }
}
