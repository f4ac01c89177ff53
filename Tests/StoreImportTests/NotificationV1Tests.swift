import Foundation
import LedgerEvents
import LedgerOracle
import Testing

@testable import StoreImport

/// A server notification of version 1 about a subscription of 1,000 seconds (``Signed``).
private struct Sent {
  var type: String
  var password = "sesame"
  var more = ""
  var environment = "PROD"
  var bundle: String? = "app"
  /// The periods in it: the transaction, its start and its end.
  var periods: [(id: String, start: Int64, end: Int64)] = [("1", 0, 1_000)]
  var ofPeriod = ""
  var renewal = #""auto_renew_status":"1""#
  var receipt = "token"

  private var inside: String { environment == "PROD" ? "Production" : environment }

  private func milliseconds(_ seconds: Int64) -> Int64 { Signed.milliseconds(seconds) }

  private var entries: String {
    periods.map {
      """
      {"transaction_id":"\($0.id)","original_transaction_id":"1","product_id":"plus",
       "quantity":"1","purchase_date_ms":"\(milliseconds($0.start))",
       "expires_date_ms":"\(milliseconds($0.end))"\(ofPeriod)}
      """
    }.joined(separator: ",")
  }

  var text: String {
    """
    {"notification_type":"\(type)","password":"\(password)","environment":"\(environment)",
     "auto_renew_product_id":"plus"\(bundle.map { #","bid":"\#($0)""# } ?? "")\(more),
     "unified_receipt":{"status":0,"environment":"\(inside)",
      "latest_receipt":"\(receipt)","latest_receipt_info":[\(entries)],
      "pending_renewal_info":[{"original_transaction_id":"1","product_id":"plus",
       "auto_renew_product_id":"plus",\(renewal)}]}}
    """.replacing("\n", with: " ")
  }
}

private let trusted = PasswordTrust.compared(SharedSecrets([Array("sesame".utf8)]))

private func file(
  _ text: String, trust: PasswordTrust = trusted, account: Name? = nil, askedAt: Instant? = nil,
  name: String = "v1.jsonl"
) throws(ImportError) -> NotificationV1Import {
  try NotificationV1Import(
    Array(text.utf8),
    options: ImportOptions(
      fileName: name, digestKey: digestKey, account: account, askedAt: askedAt), trust: trust)
}

private func v1Events(_ text: String, askedAt: Instant? = nil) throws(ImportError) -> [Event] {
  try file(text, askedAt: askedAt).outcome().events
}

private func refusal(_ text: String, trust: PasswordTrust = trusted) -> ImportError? {
  do throws(ImportError) {
    _ = try file(text, trust: trust).outcome()
    return nil
  } catch { return error }
}

extension ImportingLedger {
  @discardableResult
  fileprivate mutating func add(
    v1 text: String, askedAt: Instant? = nil, name: String = "v1.jsonl"
  ) throws -> Int {
    let read = try file(text, askedAt: askedAt, name: name)
    var all: [StoreEnvironment: KnownPurchases] = [:]
    for subjects in read.subjects { all[subjects.environment] = known }
    return try append(try read.outcome(all).events, saidAt: \.occurredAt)
  }
}

@Suite("Notifications of version 1") struct NotificationV1Tests {
  // MARK: - Passwords

