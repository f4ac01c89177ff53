import LedgerEvents
import LedgerOracle
import SignedDataSamples
import Testing

@testable import StoreImport

/// By which dates RevenueCat's statements count beside each other and beside the store's: every
/// test imports its files in every order.
@Suite("The dates of what RevenueCat says") struct RevenueCatDatesTests {
  private typealias Step = (inout ImportingLedger) throws -> Void

  private static let app = Name(SigningSamples.bundleID)
  private static let refund = #","cancel_reason":"CUSTOMER_SUPPORT""#
  private static let day: Int64 = 86_400

  private static func hook(_ text: String) -> Step {
    { try $0.add(revenueCat: text, app: app, name: "hook") }
  }

  private static func export(_ row: String) -> Step {
    let text = [exportColumns, row].joined(separator: "\n")
    return { try $0.add(revenueCat: text, isExport: true, app: app, name: "export.csv") }
  }

  private static func store(
    _ type: String, _ subtype: String? = nil, uuid: String = "u1", signed: Int64 = 0,
    end: Int64? = 1_000, renewal: String? = nil, _ more: String = ""
  ) -> Step {
    let text = Signed.notification(
      type, subtype, uuid: uuid, signed: signed,
      transaction: Signed.transaction(end: end, signed: signed, more), renewal: renewal)
    return { try $0.add(signed: text, account: "ada") }
  }

  private static var bought: Step { store("SUBSCRIBED", "INITIAL_BUY") }

