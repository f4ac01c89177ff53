import LedgerEvents
import LedgerHistories

/// Invents customers and what happens to them. Nobody shares a device, a session or a transaction
/// with somebody else, so that the events of one customer are all that an answer rests on.
struct Customers {
  struct Customer {
    var account: Name
    var device: Name
    var session: Name
    var transactions: [(id: Name, product: Name)] = []
    var sequence: Int64 = 0
    /// The `occurredAt` of the newest event, in microseconds.
    var newest: Int64 = 0
    var isErased = false
  }

  private(set) var all: [Customer] = []
  private let prefix: String
  private var lastID = 0
  /// The time of the shop, in microseconds.
  private(set) var now: Int64 = 1_700_000_000_000_000

  private static let products: [Name] = ["app.maps", "app.sky", "app.coins", "app.plus", "app.day"]

  init(prefix: String) { self.prefix = prefix }

  /// The catalogue, which every history begins with.
  mutating func catalogue() -> Event {
    let text = """
      [{"product":"app.maps","kind":"nonConsumable","entitlements":["maps"]},\
      {"product":"app.sky","kind":"nonConsumable","entitlements":["sky","maps"]},\
      {"product":"app.coins","kind":"consumable","grants":{"coins":5}},\
      {"product":"app.plus","kind":"autoRenewable","entitlements":["plus"],"duration":"P1M",\
      "subscriptionGroup":"1"},\
      {"product":"app.day","kind":"nonRenewing","entitlements":["day"],"duration":"P7D"}]
      """
    return Event(
      id: nextID(), type: EventType(.catalogSet), occurredAt: Instant(microseconds: now),
      source: EventSource(.operator), data: Self.data([("products", text)]))
  }

  /// A living customer; a new one now and then.
  mutating func anybody(_ random: inout SeededRandom) -> Int {
    if all.isEmpty || random.chance(1, in: 24) { return newcomer() }
    // Mostly the last few, so that histories grow.
    let recent = max(0, all.count - 12)
    let customer =
      random.chance(1, in: 4) ? random.below(all.count) : recent + random.below(all.count - recent)
    return all[customer].isErased ? newcomer() : customer
  }

  private mutating func newcomer() -> Int {
    let number = all.count
    all.append(
      Customer(
        account: Name("account-\(prefix)-\(number)"), device: Name("device-\(prefix)-\(number)"),
        session: Name("session-\(prefix)-\(number)")))
    return number
  }

  mutating func markErased(_ customer: Int, _ isErased: Bool) { all[customer].isErased = isErased }

  /// Something that happened to a customer before the ledger forgot about it; nil if nobody was
  /// forgotten.
  mutating func lateEvent(_ random: inout SeededRandom) -> (customer: Int, event: Event)? {
    let forgotten = all.indices.filter { all[$0].isErased }
    guard !forgotten.isEmpty else { return nil }
    let customer = random.one(of: forgotten)
    let newest = all[customer].newest
    var event = event(of: customer, &random)
    event.occurredAt = Instant(microseconds: newest - Int64(random.below(1_000_000_000)))
    all[customer].newest = newest
    return (customer, event)
  }

  private mutating func nextID() -> Name {
    lastID += 1
    return Name("\(prefix)-\(lastID)")
  }

  /// Something that happens to a customer.
  mutating func event(of customer: Int, _ random: inout SeededRandom) -> Event {
    now += Int64(random.below(7_200_000_000))
    // One of eight is late, some by weeks.
    let delay = random.chance(1, in: 8) ? Int64(random.below(2_000_000_000_000)) : 0
    var event = Event(
      id: nextID(), type: EventType(.sessionStarted),
      occurredAt: Instant(microseconds: now - delay), source: EventSource(.storekit2),
      app: "app", account: all[customer].account, device: all[customer].device,
      session: all[customer].session)
    all[customer].sequence += 1
    event.sequence = all[customer].sequence
    fill(&event, of: customer, &random)
    all[customer].newest = max(all[customer].newest, event.occurredAt.microseconds)
    return event
  }

  private mutating func fill(
    _ event: inout Event, of customer: Int, _ random: inout SeededRandom
  ) {
    switch random.below(12) {
    case 0..<3: purchase(&event, of: customer, random.one(of: Self.products))
    case 3: concern(&event, of: customer, .transactionFinished, &random)
    case 4:
      guard concern(&event, of: customer, .transactionRefunded, &random) else { return }
      event.data = Self.data([("revokedAt", "\"2024-02-01T00:00:00Z\"")])
      isReportedByStore(&event)
    case 5:
      guard let first = all[customer].transactions.first(where: { $0.product == "app.plus" })
      else { return }
      purchase(&event, of: customer, "app.plus")
      event.type = EventType(.subscriptionRenewed)
      event.originalTransaction = first.id
      isReportedByStore(&event)
    case 6, 7:
      event.type = EventType(.noteAdded)
      // Who was forgotten must not be found by these words.
      event.data = Self.data([("text", "\"secret of \(all[customer].account), \(event.id)\"")])
    case 8, 9:
      guard concern(&event, of: customer, .downloadProgressed, &random) else { return }
      event.download = Name("download-\(prefix)-\(customer)")
      event.data = Self.data([("progress", "0.\(1 + random.below(9))")])
    case 10:
      event.type = EventType(.consumableConsumed)
      event.data = Self.data([("unit", "\"coins\""), ("amount", "\(1 + random.below(3))")])
    default: break
    }
  }

  private mutating func purchase(_ event: inout Event, of customer: Int, _ product: Name) {
    event.type = EventType(.transactionPurchased)
    event.product = product
    let id = Name("t-\(event.id)")
    event.transaction = id
    all[customer].transactions.append((id, product))
    event.data = Self.data([("price", "\"3.99\""), ("currency", "\"EUR\"")])
  }

  /// Makes it an event about an earlier transaction, if there is any.
  @discardableResult
  private func concern(
    _ event: inout Event, of customer: Int, _ kind: EventKind, _ random: inout SeededRandom
  ) -> Bool {
    guard !all[customer].transactions.isEmpty else { return false }
    let bought = random.one(of: all[customer].transactions)
    event.type = EventType(kind)
    event.transaction = bought.id
    event.product = bought.product
    return true
  }

  private func isReportedByStore(_ event: inout Event) {
    event.source = EventSource(.notification)
    event.account = nil
    event.device = nil
    event.session = nil
    event.sequence = nil
  }

  /// An event that makes the ledger forget a customer.
  mutating func erasure(of customer: Int) -> Event {
    Event(
      id: nextID(), type: EventType(.accountErased),
      occurredAt: Instant(microseconds: all[customer].newest + 1),
      source: EventSource(.operator), account: all[customer].account,
      data: Self.data([("reason", "\"asked\""), ("operator", "\"op\"")]))
  }

  private static func data(_ members: [(name: String, json: String)]) -> EventData {
    EventData(members: members.map { EventData.Member(name: $0.name, json: Array($0.json.utf8)) })
  }
}
