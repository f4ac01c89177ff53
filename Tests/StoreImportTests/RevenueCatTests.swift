import Foundation
import LedgerEvents
import LedgerOracle
import Testing

@testable import StoreImport

/// A webhook about a subscription of 1,000 seconds (``Signed``).
func webhook(
  _ type: String, id: String = "w1", at seconds: Int64 = 10, user: String = "ada",
  aliases: [String] = [], transaction: String = "1", start: Int64 = 0, end: Int64? = 1_000,
  price: String = "4.99", store: String = "APP_STORE", environment: String = "PRODUCTION",
  _ more: String = ""
) -> String {
  let all = aliases.map { "\"\($0)\"" }.joined(separator: ",")
  return """
    {"api_version":"1.0","event":{"type":"\(type)","id":"\(id)","app_id":"app1234",
     "event_timestamp_ms":\(Signed.milliseconds(seconds)),"app_user_id":"\(user)",
     "original_app_user_id":"\(user)","aliases":[\(all)],"product_id":"plus",
     "period_type":"NORMAL","purchased_at_ms":\(Signed.milliseconds(start)),
     "expiration_at_ms":\(end.map { String(Signed.milliseconds($0)) } ?? "null"),
     "environment":"\(environment)","transaction_id":"\(transaction)",
     "original_transaction_id":"1","price":5.5,"price_in_purchased_currency":\(price),
     "currency":"EUR","store":"\(store)",
     "subscriber_attributes":{"$email":{"value":"ada@example.com"}}\(more)}}
    """.replacing("\n", with: " ")
}

let exportColumns =
  "rc_original_app_user_id,rc_last_seen_app_user_id_alias,product_identifier,start_time,end_time,"
  + "grace_period_end_time,store,is_auto_renewable,is_trial_period,is_sandbox,"
  + "purchase_price_in_purchased_currency,purchased_currency,store_transaction_id,"
  + "original_store_transaction_id,refunded_at,unsubscribe_detected_at,billing_issues_detected_at,"
  + "updated_at"

func row(
  id: String = "1", store: String = "app_store", sandbox: Bool = false, refunded: String = "",
  unsubscribed: String = "", billing: String = "", grace: String = "", user: String = "ada"
) -> String {
  "\(user),\(user),plus,2023-06-02 10:00:00,2023-06-02 10:16:40,\(grace),\(store),true,false,"
    + "\(sandbox),4.99,EUR,\(id),1,\(refunded),\(unsubscribed),\(billing),2023-06-03 00:00:00"
}

private func file(
  _ text: String, isExport: Bool = false, app: Name? = nil, environment: StoreEnvironment? = nil,
  name: String = "hooks.jsonl"
) throws(ImportError) -> RevenueCatImport {
  try RevenueCatImport(
    Array(text.utf8), isExport: isExport,
    options: ImportOptions(fileName: name, digestKey: digestKey, app: app, environment: environment)
  )
}

private func hooked(_ text: String, app: Name? = nil) throws(ImportError) -> [Event] {
  try file(text, app: app).outcome().events
}

private func exported(_ rows: String...) throws(ImportError) -> ReceiptImport.Outcome {
  try file(([exportColumns] + rows).joined(separator: "\n"), isExport: true).outcome()
}

private func refusal(
  _ text: String, isExport: Bool = false, app: Name? = nil
) -> ImportError? {
  do throws(ImportError) {
    _ = try file(text, isExport: isExport, app: app).outcome()
    return nil
  } catch { return error }
}

extension ImportingLedger {
  @discardableResult
  mutating func add(
    revenueCat text: String, isExport: Bool = false, app: Name? = nil, name: String = "hooks.jsonl"
  ) throws -> Int {
    let read = try file(text, isExport: isExport, app: app, name: name)
    var all: [StoreEnvironment: KnownPurchases] = [:]
    for subjects in read.subjects { all[subjects.environment] = known }
    return try append(try read.outcome(all).events) { event in
      max(event.data.instant("signedAt") ?? event.occurredAt, event.occurredAt)
    }
  }
}

@Suite("RevenueCat") struct RevenueCatTests {
  @Test("a price that is a text is the number that it says", arguments: ["4.99", "4.990"])
  func priceAsText(price: String) throws {
    let events = try hooked(webhook("INITIAL_PURCHASE", price: "\"\(price)\""))
    #expect(events.of(.transactionPurchased).first?.data.string("price") == "4.99")
  }

