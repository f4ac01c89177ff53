public import LedgerEvents

/// The events of the benchmarks and of the counted costs: customers who buy hosted content and wait
/// for it.
///
/// Of 100 events 88 are a download's progress; the other twelve are the life of its purchase: a
/// launch, a payment, purchasing, purchased, the download's request, waiting and end, the install's
/// start and end, the fulfilment, the finish and the removal. 64 purchases are under way at any
/// time, and their events come mixed. Ids are UUIDs of version 7; an account of `accounts` is drawn
/// for each purchase and has one device; sessions and transactions are new ones. The same seed
/// gives the same events on every machine. A `MixShape` varies all of this.
public struct Mix {

  private struct Purchase {
    var step = 0
    var account: Name
    var device: Name
    var session: Name
    var payment: Name
    var transaction: Name
    var product: Name
    var download: Name
  }

  private var random: SplitMix64
  private var under: [Purchase] = []
  private var purchases: UInt64 = 0
  private var now = Instant(microseconds: 1_700_000_000_000_000)
  private let shape: MixShape
  private let app = Name("example.trailmaps")
  private let products = (1...200).map { Name("example.trailmaps.region.r\($0)") }

  /// - Parameter accounts: from how many customers each purchase's is drawn.
  public init(seed: UInt64 = 1, accounts: UInt64 = 100_000) {
    self.init(seed: seed, shape: MixShape(accounts: accounts))
  }

  public init(seed: UInt64 = 1, shape: MixShape) {
    random = SplitMix64(seed: seed)
    self.shape = shape
    for _ in 0..<64 {
      var purchase = newPurchase()
      // Begun at another moment each, so that the mix is the same from the first event on.
      purchase.step = Int(random.next() % UInt64(shape.eventsAPurchase))
      under.append(purchase)
    }
  }

  /// The next `count` events, in the order in which they happened.
  public mutating func next(_ count: Int) -> [EventInput] {
    var events: [EventInput] = []
    events.reserveCapacity(count)
    for _ in 0..<count { events.append(EventInput(event: next())) }
    return events
  }

  /// The account with the number `index`, as the events name it.
  public static func account(_ index: UInt64) -> Name { Name(uuid(index &+ 1, 0xACC0)) }

  private mutating func newPurchase() -> Purchase {
    purchases += 1
    let account = shape.account(random.next())
    let product = Int(random.next() % UInt64(products.count))
    return Purchase(
      account: Self.account(account),
      device: Name(Self.uuid(shape.device(of: account, purchases), 0xDE71)),
      session: Name(Self.uuid(purchases, 0x5E55)), payment: Name(Self.uuid(purchases, 0x9A77)),
      transaction: Name(String(280_000_000_000_000 + purchases)), product: products[product],
      download: Name("content-\(product + 1)"))
  }

  mutating func next() -> Event {
    let slot = Int(random.next() % UInt64(under.count))
    let purchase = under[slot]
    now = Instant(microseconds: now.microseconds + Int64(random.next() % 40_000) + 1_000)
    var event = Event(
      id: Name(newID()), type: EventType(.sessionStarted),
      occurredAt: Instant(microseconds: now.microseconds / 1000 * 1000),
      source: EventSource(.storekit1), app: app, account: purchase.account,
      device: purchase.device, session: purchase.session, sequence: Int64(purchase.step))
    fill(&event, of: purchase)
    under[slot].step += 1
    if under[slot].step == shape.eventsAPurchase { under[slot] = newPurchase() }
    return event
  }

  private mutating func newID() -> String {
    let word = random.next()
    return shape.hasRandomIDs ? Self.uuid(word, 0x1D) : Self.timedUUID(now, word)
  }

  private static func uuid(_ number: UInt64, _ salt: UInt64) -> String {
    var high = SplitMix64(seed: number ^ salt << 48)
    return text(high.next() & ~0xF000 | 0x4000, high.next() & ~(3 << 62) | 1 << 63)
  }

  private static func timedUUID(_ time: Instant, _ random: UInt64) -> String {
    let milliseconds = UInt64(time.microseconds / 1000)
    return text(milliseconds << 16 | 0x7000 | random & 0xFFF, random & ~(3 << 62) | 1 << 63)
  }

  private static let digits = Array("0123456789abcdef".utf8)

  private static func text(_ high: UInt64, _ low: UInt64) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(36)
    for place in 0..<32 {
      if [8, 12, 16, 20].contains(place) { bytes.append(UInt8(ascii: "-")) }
      let word = place < 16 ? high : low
      bytes.append(digits[Int(word >> UInt64(60 - 4 * (place & 15)) & 15)])
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Steps of a purchase, and what each event of it says.
extension Mix {
  /// The step at which the install begins, after the download's last one.
  private var installStep: Int { 4 + 2 + shape.progressAPurchase + 1 }

  private func fill(_ event: inout Event, of purchase: Purchase) {
    guard purchase.step > 0 else { return }
    event.product = purchase.product
    if purchase.step <= 2 {
      event.payment = purchase.payment
      event.type = EventType(purchase.step == 1 ? .paymentAdded : .transactionPurchasing)
      return
    }
    event.transaction = purchase.transaction
    var data = EventData.Builder()
    switch purchase.step {
    case 3:
      event.type = EventType(.transactionPurchased)
      event.payment = purchase.payment
      event.originalTransaction = purchase.transaction
      data.set("quantity", Int64(1))
      data.set("purchasedAt", event.occurredAt)
      data.set(
        "downloads",
        json: Array(
          #"[{"download":"\#(purchase.download.text)","contentVersion":"1.0"}]"#.utf8))
    case 4..<installStep:
      event.download = purchase.download
      fillDownload(&event, &data, step: purchase.step - 4)
    case installStep, installStep + 1:
      event.download = purchase.download
      event.type = EventType(
        purchase.step == installStep ? .contentInstallStarted : .contentInstalled)
      data.set("contentVersion", "1.0")
    case installStep + 2: event.type = EventType(.purchaseFulfilled)
    case installStep + 3: event.type = EventType(.transactionFinished)
    default: event.type = EventType(.transactionRemoved)
    }
    event.data = data.build()
  }

  private func fillDownload(_ event: inout Event, _ data: inout EventData.Builder, step: Int) {
    switch step {
    case 0: event.type = EventType(.downloadRequested)
    case 1:
      event.type = EventType(.downloadWaiting)
      data.set("progress", number: "0")
      data.set("timeRemaining", number: "-1")
    case shape.progressAPurchase + 2: event.type = EventType(.downloadFinished)
    default:
      let percent = (step - 1) * 100 / (shape.progressAPurchase + 1)
      event.type = EventType(.downloadProgressed)
      data.set("progress", number: percent < 10 ? "0.0\(percent)" : "0.\(percent)")
      data.set("timeRemaining", number: "\(shape.progressAPurchase + 2 - step).5")
    }
  }
}

/// A generator of Steele, Lea and Flood (OOPSLA 2014): small, fast, the same everywhere.
public struct SplitMix64 {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}
