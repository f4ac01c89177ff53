import Foundation
import LedgerEvents
import SignedDataSamples
import Testing

@testable import StoreImport

@Suite("A notification that maps to no fact") struct KeptNotificationTests {
  private func kept(_ text: String) throws -> Event {
    let events = try signedEvents(text).of(.notificationReceived)
    return try #require(events.count == 1 ? events.first : nil)
  }

  @Test(
    "is kept whole, with its unknown type, subtype and members",
    arguments: [
      ("TEST", nil), ("METADATA_UPDATE", nil), ("TOMORROW", "NEXT"), ("DID_RENEW", "NEXT"),
      ("EXTERNAL_PURCHASE_TOKEN", "CREATED"),
    ] as [(String, String?)])
  func unknown(_ type: String, _ subtype: String?) throws {
    let text = Signed.notification(
      type, subtype, transaction: Signed.transaction(#""appTransactionId":"71""#)
    )
    .replacing(#""version""#, with: #""more":{"a":[1.50,true]},"version""#)
    let event = try kept(text)
    #expect(event.id == "u1" && event.source == EventSource(.notification))
    #expect(event.occurredAt == Signed.instant(0))
    #expect(event.transaction == "1")
    let whole = try JSONValue(document: Array(text.utf8))
    for member in try #require(whole.object) {
      #expect(event.data[member.name] == member.value.json, "\(member.name)")
    }
    // What it carries is imported all the same.
    #expect(try signedEvents(text).of(.transactionPurchased).count == 1)
  }

  @Test("is kept whole where a fact lacks its transaction") func withoutTransaction() throws {
    let text = Signed.notification("REFUND", transaction: #""signed_transaction_info_value""#)
    #expect(try kept(text).data.string("notificationType") == "REFUND")
    #expect(try signedEvents(text).count == 2)
  }

  @Test("asks for consumption data because a refund was requested") func consumption() throws {
    let text = Signed.notification(
      "CONSUMPTION_REQUEST", transaction: Signed.transaction()
    ).replacing(#""data":{"#, with: #""data":{"consumptionRequestReason":"LEGAL","#)
    let event = try kept(text)
    #expect(
      event.data.value("data")?["consumptionRequestReason"]?.string == "LEGAL")
    let requested = try signedEvents(text).of(.transactionRefundRequested)
    #expect(requested.map(\.id) == ["u1:refundRequested"])
  }

  @Test("states its app and environment in a summary, a token or the data of an app")
  func otherParts() throws {
    func text(_ type: String, _ part: String) -> String {
      #"{"notificationType":"\#(type)","notificationUUID":"u","signedDate":1685700000000,\#(part)}"#
    }
    let app = #""bundleId":"app","appAppleId":4"#
    let summary = try kept(
      text(
        "RENEWAL_EXTENSION",
        #""subtype":"SUMMARY","summary":{\#(app),"environment":"Sandbox","succeededCount":5}"#))
    #expect(summary.app == "app" && summary.environment == .sandbox)
    #expect(summary.data.value("summary")?["succeededCount"]?.integer == 5)
    for (id, environment) in [
      ("SANDBOX_b2", StoreEnvironment.sandbox), ("b2", .production),
    ] {
      let token = try kept(
        text(
          "EXTERNAL_PURCHASE_TOKEN",
          #""subtype":"UNREPORTED","externalPurchaseToken":{\#(app),"externalPurchaseId":"\#(id)"}"#
        ))
      #expect(token.environment == environment)
    }
    let rescinded = try signedEvents(
      text(
        "RESCIND_CONSENT",
        #""appData":{\#(app),"environment":"Production","signedAppTransactionInfo":"#
          + #"{"receiptType":"Production","bundleId":"app"}}"#))
    #expect(rescinded.of(.notificationReceived).count == 1)
  }

  @Test("that says something else under a known UUID is refused") func contradiction() throws {
    var ledger = ImportingLedger()
    try ledger.add(
      signed: Signed.notification("DID_RENEW", transaction: Signed.transaction()))
    #expect(throws: ImportError(.contradiction, reason: "", remedy: "")) {
      try ledger.add(
        signed: Signed.notification("DID_RENEW", transaction: Signed.transaction(id: "2")))
    }
  }
}
