import LedgerEvents
import LedgerOracle
import Testing

@testable import StoreImport

/// Servers that append notifications themselves, as the guide on recording says, and import them
/// later all the same.
@Suite("A notification that a server recorded in its own words") struct RecordedOtherwiseTests {
  private func recorded(_ type: EventKind, transaction: String = "1") -> Event {
    Event(
      id: "u1", type: EventType(type), occurredAt: Signed.instant(900),
      source: EventSource(.notification), product: "plus", transaction: Name(transaction))
  }

  private func renewed(_ id: String = "1") -> String {
    Signed.notification("DID_RENEW", signed: 900, transaction: Signed.transaction(id: id))
  }

  @Test("stays as it is, is told, and gains what its transaction says", arguments: [1, 2])
  func kept(_ count: Int) throws {
    var ledger = ImportingLedger()
    try ledger.append([recorded(.subscriptionRenewed)])
    let more = renewed("2").replacing(#""u1""#, with: #""u2""#)
    if count == 2 {
      var other = recorded(.subscriptionRenewed, transaction: "2")
      other.id = "u2"
      try ledger.append([other])
    }
    let file = try signed(renewed() + "\n" + more, account: "ada")
    let outcome = try file.outcome([.production: ledger.known])
    let what = count == 1 ? "the notification u1 is" : "2 notifications (the first is u1) are"
    #expect(outcome.warnings == [what + " recorded in other words already, which count"])
    // Its paid period, which the server left out.
    #expect(
      outcome.events.contains {
        $0.source == EventSource(.receipt) && $0.transaction == "1"
          && $0.data.instant("expiresAt") == Signed.instant(1_000)
      })
    #expect(try ledger.add(signed: renewed(), account: "ada") == 3)
    #expect(ledger.events.first { $0.id == "u1" }?.data.members.isEmpty == true)
    var random = Seeded(state: 3)
    let answer = try ledger.answer(
      at: Signed.instant(950).rfc3339, shuffledBy: &random)
    #expect(answer.accounts["ada"]?.states == ["plus": "active"])
    // And again adds nothing.
    #expect(try ledger.add(signed: renewed(), account: "ada") == 0)
  }

  @Test("may be kept without a meaning") func received() throws {
    var ledger = ImportingLedger()
    var event = recorded(.notificationReceived)
    var data = EventData.Builder()
    data.set("notificationType", "DID_RENEW")
    event.data = data.build()
    try ledger.append([event])
    #expect(try ledger.add(signed: renewed()) == 2)
  }

  @Test(
    "is contradicted by another type, transaction, product or app",
    arguments: ["type", "transaction", "product", "app", "environment", "original"])
  func contradicted(_ member: String) throws {
    var event = recorded(member == "type" ? .transactionRefunded : .subscriptionRenewed)
    switch member {
    case "transaction": event.transaction = "9"
    case "product": event.product = "minus"
    case "app": event.app = "other.app"
    case "environment": event.environment = .sandbox
    case "original": event.originalTransaction = "9"
    default: break
    }
    var ledger = ImportingLedger()
    try ledger.append([event])
    let known = ledger.known
    let file = try signed(renewed())
    #expect(throws: ImportError(.contradiction, reason: "", remedy: "")) {
      _ = try file.outcome([.production: known])
    }
  }
}

@Suite("An answer of the App Store Server API") struct HistoryAnswerTests {
  @Test(
    "without an entry adds nothing",
    arguments: [
      #"{"signedTransactions":[],"hasMore":false,"revision":"r"}"#,
      #"{"notificationHistory":[],"hasMore":false}"#, #"{"data":[],"bundleId":"b"}"#,
    ])
  func empty(_ text: String) throws {
    let file = try signed(text, as: .history)
    #expect(try file.outcome().events.isEmpty && file.askedAt == nil && file.subjects.isEmpty)
  }

  @Test(
    "with an entry that is no signed text is refused, with its place",
    arguments: [
      (#"{"signedTransactions":[{"transactionId":"1"}]}"#, "signedTransactions[0]"),
      (#"{"notificationHistory":[{"sendAttempts":[]}]}"#, "notificationHistory[0].signedPayload"),
      (
        #"{"data":[{"lastTransactions":[{"status":1}]}]}"#,
        "data[0].lastTransactions[0].signedTransactionInfo"
      ),
      (#"[{"signedTransactions":[]},{"signedTransactions":[7]}]"#, "[1], signedTransactions[0]"),
    ])
  func unsigned(_ text: String, _ path: String) throws {
    let refusal = try #require(signedRefusal(text, as: .history, trust: .unverified))
    #expect(refusal.code == .badValue && refusal.path == path)
    #expect(refusal.reason.contains("expected a signed text"))
  }
}
