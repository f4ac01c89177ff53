import LedgerEvents
import LedgerOracle
import Testing

@testable import StoreImport

/// A file can hold the copy that the store sent last, and another file the first one.
@Suite("A later copy of a notification that is imported first") struct LaterCopyTests {
  /// Returns the states at some moments, which must not depend on the order of the files.
  private static func states(
    _ texts: [String], at moments: [Int64], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String?] {
    var found: Set<[String?]> = []
    for order in texts.everyOrder {
      var ledger = ImportingLedger()
      for text in order { try ledger.add(signed: text, account: "ada") }
      // What a renewal info says of the next renewal can be news again after an older one.
      func facts() -> Int { ledger.events.filter { $0.data["toProduct"] == nil }.count }
      let count = facts()
      for text in order { try ledger.add(signed: text, account: "ada") }
      #expect(facts() == count, sourceLocation: sourceLocation)
      var random = Seeded(state: 3)
      var states: [String?] = []
      for moment in moments {
        let answer = try ledger.answer(at: Signed.instant(moment).rfc3339, shuffledBy: &random)
        states.append(answer.accounts["ada"]?.states["plus"])
      }
      found.insert(states)
    }
    #expect(found.count == 1, sourceLocation: sourceLocation)
    return found.first ?? []
  }

  @Test("of a reversal does not hide the refund after it") func refundAfterReversal() throws {
    func refund(_ seconds: Int64, _ uuid: String) -> String {
      Signed.notification(
        "REFUND", uuid: uuid, signed: seconds + 1,
        transaction: Signed.transaction(
          end: nil, signed: seconds + 1, #""revocationDate":\#(Signed.milliseconds(seconds))"#))
    }
    func reversed(_ signed: Int64) -> String {
      Signed.notification(
        "REFUND_REVERSED", uuid: "u3", signed: signed,
        transaction: Signed.transaction(end: nil, signed: signed))
    }
    let bought = Signed.notification("ONE_TIME_CHARGE", transaction: Signed.transaction(end: nil))
    let states = try Self.states(
      [bought, refund(100, "u2"), reversed(300), refund(600, "u4"), reversed(900)],
      at: [50, 200, 400, 700, 2_000])
    #expect(states == ["active", "refunded", "active", "refunded", "refunded"])
  }

  @Test("of a failure does not hide that the renewal was paid") func recoveryAfterFailure() throws {
    func failed(_ signed: Int64) -> String {
      Signed.notification(
        "DID_FAIL_TO_RENEW", "GRACE_PERIOD", uuid: "u2", signed: signed,
        transaction: Signed.transaction(signed: signed),
        renewal: Signed.renewal(
          signed: signed,
          #""isInBillingRetryPeriod":true,"gracePeriodExpiresDate":\#(Signed.milliseconds(3_000))"#
        ))
    }
    let bought = Signed.notification("SUBSCRIBED", "INITIAL_BUY", transaction: Signed.transaction())
    let recovered = Signed.notification(
      "DID_RENEW", "BILLING_RECOVERY", uuid: "u3", signed: 1_200,
      transaction: Signed.transaction(id: "2", at: 1_150, end: 2_150, signed: 1_200),
      renewal: Signed.renewal(signed: 1_200))
    let states = try Self.states(
      [bought, failed(1_001), recovered, failed(1_500)], at: [500, 1_100, 1_300, 1_600, 2_500])
    #expect(states == ["active", "gracePeriod", "active", "active", "expired"])
  }

  @Test("of an extension does not hide the next extension") func secondExtension() throws {
    func extended(_ uuid: String, to end: Int64, signed: Int64) -> String {
      Signed.notification(
        "RENEWAL_EXTENDED", uuid: uuid, signed: signed,
        transaction: Signed.transaction(end: end, signed: signed),
        renewal: Signed.renewal(signed: signed))
    }
    let bought = Signed.notification("SUBSCRIBED", "INITIAL_BUY", transaction: Signed.transaction())
    let states = try Self.states(
      [
        bought, extended("u2", to: 1_500, signed: 300), extended("u3", to: 2_000, signed: 600),
        extended("u2", to: 1_500, signed: 900),
      ], at: [500, 1_700, 2_500])
    #expect(states == ["active", "active", "expired"])
  }
}

/// The store begins to bill a renewal before the period ends.
@Suite("A renewal that fails before the period ends") struct EarlyFailureTests {
  @Test("keeps its grace period, whatever says afterwards that the subscription is over")
  func gracePeriod() throws {
    let bought = Signed.notification("SUBSCRIBED", "INITIAL_BUY", transaction: Signed.transaction())
    let failed = Signed.notification(
      "DID_FAIL_TO_RENEW", "GRACE_PERIOD", uuid: "u2", signed: 999,
      transaction: Signed.transaction(signed: 999),
      renewal: Signed.renewal(
        signed: 999,
        #""isInBillingRetryPeriod":true,"gracePeriodExpiresDate":\#(Signed.milliseconds(2_000))"#))
    let over = Signed.receipt(asked: 3_000).replacing(
      "}]}",
      with: #"}],"pending_renewal_info":[{"original_transaction_id":"1","product_id":"plus","#
        + #""expiration_intent":"2","is_in_billing_retry_period":"0"}]}"#)
    typealias Step = (inout ImportingLedger) throws -> Int
    let steps: [Step] = [
      { try $0.add(signed: bought, account: "ada") },
      { try $0.add(signed: failed, account: "ada") },
      { try $0.add(over, account: "ada") },
    ]
    for order in steps.everyOrder {
      var ledger = ImportingLedger()
      for step in order { _ = try step(&ledger) }
      for step in order { #expect(try step(&ledger) == 0) }
      var random = Seeded(state: 3)
      for (moment, state) in [(500, "active"), (1_500, "gracePeriod"), (5_000, "expired")] {
        let answer = try ledger.answer(
          at: Signed.instant(Int64(moment)).rfc3339, shuffledBy: &random)
        #expect(answer.accounts["ada"]?.states["plus"] == state, "at \(moment)")
      }
    }
  }
}

@Suite("Two statements of one moment") struct OneMomentTests {
  @Test("give one answer, whichever is imported first") func sameMoment() throws {
    func stated(_ asked: Int64, _ more: String) -> String {
      Signed.receipt(asked: asked).replacing(
        "}]}",
        with: #"}],"pending_renewal_info":[{"original_transaction_id":"1","product_id":"plus","#
          + #""expiration_intent":"2","is_in_billing_retry_period":"1"\#(more)}]}"#)
    }
    let grace = #","grace_period_expires_date_ms":"\#(Signed.milliseconds(3_000))""#
    let both = [stated(1_200, grace), stated(1_200, "")]
    for order in both.everyOrder {
      var ledger = ImportingLedger()
      for text in [stated(1_100, grace)] + order { try ledger.add(text, account: "ada") }
      for text in order { #expect(try ledger.add(text, account: "ada") == 0) }
      var random = Seeded(state: 3)
      let answer = try ledger.answer(at: Signed.instant(1_300).rfc3339, shuffledBy: &random)
      #expect(answer.accounts["ada"]?.states["plus"] == "billingRetry")
    }
  }
}
