import LedgerEvents

/// Simulates one customer using the app.
struct Customer {
  var random: SeededRandom
  private(set) var drafts: [Draft] = []
  private let account: Name
  private let number: UInt64
  private var device: Name
  private var session: Name = ""
  private var sequence: Int64 = 0
  private var now: Int64
  private var transactions: UInt64 = 0
  /// The number of chapters bought, because no chapter is bought twice.
  private var chaptersBought = 0

  private struct Bought {
    var transaction: Name
    var product: Name
  }

  init(number: UInt64, begin: Int64, random: SeededRandom) {
    self.random = random
    self.number = number
    now = begin
    account = RealisticHistory.uuid(self.random.next(), self.random.next())
    device = RealisticHistory.uuid(self.random.next(), self.random.next())
  }

  mutating func live() {
    launch()
    for visit in 0..<(1 + random.below(5)) {
      if visit > 0 {
        wait(Int64(1 + random.below(240)) * Instant.hour)
        launch()
      }
      switch random.below(10) {
      case 0...3: buyContent()
      case 4: buyCredits()
      case 5...6: subscribe()
      case 7: fail()
      case 8: restoreElsewhere()
      default: add(.storefrontChanged) { $1.set("storefront", "DEU") }
      }
      add(.sessionEnded)
    }
  }

  private mutating func wait(_ microseconds: Int64) { now += microseconds }

  private mutating func newTransaction() -> Name {
    transactions += 1
    return Name("\(2_000_000_000_000 + number * 64 + transactions)")
  }

  /// Adds a fact of the queue or the app, a moment later.
  private mutating func add(
    _ kind: EventKind, _ change: (inout Event, inout DataText) -> Void = { _, _ in }
  ) {
    wait(Int64(1 + random.below(4_000_000)))
    sequence += 1
    var event = Event(
      id: "", type: EventType(kind), occurredAt: Instant(microseconds: now),
      source: EventSource(.storekit1), app: RealisticHistory.app, account: account, device: device,
      session: session, sequence: sequence)
    var text = DataText()
    change(&event, &text)
    event.data = text.data
    drafts.append(Draft(kind: kind, event: event))
  }

  /// Adds a fact that the store's server signed at `time`.
  private mutating func notify(
    _ kind: EventKind, _ bought: Bought, at time: Int64,
    _ change: (inout Event, inout DataText) -> Void = { _, _ in }
  ) {
    var event = Event(
      id: "", type: EventType(kind), occurredAt: Instant(microseconds: time),
      source: EventSource(.notification), environment: .production, app: RealisticHistory.app,
      product: bought.product, transaction: bought.transaction)
    var text = DataText()
    text.set("signedAt", time: time + Instant.second)
    change(&event, &text)
    event.data = text.data
    drafts.append(Draft(kind: kind, event: event))
  }

  private mutating func launch() {
    session = RealisticHistory.uuid(random.next(), random.next())
    sequence = 0
    let version = random.one(of: ["3.1", "3.2", "3.2.1"])
    add(.sessionStarted) { event, text in
      event.environment = .production
      text.set("appVersion", version)
      text.set("systemVersion", "17.4")
    }
    add(.sessionObserverAdded)
    add(.paymentsChecked) { $1.set("allowed", true) }
  }

