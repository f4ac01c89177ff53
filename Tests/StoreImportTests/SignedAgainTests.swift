import LedgerEvents
import LedgerOracle
import Testing

@testable import StoreImport

/// The store signs a notification again when it sends it again.
@Suite("A notification that was signed again") struct SignedAgainTests {
  private static func state(_ texts: [String], at seconds: Int64) throws -> String? {
    var ledger = ImportingLedger()
    for text in texts { try ledger.add(signed: text, account: "ada") }
    for text in texts { #expect(try ledger.add(signed: text, account: "ada") == 0) }
    var random = Seeded(state: 9)
    let answer = try ledger.answer(at: Signed.instant(seconds).rfc3339, shuffledBy: &random)
    return answer.accounts["ada"]?.states["plus"]
  }

  private static func refund(signed: Int64) -> String {
    Signed.notification(
      "REFUND", uuid: "u2", signed: signed,
      transaction: Signed.transaction(
        end: nil, signed: signed, #""revocationDate":\#(Signed.milliseconds(100))"#))
  }

  @Test("a refund is as old as it was, so that its reversal counts") func refund() throws {
    let bought = Signed.notification("ONE_TIME_CHARGE", transaction: Signed.transaction(end: nil))
    let reversed = Signed.notification(
      "REFUND_REVERSED", uuid: "u3", signed: 300,
      transaction: Signed.transaction(end: nil, signed: 300))
    let again = Self.refund(signed: 900)
    for texts in [
      [bought, again, reversed], [again, Self.refund(signed: 101), reversed, bought],
      [reversed, bought, again],
    ] { #expect(try Self.state(texts, at: 2_000) == "active") }
  }

  @Test("what has no other date than the signature is warned of, if the older copy comes later")
  func warning() throws {
    func failed(_ signed: Int64) -> String {
      Signed.notification(
        "GRACE_PERIOD_EXPIRED", signed: signed, transaction: Signed.transaction(signed: signed))
    }
    var ledger = ImportingLedger()
    try ledger.add(signed: failed(2_000))
    func warnings(_ signed: Int64) throws -> [String] {
      try StoreImportTests.signed(failed(signed)).outcome([.production: ledger.known]).warnings
    }
    #expect(try warnings(1_100).contains { $0.contains("u1 is recorded with the date of a copy") })
    #expect(try warnings(2_000).isEmpty && warnings(3_000).isEmpty)
  }

  @Test("an end that the customer wanted counts after a failure, without a renewal info")
  func wantedEnd() throws {
    let bought = Signed.notification(
      "SUBSCRIBED", "INITIAL_BUY", transaction: Signed.transaction())
    let failed = Signed.notification(
      "DID_FAIL_TO_RENEW", uuid: "u2", signed: 1_001,
      transaction: Signed.transaction(signed: 1_001),
      renewal: Signed.renewal(signed: 1_001, #""isInBillingRetryPeriod":true"#))
    let ended = Signed.notification(
      "EXPIRED", "VOLUNTARY", uuid: "u3", signed: 2_000,
      transaction: Signed.transaction(signed: 2_000))
    for texts in [[bought, failed, ended], [bought, ended, failed], [ended, failed, bought]] {
      #expect(try Self.state(texts, at: 5_000) == "expired")
    }
  }

  @Test(
    "a date after the year 9999 is refused: without it, a period would never end",
    arguments: ["expiresDate", "revocationDate"])
  func tooLate(_ member: String) throws {
    let text = Signed.transaction(end: nil, #""\#(member)":253402300800000"#)
    let error = try #require(signedRefusal(text, as: .transaction))
    #expect(error.code == .badValue && error.path == member)
    // The store writes the year 1 for a date that it does not know.
    #expect(
      signedRefusal(
        text.replacing("253402300800000", with: "-62135769600000"), as: .transaction) == nil)
  }
}

/// Lists of the store can leave out how many units were bought.
@Suite("A purchase of several units") struct SeveralUnitsTests {
  @Test("is credited with all of them, though another statement leaves the number out")
  func quantity() throws {
    let catalogue = try Signed.coins()
    let several = Signed.receipt(asked: 10, end: nil)
      .replacing(#""quantity":"1""#, with: #""quantity":"3""#)
    let silent = Signed.receipt(asked: 20, end: nil).replacing(#""quantity":"1","#, with: "")
    let transaction = Signed.transaction(end: nil, #""price":990,"currency":"EUR""#)
      .replacing(#""quantity":1"#, with: #""quantity":3"#)
    typealias Step = (inout ImportingLedger) throws -> Void
    let receipt: Step = { try $0.add(several, account: "ada") }
    let other: Step = { try $0.add(silent, account: "ada") }
    let signed: Step = { try $0.add(signed: transaction, as: .transaction, account: "ada") }
    for steps in [[receipt, other], [other, receipt], [signed, other], [other, signed]] {
      var ledger = ImportingLedger()
      for step in steps { try step(&ledger) }
      var random = Seeded(state: 9)
      let answer = try ledger.answer(with: [catalogue], shuffledBy: &random)
      #expect(answer.accounts["ada"]?.balances == ["coin": 30])
    }
  }
}