  @Test(
    "each type of webhook becomes what the table says", arguments: RevenueCatMeaning.all)
  func eachType(meaning: RevenueCatMeaning) throws {
    let member = meaning.type == "EXPIRATION" ? "expiration_reason" : "cancel_reason"
    var more = meaning.reason.map { #","\#(member)":"\#($0)""# } ?? ""
    more += #","grace_period_expiration_at_ms":\#(Signed.milliseconds(2_000))"#
    more += #","transferred_from":["bob"],"transferred_to":["ada"],"entitlement_ids":["pro"]"#
    let text = webhook(
      meaning.type, at: 600, aliases: ["$RCAnonymousID:1"],
      transaction: meaning.type == "RENEWAL" ? "2" : "1", more)
    let events = try hooked(text)
    for kind in meaning.kinds {
      let event = try #require(events.of(kind).first, "\(meaning.type)")
      if meaning.isPurchase {
        // Right before its start, so that what the store says is newer.
        #expect(event.occurredAt.microseconds == Signed.instant(0).microseconds - 1)
        #expect(event.data.instant("purchasedAt") == Signed.instant(0))
        #expect(event.data.string("price") == "4.99")
        #expect(event.data.string("currency") == "EUR")
      } else {
        let failures: [EventKind] = [.subscriptionGracePeriodEntered, .subscriptionBillingFailed]
        let before = failures.firstIndex(of: kind).map { Int64($0) + 1 } ?? 0
        let date = Signed.instant(600).microseconds - before
        #expect(event.occurredAt.microseconds == date || kind == .subscriptionExpired)
      }
    }
    let lines = events.map { String(decoding: EventEncoder().encode($0), as: UTF8.self) }
    #expect(!lines.contains { $0.contains("example.com") })
    #expect(events.first?.data.boolean("verified") == false)
    #expect(events.of(.notificationReceived).isEmpty || meaning.kinds == [.notificationReceived])
  }

  @Test("an unknown type is kept with its members, without the customer's attributes")
  func anUnknown() throws {
    let event = try #require(
      try hooked(webhook("SOMETHING_NEW", #","new":{"a":1}"#)).of(.notificationReceived).first)
    #expect(event.data.string("notificationType") == "SOMETHING_NEW")
    #expect(event.data.value("new") != nil && event.data.value("subscriber_attributes") == nil)
    #expect(event.id == "revenuecat:w1" && event.transaction == "1")
  }

  @Test("a webhook that was sent again is one fact") func webhookWas() throws {
    let lines = ["RENEWAL", "CANCELLATION", "EXPIRATION", "TRANSFER", "TEST"].enumerated().map {
      webhook($1, id: "w\($0)", at: Int64($0), #","transferred_from":["b"],"transferred_to":["c"]"#)
    }
    var ledger = ImportingLedger()
    let first = try ledger.add(revenueCat: lines.joined(separator: "\n"))
    #expect(first > 5)
    #expect(try ledger.add(revenueCat: lines.joined(separator: "\n")) == 0)
    let again = "[" + (lines + lines.reversed()).joined(separator: ",") + "]"
    #expect(try ledger.add(revenueCat: again, name: "again") == 1)
  }

  @Test("a purchase that the store stated is not stated again, and has the same owner")
  func purchaseStore() throws {
    var ledger = ImportingLedger()
    let token = #""price":4990,"currency":"EUR","appAccountToken":"ada""#
    try ledger.add(signed: Signed.transaction(token), as: .transaction)
    let app = try #require(ledger.events.compactMap(\.app).first)
    let before = ledger.events.count
    #expect(try ledger.add(revenueCat: webhook("INITIAL_PURCHASE"), app: app) == 1)
    #expect(ledger.events.count == before + 1)
    // What the store says later has an id of its own, and stands beside it.
    let fact = try #require(
      try hooked(webhook("INITIAL_PURCHASE", price: "null"), app: app).of(.transactionPurchased)
        .first)
    let receipt = try StoreImportTests.receipt(Signed.receipt(asked: 10)).of(.transactionPurchased)
    #expect(receipt.count == 1 && receipt.allSatisfy { $0.id != fact.id && fact.id < $0.id })
    #expect(fact.data.string("reportedBy") == "revenuecat")
  }

  @Test("a webhook that changes something and states no environment is refused")
  func environmentUnknown() throws {
    func without(_ type: String, _ more: String = "") -> String {
      webhook(type, aliases: ["ada", "$RCAnonymousID:1"], more)
        .replacing(#""environment":"PRODUCTION","#, with: "")
    }
    let given = #","transferred_from":["bob"],"transferred_to":["ada"]"#
    for type in ["TRANSFER", "SUBSCRIBER_ALIAS", "TEMPORARY_ENTITLEMENT_GRANT", "RENEWAL"] {
      let error = try #require(refusal(without(type, given)), "\(type)")
      #expect(error.path == "event.environment" && error.remedy.contains("--environment"))
    }
    let sandbox = try file(without("TRANSFER", given), environment: .sandbox).outcome().events
    #expect(sandbox.of(.accountTransferred).map(\.environment) == [.sandbox])
    let enrolment = try hooked(without("EXPERIMENT_ENROLLMENT"))
    #expect(enrolment.of(.notificationReceived).count == 1)
    #expect(enrolment.of(.accountLinked).isEmpty)
  }

  @Test("a row does not state a refund again that is known") func refundKnown() throws {
    var ledger = ImportingLedger()
    let refund = #","cancellation_date_ms":"\#(Signed.milliseconds(500))""#
    try ledger.add(Signed.receipt(asked: 900, refund))
    let hook = webhook("CANCELLATION", at: 510, #","cancel_reason":"CUSTOMER_SUPPORT""#)
    try ledger.add(revenueCat: hook)
    // A webhook is a fact of its own, and yields to the store's.
    let dates = ledger.events.of(.transactionRefunded).map { $0.data.instant("signedAt") }
    #expect(dates == [nil, Signed.instant(0)])
    try ledger.add(
      revenueCat: [exportColumns, row(refunded: "2023-06-02 10:08:31")].joined(separator: "\n"),
      isExport: true, name: "export.csv")
    #expect(ledger.events.of(.transactionRefunded).count == 2)
  }

  @Test("aliases are one customer, and a transfer gives what one has to another") func aliasesOne()
    throws
  {
    let lines = [
      webhook("INITIAL_PURCHASE", aliases: ["$RCAnonymousID:1", "ada", "ada-mobile"]),
      webhook(
        "TRANSFER", id: "w2", at: 100, #","transferred_from":["ada"],"transferred_to":["eve"]"#),
      webhook(
        "RENEWAL", id: "w3", at: 1_000, user: "eve", transaction: "2", start: 1_000,
        end: 2_000),
    ].joined(separator: "\n")
    var ledger = ImportingLedger()
    try ledger.add(revenueCat: lines)
    #expect(ledger.events.of(.accountLinked).count == 2)
    let transferred = try #require(ledger.events.of(.accountTransferred).first)
    #expect(transferred.account == "ada" && transferred.data.string("to") == "eve")
    let assigned = ledger.events.of(.transactionAssigned)
    // The renewal follows the transfer, as it would from a file of its own.
    #expect(assigned.map(\.account) == ["ada"])
    var random = Seeded(state: 3)
    let answer = try ledger.answer(at: Signed.instant(1_500).rfc3339, shuffledBy: &random)
    #expect(answer.accounts["eve"]?.active == ["plus"] && answer.findings.isEmpty)
    #expect(assigned.allSatisfy { $0.data.string("reason") == "RevenueCat's app_user_id" })
    for event in ledger.events.of(.accountLinked) {
      #expect(!event.id.text.contains("ada") && !event.id.text.contains("RCAnon"))
    }
  }

  @Test("an end that comes after a new purchase does not end that one") func anEnd() throws {
    let lines = [
      webhook("INITIAL_PURCHASE"),
      webhook("RENEWAL", id: "w2", at: 1_100, transaction: "2", start: 1_100, end: 2_000),
      webhook("EXPIRATION", id: "w3", at: 1_500, #","expiration_reason":"UNSUBSCRIBE""#),
      webhook(
        "EXPIRATION", id: "w4", at: 3_500, transaction: "2", start: 1_100, end: 2_000,
        #","expiration_reason":"BILLING_ERROR""#),
    ].joined(separator: "\n")
    let ends = try hooked(lines).of(.subscriptionExpired)
    #expect(ends.map(\.occurredAt) == [Signed.instant(1_000), Signed.instant(3_500)])
    #expect(ends.map { $0.data.string("reason") } == ["cancelled", "billingError"])
  }

  @Test("other stores are counted and left out, and sandbox is kept apart") func otherStores()
    throws
  {
    let lines = [
      webhook("INITIAL_PURCHASE", store: "PLAY_STORE"), webhook("RENEWAL", store: "PLAY_STORE"),
      webhook("INITIAL_PURCHASE", id: "w2", environment: "SANDBOX"),
    ].joined(separator: "\n")
    let outcome = try file(lines).outcome()
    #expect(outcome.events.of(.transactionPurchased).map(\.environment) == [.sandbox])
    #expect(outcome.warnings.contains { $0.hasPrefix("2 webhooks of PLAY_STORE left out") })
    let only = try file(webhook("RENEWAL", store: "STRIPE")).outcome()
    #expect(only.events.isEmpty && only.warnings.count == 2)
    let rows = try exported(row(store: "play_store"), row(sandbox: true))
    #expect(rows.events.of(.transactionPurchased).map(\.environment) == [.sandbox])
    #expect(rows.warnings.contains { $0.hasPrefix("1 transaction of play_store left out") })
  }

  @Test(
    "prices are rounded to thousandths",
    arguments: [
      ("4.99", 4_990), ("0", 0), ("0.0", 0), ("12", 12_000), ("4.989999999999999", 4_990),
      ("0.0004", 0), ("0.0005", 1), ("-9.99", -9_990),
    ] as [(String, Int64)])
  func pricesRounded(text: String, thousandths: Int64) {
    #expect(RevenueCatPurchase.thousandths(text) == thousandths)
  }

  @Test(
    "what is no price is none",
    arguments: ["", "x", "1.", ".5", "1e", "1.2.3", "--1", "1234567890123"])
  func noPrice(text: String) {
    #expect(RevenueCatPurchase.thousandths(text) == nil)
  }

  @Test("a row says the purchase, its refund, its renewal and its billing") func rowSays() throws {
    let events = try exported(
      row(
        refunded: "2023-06-02 10:08:31", unsubscribed: "2023-06-02 10:05:00",
        billing: "2023-06-02 10:17:00", grace: "2023-06-05 10:17:00")
    ).events
    #expect(events.of(.transactionPurchased).first?.data.string("price") == "4.99")
    #expect(events.of(.transactionRefunded).first?.occurredAt == Signed.instant(511))
    #expect(events.of(.subscriptionAutoRenewChanged).first?.occurredAt == Signed.instant(300))
    let grace = try #require(events.of(.subscriptionGracePeriodEntered).first)
    // By the end of the period.
    #expect(grace.occurredAt.microseconds == Signed.instant(1_000).microseconds - 1)
    #expect(events.of(.subscriptionBillingFailed).count == 1)
    #expect(events.of(.transactionAssigned).first?.account == "ada")
  }

  @Test("an export and webhooks about one purchase are one purchase") func anExport() throws {
    var ledger = ImportingLedger()
    try ledger.add(revenueCat: webhook("INITIAL_PURCHASE"))
    try ledger.add(
      revenueCat: webhook("CANCELLATION", id: "w2", at: 300, #","cancel_reason":"UNSUBSCRIBE""#),
      name: "b")
    let count = ledger.events.count
    let table = [exportColumns, row(unsubscribed: "2023-06-02 10:05:07")].joined(separator: "\n")
    let added = try ledger.add(revenueCat: table, isExport: true, name: "export.csv")
    #expect(added == 1, "\(ledger.events.map(\.id))")
    #expect(ledger.events.count == count + 1)
    #expect(ledger.events.of(.transactionPurchased).count == 1)
    #expect(try ledger.add(revenueCat: table, isExport: true, name: "export.csv") == 0)
    let semicolons = table.replacing(",", with: ";")
    #expect(try ledger.add(revenueCat: semicolons, isExport: true, name: "b.csv") == 1)
  }

  @Test("what is not RevenueCat's is refused with its place and what to do") func notRevenuecats()
    throws
  {
    for (text, isExport, path, said) in [
      (#"{"event":{"type":"TEST"}}"#, false, "event.id", "needs id"),
      (#"{"event":7}"#, false, "event", "expected a webhook"),
      (Signed.notification("TEST"), false, "event", "Import it as notification"),
      ("a,b\n1,2", true, "line 1", "rc_original_app_user_id is missing"),
      (webhook("TEST"), true, "", "import it as revenuecat"),
      ([exportColumns, row() + ",more"].joined(separator: "\n"), true, "line 2", "found 19"),
      (
        [exportColumns, row(refunded: "soon")].joined(separator: "\n"), true, "line 2, refunded_at",
        "soon"
      ),
      (
        [exportColumns, row().replacing("4.99", with: "four")].joined(separator: "\n"), true,
        "line 2, purchase_price_in_purchased_currency", "four"
      ),
      (
        webhook("INITIAL_PURCHASE", price: "true"), false, "event.price_in_purchased_currency",
        "found true"
      ),
      (
        webhook("INITIAL_PURCHASE", price: #""four""#), false,
        "event.price_in_purchased_currency", "four"
      ),
      (
        webhook("RENEWAL", #","aliases":[7]"#).replacing(#""aliases":[],"#, with: ""), false,
        "event.aliases", "found the number 7"
      ),
    ] {
      let error = try #require(refusal(text, isExport: isExport), "\(said)")
      #expect(error.path == path && error.description.contains(said), "\(error)")
    }
    let two = webhook("TEST") + "\n" + webhook("TEST").replacing("app1234", with: "app5678")
    #expect(refusal(two) == nil)
    #expect(try #require(refusal(two, app: "com.example.tides")).code == .contradiction)
  }
}
