import Foundation
import LedgerEvents
import SignedDataSamples
import Testing

@testable import StoreImport

@Suite("A transaction of StoreKit 2") struct SignedTransactionTests {
  private func facts(_ text: String, as format: ImportFormat = .transaction) throws -> [Event] {
    try signedEvents(text, as: format).filter { $0.type.kind != .importReceived }
  }

  @Test("is the same event as an entry of a receipt") func sameAsReceipt() throws {
    let samples = try SigningSamples()
    let trust = SignatureTrust.verified(try samples.verifier(), at: SigningSamples.now)
    for (more, other) in [
      ("", ""),
      (
        #""revocationDate":\#(Signed.milliseconds(500)),"revocationReason":1"#,
        #","cancellation_date_ms":"\#(Signed.milliseconds(500))","cancellation_reason":"1""#
      ),
      (#""offerType":2,"offerIdentifier":"spring""#, #","promotional_offer_id":"spring""#),
      (#""offerType":3,"offerIdentifier":"code""#, #","offer_code_ref_name":"code""#),
      (#""offerType":1,"offerDiscountType":"FREE_TRIAL""#, #","is_trial_period":"true""#),
      (
        #""offerType":1,"offerDiscountType":"PAY_UP_FRONT""#, #","is_in_intro_offer_period":"true""#
      ),
    ] {
      let text = try samples.jws(Signed.transaction(signed: 900, more))
      let signed = try signedEvents(
        String(decoding: text, as: UTF8.self), as: .transaction, trust: trust
      ).filter { $0.type.kind != .importReceived }
      let receipt = try receipt(Signed.receipt(asked: 900, other))
        .filter { $0.type.kind != .importReceived }
      #expect(signed.count == receipt.count && !signed.isEmpty)
      for (left, right) in zip(signed, receipt) {
        #expect(left.id == right.id && left.sameContent(as: right), "\(left) \(right)")
      }
    }
  }

  @Test("states the price in thousandths and the storefront") func price() throws {
    let prices = [
      (10990, "10.99"), (9990, "9.99"), (10000, "10"), (10500, "10.50"), (1, "0.001"), (0, "0"),
      (1_500_000, "1500"),
    ]
    for (thousandths, price) in prices {
      let bought = try facts(
        Signed.transaction(
          #""price":\#(thousandths),"currency":"EUR","storefront":"DEU","type":"Consumable""#)
      ).of(.transactionPurchased)
      #expect(bought.first?.data.string("price") == price)
      #expect(bought.first?.data.string("currency") == "EUR")
      #expect(bought.first?.data.string("storefront") == "DEU")
      #expect(bought.first?.source == EventSource(.receipt))
    }
    #expect(
      signedRefusal(Signed.transaction(#""price":1.5,"currency":"EUR""#), as: .transaction)?.code
        == .badValue)
  }

  @Test("that says more than a receipt is imported after it, and a receipt after it adds nothing")
  func moreThanReceipt() throws {
    let priced = Signed.transaction(#""price":10990,"currency":"EUR""#)
    let receipt = Signed.receipt(asked: 900)
    var ledger = ImportingLedger()
    try ledger.add(signed: priced, as: .transaction)
    #expect(try ledger.add(receipt) == 1, "the import alone")
    #expect(try ledger.add(receipt) == 0)
    var other = ImportingLedger()
    try other.add(receipt)
    #expect(try other.add(signed: priced, as: .transaction) == 2)
    #expect(try other.add(signed: priced, as: .transaction) == 0)
  }

  @Test("that was revoked is a refund, or the end of family sharing") func revoked() throws {
    let date = #""revocationDate":\#(Signed.milliseconds(500))"#
    let family = #","inAppOwnershipType":"FAMILY_SHARED""#
    let plain = Signed.transaction(date)
    func kinds(_ more: String, isShared: Bool = false) throws -> [Event] {
      var text = Signed.transaction(date + more)
      if isShared {
        text = text.replacing(#","inAppOwnershipType":"PURCHASED""#, with: family)
      }
      return try facts(text).of(.transactionRefunded, .transactionRevoked)
    }
    #expect(try facts(plain).of(.transactionRefunded).count == 1)
    #expect(try kinds("", isShared: true).map(\.type.kind) == [.transactionRevoked])
    #expect(
      try kinds(#","revocationType":"FAMILY_REVOKE""#).map(\.type.kind) == [.transactionRevoked])
    let parts = try kinds(
      #","revocationType":"REFUND_PRORATED","revocationPercentage":33333"#, isShared: true)
    #expect(parts.map(\.type.kind) == [.transactionRefunded])
    #expect(parts.first?.data.numberText("percent") == "33.333")
    #expect(parts.first?.data.instant("revokedAt") == Signed.instant(500))
  }

  @Test("that was upgraded ends once, however often it is signed") func upgraded() throws {
    var ledger = ImportingLedger()
    try ledger.add(signed: Signed.transaction(signed: 500, #""isUpgraded":true"#), as: .transaction)
    try ledger.add(signed: Signed.transaction(signed: 600, #""isUpgraded":true"#), as: .transaction)
    let ended = ledger.events.filter { $0.data.boolean("isUpgraded") == true }
    #expect(ended.map(\.occurredAt) == [Signed.instant(500)])
    // Signed data states a refund by itself, also of what was upgraded.
    let refunded = try facts(
      Signed.transaction(#""isUpgraded":true,"revocationDate":\#(Signed.milliseconds(500))"#))
    #expect(refunded.of(.transactionRefunded).count == 1)
    #expect(refunded.filter { $0.data["isUpgraded"] != nil }.count == 1)
  }

  @Test("names its account, which an import never changes") func account() throws {
    let text = Signed.transaction(#""appAccountToken":"token""#)
    var ledger = ImportingLedger()
    try ledger.add(signed: text, as: .transaction)
    #expect(ledger.events.of(.transactionAssigned).map(\.account) == ["token"])
    #expect(ledger.events.filter { $0.account != nil }.count == 1)
    let error = #expect(throws: ImportError.self) {
      try ledger.add(signed: Signed.transaction(), as: .transaction, account: "ben")
    }
    #expect(error?.code == .ownedByAnother)
  }

  @Test("is read alone, in an array, one a line and over several lines") func shapes() throws {
    let (one, two) = (Signed.transaction(), Signed.transaction(id: "2", at: 1_000, end: 2_000))
    for text in [
      "[\(one),\(two)]", "\(one)\n\(two)\n", "\n \(one)\r\n\n\(two)", "[\n\(one),\n\(two)\n]",
      "\u{FEFF}\(one)\n\(two)",
    ] {
      let events = try facts(text)
      #expect(events.map(\.type.kind) == [.transactionPurchased, .subscriptionRenewed], "\(text)")
    }
    #expect(try facts(one.replacing(",", with: ",\n")).count == 1)
    #expect(signedRefusal("", as: .transaction)?.code == .otherFormat)
    #expect(signedRefusal("5", as: .transaction)?.code == .otherFormat)
    #expect(signedRefusal("[]", as: .transaction)?.code == .missing)
    let broken = signedRefusal("\(one)\n{\"transactionId\":\n", as: .transaction)
    #expect(broken?.code == .malformed)
    #expect(broken?.path.hasPrefix("line 2") == true, "\(broken?.path ?? "")")
    let lacking = signedRefusal(
      "\(one)\n\(two.replacing(#""productId":"plus","#, with: ""))", as: .transaction)
    #expect(lacking?.path == "line 2, productId")
  }

  @Test("of Xcode has dates with a fraction, and an original date that is unknown") func xcode()
    throws
  {
    let text =
      #"{"transactionId":"0","originalTransactionId":"0","bundleId":"app","productId":"pass","#
      + #""purchaseDate":1697679936049.7297,"originalPurchaseDate":-62135769600000,"#
      + #""expiresDate":1700358336049.7297,"quantity":1,"environment":"Xcode","#
      + #""signedDate":1697679936056.485}"#
    let events = try facts(text)
    #expect(events.map(\.occurredAt.rfc3339) == ["2023-10-19T01:45:36.049729Z"])
    #expect(events.first?.environment == .xcode)
  }
}

@Suite("Other signed data") struct OtherSignedDataTests {
  @Test("a renewal info says what the store observed, and the same again is left out")
  func renewal() throws {
    var ledger = ImportingLedger()
    try ledger.add(signed: Signed.renewal(signed: 10), as: .renewal)
    try ledger.add(signed: Signed.renewal(signed: 20), as: .renewal)
    try ledger.add(signed: Signed.renewal(autoRenew: false, signed: 30), as: .renewal)
    let changes = ledger.events.of(.subscriptionAutoRenewChanged)
    #expect(changes.map { $0.data.boolean("autoRenew") } == [true, false])
    #expect(changes.map(\.occurredAt) == [Signed.instant(10), Signed.instant(30)])
    #expect(changes.allSatisfy { $0.originalTransaction == "1" && $0.product == "plus" })
  }

  @Test("an app transaction is kept whole, in its environment") func appTransaction() throws {
    let text =
      #"{"receiptType":"Sandbox","bundleId":"app","receiptCreationDate":1698148900000,"#
      + #""originalApplicationVersion":"1.1.2","appTransactionId":"71","later":[1]}"#
    let events = try signedEvents(text, as: .appTransaction)
    let kept = try #require(events.of(.receiptSubmitted).first)
    #expect(kept.environment == .sandbox && kept.app == "app")
    #expect(kept.occurredAt.rfc3339 == "2023-10-24T12:01:40Z")
    #expect(kept.data["appTransaction"] == Array(text.utf8))
    #expect(events.count == 2)
  }

  @Test("saved answers of the server are read as what they hold") func history() throws {
    let samples = try SigningSamples()
    func jws(_ payload: String) throws -> String {
      String(decoding: try samples.jws(payload), as: UTF8.self)
    }
    let trust = SignatureTrust.verified(try samples.verifier(), at: SigningSamples.now)
    let one = try jws(Signed.transaction())
    let two = try jws(Signed.transaction(id: "2", at: 1_000, end: 2_000))
    let page = #"{"revision":"r","hasMore":false,"signedTransactions":["\#(one)","\#(two)"]}"#
    let bought = try signedEvents(page, as: .history, trust: trust)
    #expect(bought.of(.transactionPurchased, .subscriptionRenewed).count == 2)
    #expect(bought.first?.data.boolean("verified") == true)
    let renewal = try jws(Signed.renewal())
    func statuses(_ renewal: String) -> String {
      #"{"environment":"Production","data":[{"lastTransactions":[{"status":1,"#
        + #""signedTransactionInfo":"\#(one)","signedRenewalInfo":"\#(renewal)"}]}]}"#
    }
    let state = try signedEvents(statuses(renewal), as: .history, trust: trust)
    #expect(state.of(.subscriptionAutoRenewChanged).map(\.transaction) == ["1"])
    let foreign = try jws(
      Signed.renewal().replacing(#"TransactionId":"1""#, with: #"TransactionId":"9""#))
    #expect(
      signedRefusal(statuses(foreign), as: .history, trust: trust)?.code == .contradiction)
    let sent = try jws(Signed.notification("TEST"))
    let notifications = try signedEvents(
      #"{"notificationHistory":[{"sendAttempts":[],"signedPayload":"\#(sent)"}]}"#, as: .history,
      trust: trust)
    #expect(notifications.of(.notificationReceived).map(\.id) == ["u1"])
    #expect(signedRefusal("{}", as: .history, trust: trust)?.code == .otherFormat)
    let empty = #"{"revision":"r","hasMore":false,"environment":"Production"}"#
    #expect(try signedEvents(empty, as: .history, trust: trust).isEmpty)
  }

  @Test(
    "is refused as another format, with the name of its own",
    arguments: [
      (Signed.transaction(), ImportFormat.notification, "Import it as transaction"),
      (Signed.renewal(), .transaction, "Import it as renewal"),
      (Signed.notification("TEST"), .transaction, "Import it as notification"),
      (#"{"receiptType":"Sandbox"}"#, .renewal, "Import it as app-transaction"),
      (#"{"signedTransactions":[]}"#, .transaction, "Import it as history"),
      (#"{"status":0,"receipt":{}}"#, .notification, "Import it as verify-receipt"),
      (#"{"subscriptionGroups":[]}"#, .notification, "Import it as storekit-config"),
      (#"{"message":{"data":"e30="},"subscription":"projects/p"}"#, .notification, "Google Play"),
      (#"{"packageName":"com.example","eventTimeMillis":"1"}"#, .notification, "Google Play"),
      (#"{"receivedMessages":[]}"#, .notification, "Google Play"),
      (
        #"{"kind":"androidpublisher#productPurchase","purchaseState":0}"#, .transaction,
        "Google Play"
      ),
      (#"{"errorCode":4040010,"errorMessage":"no"}"#, .history, "an error says nothing"),
      (#"{"purchaseToken":"eyJhbGciOi","platform":"ios"}"#, .transaction, "in purchaseToken"),
    ])
  func others(_ text: String, format: ImportFormat, said: String) {
    let error = signedRefusal(text, as: format)
    #expect(error?.code == .otherFormat)
    #expect(error?.description.contains(said) == true, "\(error?.description ?? "")")
  }

  @Test("of another app or environment than the options name is refused") func options() {
    func code(_ app: Name?, _ environment: StoreEnvironment?) -> ImportError.Code? {
      do throws(ImportError) {
        _ = try signed(
          Signed.transaction(), as: .transaction, app: app, environment: environment)
        return nil
      } catch { return error.code }
    }
    #expect(code("other", nil) == .contradiction)
    #expect(code(nil, .sandbox) == .contradiction)
    #expect(code(Name(SigningSamples.bundleID), .production) == nil)
    let unnamed = Signed.transaction().replacing(#","environment":"Production""#, with: "")
    #expect(signedRefusal(unnamed, as: .transaction)?.code == .missing)
  }
}
