import LedgerEvents
import Testing

@testable import StoreImport

/// Returns one entry of a receipt, with only the fields that every list has.
private func entry(_ transaction: String, _ more: String = "", product: String = "charts") -> String
{
  """
  {"transaction_id":"\(transaction)","product_id":"\(product)",
   "purchase_date_ms":"1700000000000"\(more.isEmpty ? "" : "," + more)}
  """
}

private func answer(inApp: [String], latest: [String]? = nil) -> String {
  let list = latest.map { #","latest_receipt_info":[\#($0.joined(separator: ","))]"# } ?? ""
  return """
    {"status":0,"environment":"Production","receipt":{"bundle_id":"app",
     "request_date_ms":"1800000000000","in_app":[\(inApp.joined(separator: ","))]}\(list)}
    """
}

@Suite("Purchases in a receipt") struct ReceiptPurchaseTests {
  private let shared = #""in_app_ownership_type":"FAMILY_SHARED""#

  @Test("identifiers that come as numbers keep their digits")
  func identifiersThatComeAsNumbersKeepTheirDigits() throws {
    let events = try receipt(
      """
      {"status":0,"environment":"Production",
       "receipt":{"request_date_ms":1432485078143,"in_app":[{"quantity":3,
       "transaction_id":90071992547409931234,"original_transaction_id":9007199254740993,
       "product_id":"a","purchase_date_ms":1432143672000,"is_trial_period":false}]}}
      """)
    let purchase = try #require(events.of(.transactionPurchased).first)
    #expect(purchase.transaction == "90071992547409931234")
    #expect(purchase.originalTransaction == "9007199254740993")
    #expect(purchase.data.integer("quantity") == 3)
    #expect(purchase.occurredAt == at("2015-05-20T17:41:12Z"))
  }

  @Test("one transaction in both lists is one purchase")
  func oneTransactionInBothListsIsOnePurchase() throws {
    let events = try receipt(
      answer(
        inApp: [entry("1")], latest: [entry("1", #""subscription_group_identifier":"7""#)]))
    #expect(events.of(.transactionPurchased).count == 1)
  }

  @Test("what only one list knows makes no other purchase")
  func whatOnlyOneListKnowsMakesNoOtherPurchase() throws {
    let plain = try receipt(answer(inApp: [entry("1")]))
    let fuller = try receipt(
      answer(
        inApp: [],
        latest: [
          entry(
            "1",
            #""quantity":"1","original_transaction_id":"1","is_trial_period":"false","#
              + #""in_app_ownership_type":"PURCHASED","web_order_line_item_id":"9","#
              + #""subscription_group_identifier":"7","offer_code_ref_name":"spring""#)
        ]))
    var log = IdempotentLog()
    _ = try log.append(plain)
    #expect(try log.append(fuller) == 2, "the other file's import, and the offer")
    #expect(Array(log.events.values).of(.transactionPurchased).count == 1)
    #expect(Array(log.events.values).of(.subscriptionOfferRedeemed).count == 1)
  }

  @Test("the newer list goes first and the older fills its gaps")
  func theNewerListGoesFirstAndTheOlderFillsItsGaps() throws {
    let expiry = #""expires_date_ms":"1700000500000""#
    let events = try receipt(
      answer(
        inApp: [entry("1", expiry + #","quantity":"4""#)],
        latest: [entry("1", #""expires_date_ms":"1700000900000""#)]))
    let purchase = try #require(events.of(.transactionPurchased).first)
    #expect(purchase.data.instant("expiresAt") == Instant(microseconds: 1_700_000_900_000_000))
    #expect(purchase.data.integer("quantity") == 4)
  }

  @Test("of two statements of a period the later end comes last")
  func ofTwoStatementsOfAPeriodTheLaterEndComesLast() throws {
    func period(_ expiry: String) throws -> Event {
      try #require(
        try receipt(answer(inApp: [entry("2", #""expires_date_ms":"\#(expiry)""#)]))
          .of(.transactionPurchased, .subscriptionRenewed).first)
    }
    let before = try period("1700000500000")
    let extended = try period("1700000900000")
    #expect(before.occurredAt == extended.occurredAt)
    #expect(before.id < extended.id)
  }

  @Test("a restored purchase keeps its own date") func aRestoredPurchaseKeepsItsOwnDate() throws {
    let events = try receipt(
      answer(inApp: [entry("1", #""original_purchase_date_ms":"1600000000000""#)]))
    #expect(events.of(.transactionPurchased).first?.occurredAt == at("2020-09-13T12:26:40Z"))
  }

  @Test("the originals date is not that of a later transaction")
  func theOriginalsDateIsNotThatOfALaterTransaction() throws {
    let events = try receipt(
      answer(
        inApp: [
          entry(
            "2",
            #""original_transaction_id":"1","original_purchase_date_ms":"1600000000000""#)
        ]))
    #expect(events.of(.transactionPurchased).first?.occurredAt == at("2023-11-14T22:13:20Z"))
  }

  @Test("a period is not bought after its end") func aPeriodIsNotBoughtAfterItsEnd() throws {
    let events = try receipt(
      answer(
        inApp: [
          entry(
            "2",
            #""original_transaction_id":"1","original_purchase_date_ms":"1600000000000","#
              + #""expires_date_ms":"1600000300000""#)
        ]))
    #expect(events.of(.subscriptionRenewed).first?.occurredAt == at("2020-09-13T12:26:40Z"))
  }

  @Test("family sharing is stated and sets the purchase apart")
  func familySharingIsStatedAndSetsThePurchaseApart() throws {
    var log = IdempotentLog()
    _ = try log.append(try receipt(answer(inApp: [entry("1")])))
    let events = try receipt(answer(inApp: [entry("1", shared)]))
    #expect(try log.append(events) == 2)
    #expect(events.of(.transactionPurchased).first?.data.string("ownership") == "familyShared")
  }

  @Test("a familys cancelled purchase is revoked") func aFamilysCancelledPurchaseIsRevoked() throws
  {
    let events = try receipt(
      answer(inApp: [entry("1", shared + #","cancellation_date_ms":"1700000900000""#)]))
    #expect(events.of(.transactionRevoked).map(\.occurredAt) == [at("2023-11-14T22:28:20Z")])
    #expect(events.of(.transactionRefunded).isEmpty)
  }

  @Test("an upgrade is no refund") func anUpgradeIsNoRefund() throws {
    let events = try receipt(
      answer(
        inApp: [
          entry(
            "1",
            #""expires_date_ms":"1700001000000","is_upgraded":"true","#
              + #""cancellation_date_ms":"1700000900000""#)
        ]))
    #expect(events.of(.transactionRefunded).isEmpty)
    let facts = events.of(.transactionPurchased)
    #expect(facts.map { $0.data.boolean("isUpgraded") } == [nil, true])
    #expect(facts.map(\.occurredAt.microseconds) == [1_700_000_000_000_000, 1_700_000_900_000_000])
    #expect(facts.allSatisfy { $0.data.instant("purchasedAt") == facts[0].occurredAt })
  }

  @Test("an end without a reason is no refund where the ledger knows of an upgrade")
  func anEndWithoutAReasonIsNoRefundWhereTheLedgerKnowsOfAnUpgrade() throws {
    let dates = #""expires_date_ms":"1700001000000","cancellation_date_ms":"1700000900000""#
    let text = answer(inApp: [entry("1", dates), entry("2", dates)])
    let events = try outcome(text, known: KnownPurchases(upgraded: ["1"])).events
    #expect(events.of(.transactionRefunded).map(\.transaction) == ["2"])
  }

  @Test("a receipt in the style of IOS6 is one purchase")
  func aReceiptInTheStyleOfIOS6IsOnePurchase() throws {
    let events = try receipt(
      """
      {"status":0,"receipt":{"bid":"app","item_id":"1","transaction_id":"5","quantity":"1",
       "original_transaction_id":"5","product_id":"plus","expires_date":"1384424623000",
       "purchase_date":"2013-11-14 10:20:43 Etc/GMT"},
       "latest_receipt_info":{"transaction_id":"6","original_transaction_id":"5",
       "product_id":"plus","expires_date":"1384424923000","purchase_date_ms":"1384424623000"}}
      """, environment: .production)
    let periods = events.of(.transactionPurchased, .subscriptionRenewed)
    #expect(periods.map(\.transaction) == ["5", "6"])
    #expect(periods.map { $0.data.instant("expiresAt") }.first == at("2013-11-14T10:23:43Z"))
    #expect(periods.allSatisfy { $0.app == "app" && $0.environment == .production })
    #expect(periods.ids.first == "receipt:app:production:5:purchased:1384424443000-1384424623000")
  }

  @Test("lists that are absent or empty are no error") func listsThatAreAbsentOrEmptyAreNoError()
    throws
  {
    let empty = #"{"status":0,"receipt":{"request_date_ms":"1700000000000","in_app":[]}}"#
    #expect(try receipt(empty, environment: .xcode).map(\.type.kind) == [.importReceived])
    let bare = #"{"status":0,"receipt":{"request_date_ms":"1700000000000"}}"#
    #expect(try receipt(bare, environment: .xcode).map(\.type.kind) == [.importReceived])
  }

  @Test("the environment is the answers else the receipts else the options")
  func theEnvironmentIsTheAnswersElseTheReceiptsElseTheOptions() throws {
    func environment(
      _ answer: String, _ receiptType: String, named: StoreEnvironment? = nil
    ) throws -> StoreEnvironment? {
      try receipt(
        #"{"status":0\#(answer),"receipt":{"request_date_ms":"1"\#(receiptType)}}"#,
        environment: named
      ).first?.environment
    }
    let sandboxType = #","receipt_type":"ProductionSandbox""#
    #expect(try environment(#","environment":"Production""#, sandboxType) == .production)
    #expect(try environment("", sandboxType) == .sandbox)
    #expect(try environment("", #","receipt_type":"Xcode""#) == .xcode)
    #expect(try environment("", "", named: .localTesting) == .localTesting)
  }

  @Test("an expired receipt still lists what was bought")
  func anExpiredReceiptStillListsWhatWasBought() throws {
    let text = """
      {"status":21006,"receipt":{"bid":"app","transaction_id":"5","original_transaction_id":"5",
       "product_id":"plus","expires_date":"1384424623000","purchase_date_ms":"1384424443000"},
       "latest_expired_receipt_info":{"transaction_id":"6","original_transaction_id":"5",
       "product_id":"plus","expires_date":"1384424923000","purchase_date_ms":"1384424623000"}}
      """
    let events = try receipt(text, environment: .production)
    let periods = events.of(.transactionPurchased, .subscriptionRenewed)
    #expect(periods.map(\.transaction) == ["5", "6"])
    #expect(events.of(.subscriptionExpired).isEmpty)
    #expect(try #require(refusal(#"{"status":21006,"receipt":{}}"#)).status == 21006)
  }

  @Test("a notification is refused, because its password would not be compared")
  func notification() throws {
    let text = """
      {"notification_type":"DID_RENEW","environment":"PROD","bid":"app","unified_receipt":{
       "status":0,"environment":"Production","latest_receipt_info":[\(entry("1"))]}}
      """
    let error = try #require(refusal(text))
    #expect(error.code == .otherFormat && error.remedy.contains("notification-v1"))
  }
}