  private mutating func purchase(_ product: Name, downloads: Bool = false) -> Bought {
    let bought = Bought(transaction: newTransaction(), product: product)
    let payment = RealisticHistory.uuid(random.next(), random.next())
    add(.paymentAdded) { event, text in
      event.product = product
      event.payment = payment
      text.set("quantity", raw: "1")
    }
    add(.transactionPurchasing) { event, _ in
      event.product = product
      event.payment = payment
    }
    wait(Int64(random.below(20)) * Instant.second)
    let time = now
    add(.transactionPurchased) { event, text in
      event.product = product
      event.payment = payment
      event.transaction = bought.transaction
      text.set("purchasedAt", time: time)
      text.set("price", "4.99")
      text.set("currency", "EUR")
      if downloads {
        text.set(
          "downloads",
          raw: #"[{"download":"content","contentVersion":"1.0","contentLength":4200000}]"#)
      }
    }
    add(.receiptSubmitted) { event, _ in event.transaction = bought.transaction }
    add(.receiptAccepted) { event, text in
      event.transaction = bought.transaction
      text.set("status", raw: "0")
    }
    add(.purchaseFulfilled) { event, _ in event.transaction = bought.transaction }
    return bought
  }

  private mutating func finish(_ bought: Bought) {
    add(.transactionFinished) { event, _ in event.transaction = bought.transaction }
    add(.transactionRemoved) { event, _ in event.transaction = bought.transaction }
  }

  private mutating func download(_ bought: Bought, isHasty: Bool = false) {
    func named(_ event: inout Event) {
      event.transaction = bought.transaction
      event.product = bought.product
      event.download = "content"
    }
    add(.downloadRequested) { event, _ in named(&event) }
    if isHasty { finish(bought) }
    add(.downloadWaiting) { event, text in
      named(&event)
      text.set("progress", raw: "0.0")
      text.set("timeRemaining", raw: "-1")
    }
    let steps = 18 + random.below(5)
    for step in 1...steps {
      let hundredths = 100 * step / (steps + 1)
      let remaining = 2 * (steps - step)
      add(.downloadProgressed) { event, text in
        named(&event)
        text.set("progress", raw: "0.\(hundredths < 10 ? "0" : "")\(hundredths)")
        text.set("timeRemaining", raw: "\(remaining)")
      }
    }
    add(.downloadFinished) { event, text in
      named(&event)
      text.set("progress", raw: "1.0")
      text.set("contentURL", "file:///var/mobile/Library/Caches/StoreKit/content.zip")
    }
    add(.contentInstallStarted) { event, _ in named(&event) }
    add(.contentInstalled) { event, text in
      named(&event)
      text.set("contentVersion", "1.0")
      text.set("path", "Library/Application Support/content")
      text.set("digest", "sha256:0c1d")
      text.set("excludedFromBackup", true)
    }
    add(.contentActivated) { event, _ in named(&event) }
    if !isHasty { finish(bought) }
  }

  private mutating func buyContent() {
    let bought = purchase(RealisticHistory.chapter(chaptersBought), downloads: true)
    chaptersBought += 1
    download(bought, isHasty: random.chance(1, in: 20))
    if random.chance(1, in: 25) { notify(.transactionRefunded, bought, at: now + 3 * Instant.day) }
  }

  private mutating func buyCredits() {
    let bought = purchase("com.example.reader.credits")
    finish(bought)
    for _ in 0..<random.below(5) {
      add(.consumableConsumed) { _, text in
        text.set("unit", "credits")
        text.set("amount", raw: "1")
      }
    }
  }

  private mutating func subscribe() {
    let bought = purchase("com.example.reader.monthly")
    finish(bought)
    let month = 30 * Instant.day
    var start = now
    for _ in 0..<random.below(14) {
      start += month
      if random.chance(1, in: 8) {
        notify(.subscriptionGracePeriodEntered, bought, at: start) {
          $1.set("gracePeriodExpiresAt", time: start + 6 * Instant.day)
        }
        if random.chance(1, in: 2) {
          notify(.subscriptionExpired, bought, at: start + 7 * Instant.day)
          return
        }
      }
      let renewal = Bought(transaction: newTransaction(), product: bought.product)
      notify(.subscriptionRenewed, renewal, at: start) { event, text in
        event.originalTransaction = bought.transaction
        text.set("purchasedAt", time: start)
        text.set("expiresAt", time: start + month)
      }
    }
  }

  private mutating func fail() {
    let payment = RealisticHistory.uuid(random.next(), random.next())
    add(.paymentAdded) { event, _ in
      event.product = "com.example.reader.pro"
      event.payment = payment
    }
    add(.transactionFailed) { event, text in
      event.product = "com.example.reader.pro"
      event.payment = payment
      text.set("error", raw: #"{"domain":"SKErrorDomain","code":2,"message":"Cancelled"}"#)
    }
    add(.transactionFinished) { event, _ in event.payment = payment }
  }

  private mutating func restoreElsewhere() {
    let bought = purchase("com.example.reader.pro")
    finish(bought)
    wait(Instant.day)
    device = RealisticHistory.uuid(random.next(), random.next())
    launch()
    add(.restoreRequested)
    let restored = Bought(transaction: newTransaction(), product: bought.product)
    add(.transactionRestored) { event, _ in
      event.transaction = restored.transaction
      event.originalTransaction = bought.transaction
      event.product = restored.product
    }
    finish(restored)
    add(.restoreCompleted)
  }
}
