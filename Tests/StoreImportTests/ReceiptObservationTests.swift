import LedgerEvents
import LedgerOracle
import Testing

@testable import StoreImport

/// Returns the store's answer at a minute after 22:13:20, about a period that ended at minute 10.
private func answer(_ pending: String, minute: Int, original: String = "1") -> String {
  let named = original.isEmpty ? "" : #""original_transaction_id":"\#(original)","#
  return """
    {"status":0,"environment":"Production","receipt":{"bundle_id":"app",
     "request_date_ms":"\(1_700_000_000_000 + minute * 60_000)"},"latest_receipt_info":[
     {"transaction_id":"1","original_transaction_id":"1","product_id":"plus",
      "purchase_date_ms":"1700000000000","expires_date_ms":"1700000600000"}],
     "pending_renewal_info":[{\(named)"product_id":"plus"\(pending)}]}
    """
}

private let grace =
  #","expiration_intent":"2","is_in_billing_retry_period":"1","#
  + #""grace_period_expires_date_ms":"1700003600000""#
private let retry = #","expiration_intent":"2","is_in_billing_retry_period":"1""#
private let lapsed = #","expiration_intent":"2","is_in_billing_retry_period":"0""#

@Suite("What several receipts show") struct ReceiptObservationTests {
  private func state(
    _ ledger: ImportingLedger, at moment: String? = nil
  ) throws -> String? {
    var random = Seeded(state: 7)
    return try ledger.answer(at: moment, shuffledBy: &random).accounts["ada"]?.states["plus"]
  }

  @Test("a newer receipt that says lapsed ends a grace period")
  func aNewerReceiptThatSaysLapsedEndsAGracePeriod() throws {
    var ledger = ImportingLedger()
    try ledger.add(answer(grace, minute: 20), account: "ada")
    #expect(try state(ledger) == "gracePeriod")
    try ledger.add(answer(lapsed, minute: 30), account: "ada")
    #expect(try state(ledger) == "expired")
    let expired = try #require(ledger.events.of(.subscriptionExpired).first)
    #expect(expired.occurredAt == at("2023-11-14T22:43:20Z"))
    #expect(expired.data.instant("expiresAt") == at("2023-11-14T22:23:20Z"))
  }

  @Test("a newer receipt that says lapsed ends billing retry")
  func aNewerReceiptThatSaysLapsedEndsBillingRetry() throws {
    var ledger = ImportingLedger()
    try ledger.add(answer(retry, minute: 20), account: "ada")
    #expect(try state(ledger) == "billingRetry")
    try ledger.add(answer(lapsed, minute: 30), account: "ada")
    #expect(try state(ledger) == "expired")
  }

  @Test("a grace that a notification reported is ended too")
  func aGraceThatANotificationToldIsEndedToo() throws {
    var ledger = ImportingLedger()
    try ledger.add(answer("", minute: 5), account: "ada")
    var data = EventData.Builder()
    data.set("gracePeriodExpiresAt", at("2023-11-15T22:00:00Z"))
    try ledger.append([
      Event(
        id: "n", type: EventType(.subscriptionGracePeriodEntered),
        occurredAt: at("2023-11-14T22:24:00Z"), source: EventSource(.notification),
        transaction: "1", originalTransaction: "1", data: data.build())
    ])
    try ledger.add(answer(lapsed, minute: 30), account: "ada")
    #expect(try state(ledger) == "expired")
  }