  @Test("a password that is not the secret is refused, whatever else it is") func passwordNot()
    throws
  {
    for wrong in ["", "sesam", "sesame ", "Sesame", "sesamesesame"] {
      let error = try #require(refusal(Sent(type: "DID_RENEW", password: wrong).text), "\(wrong)")
      #expect(error.code == .notBelieved && error.path.hasSuffix("password"))
      #expect(wrong.isEmpty || !error.description.contains("\"\(wrong)\""))
    }
    #expect(refusal(Sent(type: "DID_RENEW").text) == nil)
    let number = Sent(type: "DID_RENEW").text.replacing(#""sesame""#, with: "7")
    #expect(try #require(refusal(number)).code == .notBelieved)
    let none = Sent(type: "DID_RENEW").text.replacing(#""password":"sesame","#, with: "")
    #expect(try #require(refusal(none)).reason.contains("found none"))
    #expect(refusal(none, trust: .unverified) == nil)
  }

  @Test("without a secret nothing is believed, unless that is said and recorded")
  func withoutSecret() throws {
    let text = Sent(type: "INITIAL_BUY").text
    #expect(try #require(refusal(text, trust: .noSecret)).remedy.contains("--shared-secret-file"))
    let unverified = try file(text, trust: .unverified).outcome()
    #expect(unverified.events.first?.data.boolean("verified") == false)
    #expect(unverified.warnings.contains { $0.contains("no password was compared") })
    #expect(try v1Events(text).first?.data.boolean("verified") == true)
  }

  @Test("one of several secrets is enough, and an empty one is none") func oneSeveral() {
    let secrets = SharedSecrets([Array("old".utf8), [], Array("sesame".utf8)])
    #expect(secrets.hold("sesame") && secrets.hold("old"))
    #expect(!secrets.hold("") && !secrets.hold("new") && !secrets.hold("oldsesame"))
  }

  @Test("no event depends on the password") func noEvent() throws {
    let trust = PasswordTrust.compared(
      SharedSecrets([Array("sesame".utf8), Array("guess\"me".utf8)]))
    let type = "WHAT_IS_THIS"
    let time = Signed.instant(10)
    let first = try file(Sent(type: type).text, trust: trust, askedAt: time).outcome().events
    let escaped = Sent(type: type, password: #"gu\u0065ss\"me"#).text
      .replacing(#""password""#, with: #""pass\u0077ord" "#)
    let second = try file(escaped, trust: trust, askedAt: time).outcome().events
    #expect(first.dropFirst().map(\.id) == second.dropFirst().map(\.id))
    for event in first + second {
      let line = String(decoding: EventEncoder().encode(event), as: UTF8.self)
      #expect(!line.contains("sesame") && !line.contains("guess") && !line.contains("password"))
    }
    #expect(first[0].data.string("sha256") != nil)
    let blank = Sent(type: type, password: "").text
    #expect(first[0].data.string("sha256") == Digest.hex(of: Array(blank.utf8)))
  }

  @Test(
    "passwords are blanked and nothing else",
    arguments: [
      (#"{"password":"x"}"#, #"{"password":""}"#),
      (#"{ "password" : "a\"b\\" , "k":"password"}"#, #"{ "password" : "" , "k":"password"}"#),
      (
        #"{"p\u0061ssword":"x","b":["password","y"]}"#,
        #"{"p\u0061ssword":"","b":["password","y"]}"#
      ),
      (#"{"password":{"a":"b"},"c":"d"}"#, #"{"password":{"a":"b"},"c":"d"}"#),
      (#"{"password":null,"c":"d"}"#, #"{"password":null,"c":"d"}"#),
      (#"{"a":"password","password":"x"}{}"#, #"{"a":"password","password":""}{}"#),
      (#"{"passwords":"x","a":{"password":"y"}}"#, #"{"passwords":"x","a":{"password":""}}"#),
    ])
  func passwordsBlanked(text: String, blanked: String) {
    let bytes = PasswordBlanks.applied(to: Array(text.utf8))
    #expect(String(decoding: bytes, as: UTF8.self) == blanked)
  }

  // MARK: - Types

  @Test(
    "each type becomes what the table says", arguments: NotificationV1Meaning.all)
  func eachType(meaning: NotificationV1Meaning) throws {
    var sent = Sent(type: meaning.type)
    let isCancelled = meaning.occurrence == .cancellation
    if isCancelled {
      sent.ofPeriod = #","cancellation_date_ms":"\#(Signed.milliseconds(500))""#
      if meaning.type == "REVOKE" { sent.ofPeriod += #","in_app_ownership_type":"FAMILY_SHARED""# }
    }
    if meaning.occurrence == .change {
      sent.more = #","auto_renew_status_change_date_ms":"\#(Signed.milliseconds(700))""#
    }
    if meaning.kinds == [.subscriptionRenewed] || meaning.kinds.count == 2 {
      sent.periods.insert(("2", 1_000, 2_000), at: 0)
    }
    if meaning.type == "DID_FAIL_TO_RENEW" {
      sent.renewal += #","is_in_billing_retry_period":"1","expiration_intent":"2""#
    }
    if meaning.type == "PRICE_INCREASE_CONSENT" { sent.renewal += #","price_consent_status":"0""# }
    let events = try v1Events(sent.text, askedAt: Signed.instant(900))
    for kind in meaning.kinds {
      let found = try #require(events.first { $0.type.kind == kind }, "\(meaning.type) \(kind)")
      let expected =
        switch meaning.occurrence {
        case .purchase: sent.periods.count == 2 ? 1_000 : 0
        case .end: 1_000
        case .cancellation: 500
        case .change: 700
        case .sending: 900
        } as Int64
      // A failure is after the end of the period.
      let later: Int64 = meaning.occurrence == .end ? 1 : 0
      let date = Instant(microseconds: Signed.instant(expected).microseconds + later)
      #expect(found.occurredAt == date || kind == .subscriptionRenewed)
      #expect(events.contains { $0.occurredAt == date && $0.type.kind == kind })
      #expect(found.app == "app" && found.environment == .production)
    }
    #expect(events.of(.notificationReceived).isEmpty)
  }

  @Test("purchases, renewals and refunds are the facts of a receipt") func purchasesRenewals()
    throws
  {
    let refunded = #","cancellation_date_ms":"\#(Signed.milliseconds(500))""#
    let text = Sent(type: "REFUND", ofPeriod: refunded).text
    let facts = try v1Events(text).of(.transactionPurchased, .transactionRefunded)
    let answer = Signed.receipt(asked: 600, refunded)
    var ledger = ImportingLedger()
    try ledger.add(v1: text)
    let count = ledger.log.events.count
    let bundle = try #require(facts.first?.app)
    let known = ledger.known
    let again = try StoreImportTests.outcome(
      answer.replacing(
        try Regex(#""bundle_id":"[^"]*""#), with: #""bundle_id":"\#(bundle)""#), known: known
    ).events.dropFirst()
    #expect(facts.count == 2)
    #expect(again.map(\.id).sorted() == facts.map(\.id).sorted())
    #expect(try ledger.append(Array(again), saidAt: \.occurredAt) == 0)
    #expect(ledger.log.events.count == count)
  }

  @Test("a purchase that a notification of version 2 states is not stated again")
  func purchaseNotification() throws {
    var ledger = ImportingLedger()
    try ledger.add(
      signed: Signed.notification(
        "SUBSCRIBED", "INITIAL_BUY",
        transaction:
          Signed.transaction(), renewal: Signed.renewal()))
    let app = try #require(ledger.events.compactMap(\.app).first)
    let before = ledger.events.of(.transactionPurchased).count
    try ledger.add(v1: Sent(type: "INITIAL_BUY", bundle: app.text).text)
    #expect(before == 1 && ledger.events.of(.transactionPurchased).count == 1)
  }

  @Test("several copies are one fact, whatever receipt and order of members they have")
  func severalCopies()
    throws
  {
    for type in ["DID_CHANGE_RENEWAL_PREF", "WHAT_IS_THIS", "DID_RECOVER", "CONSUMPTION_REQUEST"] {
      var ledger = ImportingLedger()
      let time = Signed.instant(900)
      try ledger.add(v1: Sent(type: type).text, askedAt: time)
      let count = ledger.events.filter { $0.type.kind != .importReceived }.count
      let copy = Sent(type: type, receipt: "another").text
        .replacing(#""notification_type":"\#(type)","#, with: "")
        .replacing(
          #""auto_renew_product_id":"plus","#,
          with:
            #""auto_renew_product_id":"plus","notification_type":"\#(type)","#, maxReplacements: 1)
      try ledger.add(v1: copy, askedAt: Signed.instant(950), name: "copy")
      try ledger.add(v1: "[\(copy),\(copy)]", askedAt: Signed.instant(970), name: "copies")
      let facts = ledger.events.filter { $0.type.kind != .importReceived }
      #expect(facts.count == count, "\(type): \(facts.map(\.id))")
    }
  }

  @Test("the same file again adds nothing") func sameFile() throws {
    let lines = NotificationV1Meaning.all.map {
      Sent(
        type: $0.type,
        more:
          #","auto_renew_status_change_date_ms":"\#(Signed.milliseconds(700))""#
      ).text
    }
    let text = lines.joined(separator: "\n")
    var ledger = ImportingLedger()
    #expect(try ledger.add(v1: text, askedAt: Signed.instant(900)) > 4)
    #expect(try ledger.add(v1: text, askedAt: Signed.instant(900)) == 0)
  }

  @Test("an unknown type is kept with its members, without receipts") func anUnknown() throws {
    let text = Sent(type: "WHAT_IS_THIS", more: #","new_member":{"a":[1]}"#).text
    let event = try #require(
      try v1Events(text, askedAt: Signed.instant(10)).of(.notificationReceived).first)
    #expect(event.data.string("notificationType") == "WHAT_IS_THIS")
    #expect(event.data.value("new_member") != nil && event.transaction == "1")
    #expect(event.data.value("unified_receipt")?["latest_receipt"] == nil)
    #expect(event.data.value("unified_receipt")?["pending_renewal_info"] != nil)
  }

  @Test("notifications of before 2020 have one purchase, and date a refund themselves")
  func notificationsBefore()
    throws
  {
    let text = """
      {"notification_type":"CANCEL","password":"sesame","environment":"PROD",
       "cancellation_date_ms":"\(Signed.milliseconds(400))","web_order_line_item_id":"9",
       "auto_renew_status":"false","auto_renew_product_id":"plus","latest_expired_receipt":"x",
       "latest_expired_receipt_info":{"transaction_id":"1","original_transaction_id":"1",
        "product_id":"plus","bid":"app","bvrs":"1","web_order_line_item_id":"9",
        "purchase_date_ms":"\(Signed.milliseconds(0))",
        "expires_date":"\(Signed.milliseconds(1_000))"}}
      """
    let events = try v1Events(text)
    let refund = try #require(events.of(.transactionRefunded).first)
    #expect(refund.occurredAt == Signed.instant(400) && refund.transaction == "1")
    #expect(events.of(.transactionPurchased).first?.app == "app")
    #expect(events.of(.subscriptionAutoRenewChanged).first?.data.boolean("autoRenew") == false)
    let stated = text.replacing(
      #""bid":"app""#,
      with: #""bid":"app","cancellation_date_ms":"\#(Signed.milliseconds(400))""#)
    #expect(try v1Events(stated).of(.transactionRefunded).ids == [refund.id.text])
  }

  // MARK: - Dates

  @Test("what has no date needs the time at which it came, or the receipt's") func hasNo() throws {
    let text = Sent(type: "DID_CHANGE_RENEWAL_PREF").text
    let error = try #require(refusal(text))
    #expect(error.code == .missing && error.remedy.contains("--asked-at"))
    let sample = String(decoding: try StoreFiles.sample("sample.receipt"), as: UTF8.self)
    let dated = Sent(
      type: "DID_CHANGE_RENEWAL_PREF", receipt: sample.filter { !$0.isWhitespace }
    ).text
    let change = try #require(try v1Events(dated).of(.subscriptionPlanChanged).first)
    #expect(change.occurredAt > Signed.instant(-1_000_000_000))
    #expect(change.data.string("toProduct") == "plus")
  }

  @Test("a failed renewal is billing retry from the end of the period") func failedRenewal() throws
  {
    var ledger = ImportingLedger()
    try ledger.add(v1: Sent(type: "INITIAL_BUY").text)
    try ledger.add(
      v1: Sent(
        type: "DID_FAIL_TO_RENEW",
        renewal: #""auto_renew_status":"1","is_in_billing_retry_period":"1""#
      ).text, name: "b")
    let failed = ledger.events.of(.subscriptionBillingFailed)
    #expect(failed.map(\.occurredAt.microseconds) == [Signed.instant(1_000).microseconds + 1])
    let renewed = [("2", 1_500, 2_500), ("1", 0, 1_000)] as [(String, Int64, Int64)]
    try ledger.add(v1: Sent(type: "DID_RECOVER", periods: renewed).text, name: "c")
    #expect(
      ledger.events.of(.subscriptionBillingRecovered).map(\.occurredAt) == [Signed.instant(1_500)])
    #expect(ledger.events.of(.subscriptionRenewed).map(\.transaction) == ["2"])
  }

  // MARK: - What is refused

  @Test("contradictions and other documents are refused with their place")
  func contradictionsOther() throws {
    let mixed = Sent(type: "DID_RENEW").text.replacing(
      #""environment":"PROD""#,
      with:
        #""environment":"Sandbox""#)
    #expect(try #require(refusal(mixed)).code == .contradiction)
    let second = Sent(type: "DID_RENEW").text + "\n" + Signed.notification("TEST")
    let other = try #require(refusal(second))
    #expect(other.code == .otherFormat && other.remedy.contains("notification"))
    #expect(other.description.hasPrefix("v1.jsonl: line 2, notification_type"))
    #expect(try #require(refusal("")).code == .otherFormat)
    #expect(try #require(refusal("[1]")).path == "[0]")
    let failed = Sent(type: "DID_RENEW").text.replacing(#""status":0"#, with: #""status":21002"#)
    #expect(try #require(refusal(failed)).status == 21002)
  }
}
