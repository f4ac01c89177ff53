import LedgerEvents
import LedgerOracle
import SignedDataSamples
import Testing

@testable import StoreImport

@Suite("RevenueCat yields to the store") struct RevenueCatYieldsTests {
  private static let app = Name(SigningSamples.bundleID)

  /// Imports texts of RevenueCat (`true`) and notifications of the store in an order.
  private func account(
    _ texts: [(isRevenueCat: Bool, text: String)], at moment: Int64, with more: [Event] = []
  ) throws -> Oracle.Account {
    var ledger = ImportingLedger()
    for (index, text) in texts.enumerated() {
      if text.isRevenueCat {
        try ledger.add(revenueCat: text.text, app: Self.app, name: "hook\(index)")
      } else {
        try ledger.add(signed: text.text, account: "ada")
      }
    }
    var random = Seeded(state: 7)
    let answer = try ledger.answer(
      at: Signed.instant(moment).rfc3339, with: more, shuffledBy: &random)
    return try #require(answer.accounts["ada"])
  }

  @Test("an end because of a refund that the store reversed ends nothing") func reversedEnd()
    throws
  {
    let texts: [(Bool, String)] = [
      (
        false,
        Signed.notification("SUBSCRIBED", "INITIAL_BUY", transaction: Signed.transaction())
      ),
      (
        false,
        Signed.notification(
          "REFUND", uuid: "u2", signed: 101,
          transaction: Signed.transaction(
            signed: 101, #""revocationDate":\#(Signed.milliseconds(100))"#))
      ),
      (
        false,
        Signed.notification(
          "REFUND_REVERSED", uuid: "u3", signed: 300, transaction: Signed.transaction(signed: 300))
      ),
      (
        true,
        webhook(
          "EXPIRATION", at: 102, end: 100, #","expiration_reason":"CUSTOMER_SUPPORT""#)
      ),
    ]
    for order in [texts, texts.reversed()] {
      #expect(try account(order, at: 500).states["plus"] == "active")
    }
  }

  @Test(
    "what the store says of the end of a period counts in any order, whatever its id",
    arguments: [Name(SigningSamples.bundleID), "com.example.company.tides.plus.for.everyone"])
  func extended(_ app: Name) throws {
    let told = Signed.notification(
      "SUBSCRIBED", "INITIAL_BUY", transaction: Signed.transaction(end: 2_000)
    ).replacing(SigningSamples.bundleID, with: app.text)
    let hook = webhook("INITIAL_PURCHASE")
    for isFirst in [true, false] {
      var ledger = ImportingLedger()
      if isFirst { try ledger.add(revenueCat: hook, app: app) }
      try ledger.add(signed: told, account: "ada")
      if !isFirst { try ledger.add(revenueCat: hook, app: app) }
      var random = Seeded(state: 7)
      let answer = try ledger.answer(at: Signed.instant(1_500).rfc3339, shuffledBy: &random)
      #expect(answer.accounts["ada"]?.states == ["plus": "active"])
    }
  }

  @Test("a refund of a part stays one, in any order") func part() throws {
    let catalogue = try Signed.coins()
    let texts: [(Bool, String)] = [
      (
        false,
        Signed.notification("ONE_TIME_CHARGE", transaction: Signed.transaction(end: nil))
      ),
      (
        false,
        Signed.notification(
          "REFUND", uuid: "u2", signed: 102,
          transaction: Signed.transaction(
            end: nil, signed: 102,
            #""revocationDate":\#(Signed.milliseconds(100)),"revocationPercentage":50000"#))
      ),
      (
        true,
        webhook("CANCELLATION", at: 130, end: nil, #","cancel_reason":"CUSTOMER_SUPPORT""#)
      ),
    ]
    for order in [texts, texts.reversed(), [texts[2], texts[0], texts[1]]] {
      #expect(try account(order, at: 500, with: [catalogue]).balances == ["coin": 5])
    }
  }

  @Test("its purchases say that nobody verified them") func unverified() throws {
    var ledger = ImportingLedger()
    try ledger.add(revenueCat: webhook("INITIAL_PURCHASE"), app: Self.app)
    let bought = try #require(ledger.events.of(.transactionPurchased).first)
    #expect(bought.data.boolean("verified") == false)
  }

  @Test(
    "a webhook without a transaction is kept, and does not stop the file",
    arguments: [#""transaction_id":"1""#, #""purchased_at_ms":1685700000000"#])
  func incomplete(_ member: String) throws {
    let parts = member.split(separator: ":")
    let text = webhook("NON_RENEWING_PURCHASE", id: "w9", end: nil)
      .replacing(member, with: "\(parts[0]):null")
    var ledger = ImportingLedger()
    try ledger.add(revenueCat: text + "\n" + webhook("INITIAL_PURCHASE"), app: Self.app)
    #expect(ledger.events.of(.transactionPurchased).count == 1)
    #expect(ledger.events.of(.notificationReceived).map(\.id) == ["revenuecat:w9"])
  }

  @Test("one id with other content is a contradiction") func contradiction() throws {
    var ledger = ImportingLedger()
    try ledger.add(
      revenueCat: webhook("CANCELLATION", #","cancel_reason":"UNSUBSCRIBE""#), app: Self.app)
    let other = webhook("CANCELLATION", #","cancel_reason":"CUSTOMER_SUPPORT""#)
    #expect(throws: ImportError(.contradiction, reason: "", remedy: "")) {
      try ledger.add(revenueCat: other, app: Self.app, name: "other")
    }
  }

  @Test("a price with an exponent is read") func exponent() throws {
    #expect(RevenueCatPurchase.thousandths("1e-07") == 0)
    #expect(RevenueCatPurchase.thousandths("4.99E0") == 4_990)
    #expect(RevenueCatPurchase.thousandths("1e400") == nil)
    #expect(RevenueCatPurchase.thousandths("e") == nil)
    #expect(RevenueCatPurchase.thousandths("0x1e") == nil)
  }
}