  /// A failed renewal in a grace period, as the store says it.
  private static var grace: Step {
    store(
      "DID_FAIL_TO_RENEW", "GRACE_PERIOD", uuid: "u2", signed: 1_001,
      renewal: Signed.renewal(
        signed: 1_001,
        #""isInBillingRetryPeriod":true,"gracePeriodExpiresDate":\#(Signed.milliseconds(9_000))"#))
  }

  /// The answers in every order of the steps, without repetition.
  private static func accounts(
    _ steps: [Step], at seconds: Int64, with more: [Event] = []
  ) throws -> [Oracle.Account] {
    var found: [Oracle.Account] = []
    for steps in steps.everyOrder {
      var ledger = ImportingLedger()
      for step in steps { try step(&ledger) }
      // Nothing is added by importing again.
      for step in steps {
        let count = ledger.events.count
        try step(&ledger)
        #expect(ledger.events.count == count)
      }
      var random = Seeded(state: 7)
      let answer = try ledger.answer(
        at: Signed.instant(seconds).rfc3339, with: more, shuffledBy: &random)
      let account = try #require(answer.accounts["ada"])
      if !found.contains(account) { found.append(account) }
    }
    return found
  }

  private static func states(_ steps: [Step], at seconds: Int64) throws -> [String?] {
    try accounts(steps, at: seconds).map { $0.states["plus"] }
  }

  @Test("a second refund counts, whenever the reversal before it is imported")
  func secondRefund() throws {
    let steps = [
      Self.hook(webhook("NON_RENEWING_PURCHASE", end: nil)),
      Self.hook(webhook("CANCELLATION", id: "w2", at: 100, end: nil, Self.refund)),
      Self.hook(webhook("REFUND_REVERSED", id: "w3", at: 300, end: nil)),
    ]
    #expect(try Self.states(steps, at: 400) == ["active"])
    let again = Self.hook(webhook("CANCELLATION", id: "w4", at: 500, end: nil, Self.refund))
    #expect(try Self.states(steps + [again], at: 600) == ["refunded"])
  }

  @Test("a refund noticed late yields to the store's refund of a part") func part() throws {
    let catalogue = try Signed.coins()
    let steps = [
      Self.store("ONE_TIME_CHARGE", end: nil),
      Self.store(
        "REFUND", uuid: "u2", signed: 102, end: nil,
        #""revocationDate":\#(Signed.milliseconds(100)),"revocationPercentage":50000"#),
      Self.hook(webhook("CANCELLATION", at: 3 * Self.day, end: nil, Self.refund)),
    ]
    let found = try Self.accounts(steps, at: 4 * Self.day, with: [catalogue])
    #expect(found.map(\.balances) == [["coin": 5]])
  }

  @Test("a reversal that RevenueCat alone knows reverses the store's refund") func reversal() throws
  {
    let steps = [
      Self.store("ONE_TIME_CHARGE", end: nil),
      Self.store(
        "REFUND", uuid: "u2", signed: 2 * Self.day, end: nil,
        #""revocationDate":\#(Signed.milliseconds(2 * Self.day - 5))"#),
      Self.hook(webhook("REFUND_REVERSED", at: 2 * Self.day + 5 * 3_600, end: nil)),
    ]
    #expect(try Self.states(steps, at: 3 * Self.day) == ["active"])
  }

  @Test("a failed payment never takes a grace period of the store away") func failure() throws {
    for failure in [
      Self.hook(webhook("BILLING_ISSUE", at: 1_010)),
      Self.export(row(billing: "2023-06-02 10:16:50")),
      Self.export(row(billing: "2023-06-02 10:16:50", grace: "2023-06-02 12:30:00")),
    ] {
      #expect(try Self.states([Self.bought, Self.grace, failure], at: 1_500) == ["gracePeriod"])
    }
    // Nor one of RevenueCat's own.
    let end = #","grace_period_expiration_at_ms":\#(Signed.milliseconds(9_000))"#
    let steps = [
      Self.hook(webhook("INITIAL_PURCHASE")),
      Self.hook(webhook("BILLING_ISSUE", id: "w2", at: 1_010, end)),
      Self.export(row(billing: "2023-06-02 10:16:55")),
    ]
    #expect(try Self.states(steps, at: 1_500) == ["gracePeriod"])
  }

  @Test("a failed payment does not hide the end that the store states") func storeEnd() throws {
    let renewal = Signed.renewal(
      autoRenew: false, signed: 2_000, #""expirationIntent":1,"isInBillingRetryPeriod":false"#)
    let ended = Self.store("EXPIRED", "VOLUNTARY", uuid: "u3", signed: 2_000, renewal: renewal)
    for failure in [
      Self.hook(webhook("BILLING_ISSUE", at: 1_010)),
      Self.export(row(billing: "2023-06-02 10:16:50")),
    ] {
      #expect(try Self.states([Self.bought, ended, failure], at: 5_000) == ["expired"])
    }
  }

  @Test("an end that the customer wanted ends a failed payment") func wantedEnd() throws {
    let end = Self.hook(
      webhook("EXPIRATION", id: "w3", at: 1_700, #","expiration_reason":"UNSUBSCRIBE""#))
    let bought = Self.hook(webhook("INITIAL_PURCHASE"))
    for more in ["", #","grace_period_expiration_at_ms":\#(Signed.milliseconds(9_000))"#] {
      let issue = Self.hook(webhook("BILLING_ISSUE", id: "w2", at: 1_010, more))
      #expect(try Self.states([bought, issue, end], at: 5_000) == ["expired"])
    }
    // And one that the store stated after the period.
    #expect(try Self.states([Self.bought, Self.grace, end], at: 5_000) == ["expired"])
  }

  @Test("of two ends of a period the later one counts") func laterEnd() throws {
    let hook = Self.hook(
      webhook("INITIAL_PURCHASE").replacing("1685700000000", with: "1685700000123"))
    let export = Self.export(row().replacing("2023-06-02 10:16:40", with: "2023-06-02 10:33:20"))
    #expect(try Self.states([hook, export], at: 1_500) == ["active"])
  }

  @Test("a webhook that does not name the chain does not split it") func chain() throws {
    let text = webhook("RENEWAL", transaction: "2", start: 1_000, end: 2_000)
      .replacing(#""original_transaction_id":"1","#, with: "")
    let renewed = Signed.notification(
      "DID_RENEW", uuid: "u2", signed: 1_001,
      transaction: Signed.transaction(id: "2", at: 1_000, end: 2_000, signed: 1_001))
    for isFirst in [true, false] {
      var ledger = ImportingLedger()
      if isFirst { try ledger.add(revenueCat: text, app: Self.app) }
      try ledger.add(signed: renewed, account: "ada")
      if !isFirst { try ledger.add(revenueCat: text, app: Self.app) }
      #expect(
        ledger.events.allSatisfy {
          $0.originalTransaction == nil || $0.originalTransaction == "1"
        })
    }
  }

  @Test("a period that began in 1970 is read") func epoch() throws {
    var ledger = ImportingLedger()
    try ledger.add(
      revenueCat: webhook("INITIAL_PURCHASE").replacing(
        #""purchased_at_ms":1685700000000"#, with: #""purchased_at_ms":0"#), app: Self.app)
    #expect(ledger.events.of(.transactionPurchased).map(\.occurredAt.microseconds) == [0])
  }

  @Test("what is kept of an erased customer does not name them") func forgotten() throws {
    let known = KnownPurchases(transactions: [
      .init(transaction: "1", original: "1", statedAccount: "erased:1", holder: .forgotten)
    ])
    let file = try RevenueCatImport(
      Array(webhook("SUBSCRIPTION_PAUSED", user: "ada", aliases: ["ada", "bob"]).utf8),
      isExport: false, options: ImportOptions(fileName: "f", digestKey: digestKey))
    for (known, isNamed) in [(KnownPurchases(), true), (known, false)] {
      let events = try file.outcome([.production: known]).events
      let text = events.map { String(decoding: EventEncoder().encode($0), as: UTF8.self) }
      #expect(text.joined().contains("bob") == isNamed)
      #expect(events.of(.notificationReceived).count == 1)
    }
  }
}