  /// Grace, retry and the end, in four receipts. In each of the 24 orders the answers are the same,
  /// now and at every moment in between, and importing a file again appends nothing.
  @Test("receipts in any order give the same answers") func receiptsInAnyOrderGiveTheSameAnswers()
    throws
  {
    let files = [
      answer(grace, minute: 20), answer(grace, minute: 40), answer(retry, minute: 70),
      answer(lapsed, minute: 90),
    ]
    let moments = ["22:20:00", "22:35:00", "22:55:00", "23:15:00", "23:25:00", "23:50:00"]
    for order in files.everyOrder {
      var ledger = ImportingLedger()
      for file in order {
        try ledger.add(file, account: "ada")
        #expect(try ledger.add(file, account: "ada") == 0)
      }
      var states: [String?] = []
      for moment in moments { states.append(try state(ledger, at: "2023-11-14T\(moment)Z")) }
      #expect(
        states == [
          "active", "gracePeriod", "gracePeriod", "billingRetry", "billingRetry", "expired",
        ])
      #expect(try state(ledger) == "expired")
    }
  }

  @Test("a state that the newest known says is not told again")
  func aStateThatTheNewestKnownSaysIsNotToldAgain() throws {
    var ledger = ImportingLedger()
    let on = #","auto_renew_status":"1""#
    let off = #","auto_renew_status":"0""#
    try ledger.add(answer(on, minute: 1))
    #expect(try ledger.add(answer(on, minute: 2)) == 1, "the import alone")
    #expect(try ledger.add(answer(off, minute: 3)) == 2)
    #expect(try ledger.add(answer(on, minute: 4)) == 2)
    #expect(
      ledger.events.of(.subscriptionAutoRenewChanged).map { $0.data.boolean("autoRenew") } == [
        true, false, true,
      ])
  }

  @Test("a period that is paid afterwards can fail again")
  func aPeriodThatIsPaidAfterwardsCanFailAgain() throws {
    var ledger = ImportingLedger()
    try ledger.add(answer(retry, minute: 20), account: "ada")
    let next = answer(retry, minute: 40).replacing(
      #""latest_receipt_info":["#,
      with: #""latest_receipt_info":[{"transaction_id":"2","original_transaction_id":"1","#
        + #""product_id":"plus","purchase_date_ms":"1700001260000","#
        + #""expires_date_ms":"1700001800000"},"#)
    try ledger.add(next, account: "ada")
    #expect(try state(ledger) == "billingRetry")
    #expect(ledger.events.of(.subscriptionBillingFailed).map(\.transaction) == ["1", "2"])
  }

  @Test("an entry without an original is matched by its product")
  func anEntryWithoutAnOriginalIsMatchedByItsProduct() throws {
    let events = try receipt(answer(#","auto_renew_status":"0""#, minute: 5, original: ""))
    #expect(events.of(.subscriptionAutoRenewChanged).map(\.originalTransaction) == ["1"])
  }

  @Test("an entry of no known chain is left out with a warning")
  func anEntryOfNoKnownChainIsLeftOutWithAWarning() throws {
    let text = answer(#","auto_renew_status":"0""#, minute: 5, original: "")
      .replacing(#"{"product_id":"plus","auto"#, with: #"{"product_id":"other","auto"#)
    let outcome = try outcome(text)
    #expect(outcome.events.of(.subscriptionAutoRenewChanged).isEmpty)
    #expect(outcome.events.of(.transactionPurchased).count == 1)
    #expect(outcome.warnings.count == 1)
    #expect(outcome.warnings[0].hasPrefix("pending_renewal_info[0] is left out"))
  }

  @Test("the state at the top level is read") func theStateAtTheTopLevelIsRead() throws {
    let text = """
      {"status":0,"auto_renew_status":1,"auto_renew_product_id":"plus-yearly",
       "receipt":{"bid":"app","transaction_id":"5","original_transaction_id":"5",
       "product_id":"plus","expires_date":"1384424623000","purchase_date_ms":"1384424443000"}}
      """
    let error = try #require(refusal(text, environment: .production))
    #expect(error.code == .missing)
    #expect(error.remedy.contains("--asked-at"))
    let askedAt = at("2013-11-14T10:22:00Z")
    let changed = try receipt(text, environment: .production, askedAt: askedAt)
      .of(.subscriptionAutoRenewChanged)
    #expect(changed.map(\.occurredAt) == [askedAt])
    #expect(changed.map(\.originalTransaction) == ["5"])
    #expect(changed.map { $0.data.boolean("autoRenew") } == [true])
    #expect(changed.map { $0.data.string("toProduct") } == ["plus-yearly"])
  }

  @Test("an upgrade without a date is reported once") func anUpgradeWithoutADateIsToldOnce() throws
  {
    func upgraded(minute: Int) -> String {
      answer("", minute: minute).replacing(
        #""expires_date_ms":"1700000600000""#,
        with: #""expires_date_ms":"1700000600000","is_upgraded":"true""#)
    }
    var ledger = ImportingLedger()
    try ledger.add(upgraded(minute: 5))
    #expect(try ledger.add(upgraded(minute: 6)) == 1, "the import alone")
  }
}
