import Foundation
import LedgerEvents
import LedgerOracle
import SignedDataSamples
import Testing

@testable import StoreImport

/// Imports that give the same answers in whichever order they are made.
@Suite("RevenueCat and the store, in any order") struct RevenueCatOrderTests {
  private typealias Step = (inout ImportingLedger) throws -> Void

  private static let app = Name(SigningSamples.bundleID)
  private static func hook(_ text: String, _ name: String = "hook") -> Step {
    { try $0.add(revenueCat: text, app: app, name: name) }
  }

  /// A row about a purchase that does not end.
  private static func export(_ row: String) -> Step {
    let text = [exportColumns, row.replacing("2023-06-02 10:16:40", with: "")]
    return {
      try $0.add(
        revenueCat: text.joined(separator: "\n"), isExport: true, app: app, name: "export.csv")
    }
  }

  private static func signed(_ text: String, as format: ImportFormat = .notification) -> Step {
    { try $0.add(signed: text, as: format, account: "ada") }
  }

  private static func account(
    _ steps: [Step], at moment: String? = nil, with more: [Event] = []
  ) throws -> Oracle.Account {
    var ledger = ImportingLedger()
    for step in steps { try step(&ledger) }
    var random = Seeded(state: 11)
    let answer = try ledger.answer(at: moment, with: more, shuffledBy: &random)
    return try #require(answer.accounts["ada"])
  }

  /// One purchase of three units, as the store says it.
  private static var store: [(name: String, step: Step)] {
    [
      (
        "transaction",
        signed(
          Signed.transaction(end: nil, #""appAccountToken":"ada""#)
            .replacing(#""quantity":1"#, with: #""quantity":3"#)
            .replacing(#""purchaseDate":1685700000000"#, with: #""purchaseDate":1685700000123"#),
          as: .transaction)
      ),
      (
        "receipt",
        { ledger in
          try ledger.add(
            Signed.receipt(asked: 10, end: nil)
              .replacing(#""quantity":"1""#, with: #""quantity":"3""#), account: "ada")
        }
      ),
    ]
  }

  @Test("a purchase of several units is credited as the store says")
  func quantity() throws {
    let catalogue = try Signed.coins()
    let bought = webhook("NON_RENEWING_PURCHASE", end: nil)
    let hooks = [
      Self.hook(bought), Self.hook(bought.replacing("1685700000000", with: "1685700000123")),
      Self.hook(webhook("NON_RENEWING_PURCHASE", end: nil, price: "null")),
    ]
    for (name, store) in Self.store {
      for hook in hooks + [Self.export(row())] {
        for steps in [store, hook, Self.export(row())].everyOrder {
          let balances = try Self.account(steps, with: [catalogue]).balances
          #expect(balances == ["coin": 30], "\(name)")
        }
      }
    }
  }

  @Test("a purchase in milliseconds and in seconds is stated once") func seconds() throws {
    let bought = webhook("NON_RENEWING_PURCHASE", end: nil)
      .replacing("1685700000000", with: "1685700000123")
    for steps in [Self.hook(bought), Self.export(row())].everyOrder {
      var ledger = ImportingLedger()
      for step in steps { try step(&ledger) }
      #expect(ledger.events.of(.transactionPurchased).count == 1, "\(ledger.events.ids)")
    }
    // What an app has recorded knows the quantity, too.
    let fact = try #require(
      try RevenueCatImport(
        Array(bought.utf8), isExport: false,
        options: ImportOptions(fileName: "f", digestKey: digestKey)
      ).outcome().events.of(.transactionPurchased).first)
    var known = KnownPurchases()
    #expect(!known.knows(purchase: fact))
    known.bought = ["1"]
    #expect(known.knows(purchase: fact))
  }

  @Test("a cancellation for a failed payment does not end the grace period")
  func grace() throws {
    let end = #","grace_period_expiration_at_ms":\#(Signed.milliseconds(2_000))"#
    let steps = [
      Self.hook(webhook("INITIAL_PURCHASE"), "a"),
      Self.hook(webhook("BILLING_ISSUE", id: "w2", at: 1_001, end), "b"),
      Self.hook(
        webhook("CANCELLATION", id: "w3", at: 1_001, #","cancel_reason":"BILLING_ERROR""#), "c"),
      Self.hook(
        webhook("CANCELLATION", id: "w1", at: 1_002, #","cancel_reason":"BILLING_ERROR""#), "d"),
    ]
    for steps in steps.everyOrder {
      let account = try Self.account(steps, at: "2023-06-02T10:25:00Z")
      #expect(account.states["plus"] == "gracePeriod")
    }
    // A failure that an export noticed during a grace period is that of the grace period.
    var ledger = ImportingLedger()
    for step in steps { try step(&ledger) }
    try ledger.add(
      revenueCat: [exportColumns, row(billing: "2023-06-02 10:20:00")].joined(separator: "\n"),
      isExport: true, app: Self.app, name: "export.csv")
    var random = Seeded(state: 5)
    let answer = try ledger.answer(at: "2023-06-02T10:25:00Z", shuffledBy: &random)
    #expect(answer.accounts["ada"]?.states["plus"] == "gracePeriod")
  }

  @Test("a refund after a reversal is another refund") func secondRefund() throws {
    let refund = #","cancel_reason":"CUSTOMER_SUPPORT""#
    let steps = [
      Self.hook(webhook("NON_RENEWING_PURCHASE", end: nil), "a"),
      Self.hook(webhook("CANCELLATION", id: "w2", at: 100, end: nil, refund), "b"),
      Self.hook(webhook("REFUND_REVERSED", id: "w3", at: 300, end: nil), "c"),
    ]
    let again = Self.hook(webhook("CANCELLATION", id: "w4", at: 500, end: nil, refund), "d")
    for steps in steps.everyOrder {
      #expect(try Self.account(steps).states["plus"] == "active")
      #expect(try Self.account(steps + [again]).states["plus"] == "refunded")
    }
  }

  @Test("a refund that an export noticed late does not outrank the store's reversal")
  func reversal() throws {
    let bought = Self.signed(Signed.transaction(end: nil), as: .transaction)
    let refunded = Self.signed(
      Signed.notification(
        "REFUND", uuid: "u2", signed: 101,
        transaction: Signed.transaction(
          end: nil, signed: 101, #""revocationDate":\#(Signed.milliseconds(100))"#)))
    let reversed = Self.signed(
      Signed.notification(
        "REFUND_REVERSED", uuid: "u3", signed: 300,
        transaction: Signed.transaction(end: nil, signed: 300)))
    let row = Self.export(row(refunded: "2023-06-02 10:08:20"))
    for steps in [bought, refunded, reversed, row].everyOrder {
      #expect(try Self.account(steps).states["plus"] == "active")
    }
    for steps in [bought, row].everyOrder {
      #expect(try Self.account(steps).states["plus"] == "refunded")
    }
  }
}
