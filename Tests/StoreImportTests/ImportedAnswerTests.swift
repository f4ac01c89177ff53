import LedgerEvents
import LedgerOracle
import Testing

@testable import StoreImport

/// Returns a ledger's answer after an import, by the independent implementation of the model.
private func answer(
  _ events: [Event], _ environment: StoreEnvironment, at moment: String? = nil
) throws -> Oracle.Answer {
  var recorded: [RecordedEvent] = []
  for event in events {
    recorded.append(
      RecordedEvent(
        position: UInt64(recorded.count + 1), recordedAt: at("2030-01-01T00:00:00Z"), event: event))
  }
  return try #require(Oracle(recorded).answers(at: moment.map { at($0) })[environment])
}

/// Returns a yearly plan, bought at 1,700,000,000 s for an hour, with one more entry and a pending
/// renewal.
private func plan(
  _ period: String = "", _ more: String = "", pending: String = "",
  requested: String = "1700005000000", end: String = "1700003600000"
) throws -> [Event] {
  try receipt(
    """
    {"status":0,"environment":"Production","receipt":{"bundle_id":"app",
     "request_date_ms":"\(requested)"},"latest_receipt_info":[{"transaction_id":"1",
     "original_transaction_id":"1","product_id":"yearly","purchase_date_ms":"1700000000000",
     "expires_date_ms":"\(end)"\(period)}\(more)],
     "pending_renewal_info":[{"original_transaction_id":"1","product_id":"yearly"\(pending)}]}
    """, account: "ada")
}

@Suite("The answers of an imported receipt") struct ImportedAnswerTests {
  private func state(
    _ events: [Event], _ product: Name = "yearly", at moment: String? = nil
  ) throws -> String? {
    try answer(events, .production, at: moment).accounts["ada"]?.states[product]
  }

  @Test("the samples customer has what the receipt says")
  func theSamplesCustomerHasWhatTheReceiptSays() throws {
    var products = EventData.Builder()
    products.set(
      "products",
      .array(
        try StoreKitConfiguration.products(
          in: StoreFiles.sample("sample.storekit"), fileName: "sample.storekit")))
    let catalogue = [
      Event(
        id: "catalogue", type: EventType(.catalogSet), occurredAt: at("2026-01-01T00:00:00Z"),
        app: "com.example.tides", data: products.build())
    ]
    let facts = try VerifyReceipt.events(
      from: StoreFiles.sample("sample-receipt.json"),
      options: ImportOptions(fileName: "sample-receipt.json", digestKey: digestKey, account: "ada"))
    let then = try answer(catalogue + facts, .production)
    #expect(
      try #require(then.accounts["ada"]).states == [
        "com.example.tides.northsea": "active", "com.example.tides.season2026": "active",
        "com.example.tides.plus.monthly": "active",
      ])
    #expect(then.findings.isEmpty)
    #expect(then.moment.isEmpty)
    let later = try answer(catalogue + facts, .production, at: "2026-03-17T12:00:00Z")
    #expect(later.accounts["ada"]?.states["com.example.tides.plus.monthly"] == "expired")
  }

  @Test(
    "nine transactions break no rule",
    .enabled(if: StoreFiles.hasFixtures, "skipped: no ../shared/fixtures beside the package"))
  func nineTransactionsBreakNoRule() throws {
    let events = try VerifyReceipt.events(
      from: StoreFiles.fixture(StoreFiles.nineTransactions),
      options: ImportOptions(fileName: "nine.json", digestKey: digestKey, account: "ada"))
    let answer = try answer(events, .sandbox)
    #expect(answer.findings.isEmpty)
    #expect(answer.moment.isEmpty)
    #expect(answer.accounts["ada"]?.active == ["com.revenuecat.annual_39.99.2_week_intro"])
    #expect(try self.answerOfProduction(events) == nil, "nothing is in another environment")
  }

  private func answerOfProduction(_ events: [Event]) throws -> Oracle.Answer? {
    let recorded = events.enumerated().map { index, event in
      RecordedEvent(
        position: UInt64(index + 1), recordedAt: at("2030-01-01T00:00:00Z"), event: event)
    }
    return Oracle(recorded).answers()[.production]
  }

  @Test("a grace that runs entitles and then does not") func aGraceThatRunsEntitlesAndThenDoesNot()
    throws
  {
    let events = try plan(
      pending: #","expiration_intent":"2","is_in_billing_retry_period":"1","#
        + #""grace_period_expires_date_ms":"1700009000000""#)
    #expect(try state(events) == "gracePeriod")
    #expect(try state(events, at: "2023-11-15T02:00:00Z") == "billingRetry")
  }

  @Test("billing retry and the end do not entitle") func billingRetryAndTheEndDoNotEntitle() throws
  {
    let retry = #","expiration_intent":"2","is_in_billing_retry_period":"1""#
    #expect(try state(try plan(pending: retry)) == "billingRetry")
    #expect(try state(try plan(pending: #","expiration_intent":"1""#)) == "expired")
    #expect(try state(try plan(requested: "1700000900000")) == "active")
  }

  @Test("an extension that a later receipt tells counts in any order")
  func anExtensionThatALaterReceiptTellsCountsInAnyOrder() throws {
    let before = try plan(requested: "1700000100000")
    let after = try plan(requested: "1700000200000", end: "1700090000000")
    for events in [before + after, after + before] {
      #expect(try state(events, at: "2023-11-15T12:00:00Z") == "active")
    }
  }

  @Test("a refunded period is over and an upgraded one gives way")
  func aRefundedPeriodIsOverAndAnUpgradedOneGivesWay() throws {
    let refund = #","cancellation_date_ms":"1700000900000""#
    #expect(try state(try plan(refund, requested: "1700001000000")) == "refunded")
    let better =
      #",{"transaction_id":"2","original_transaction_id":"1","product_id":"better","#
      + #""purchase_date_ms":"1700000900000","expires_date_ms":"1700004500000"}"#
    let events = try plan(
      refund + #","is_upgraded":"true""#, better, requested: "1700001000000")
    #expect(try answer(events, .production).accounts["ada"]?.states == ["better": "active"])
    #expect(try state(events, at: "2023-11-14T22:20:00Z") == "active")
  }

  @Test("importing again with the account named finds the holder")
  func importingAgainWithTheAccountNamedFindsTheHolder() throws {
    let text = """
      {"status":0,"environment":"Production","receipt":{"request_date_ms":"1700000000000",
       "in_app":[{"transaction_id":"1","product_id":"map","purchase_date_ms":"1600000000000"}]}}
      """
    let events = try receipt(text) + receipt(text, account: "ada")
    let answer = try answer(events, .production)
    #expect(answer.accounts["ada"]?.states == ["map": "active"])
    #expect(answer.findings.isEmpty)
  }
}
