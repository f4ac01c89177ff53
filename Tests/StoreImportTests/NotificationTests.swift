import Foundation
import LedgerEvents
import LedgerOracle
import SignedDataSamples
import Testing

@testable import StoreImport

extension NotificationMeaning: CustomTestStringConvertible {
  package var testDescription: String { type + (subtype.map { " \($0)" } ?? "") }
}

@Suite("A notification of the App Store Server") struct NotificationTests {
  private func own(_ events: [Event]) -> [Event] {
    events.filter { $0.source == EventSource(.notification) }
      .sorted { $0.id.text.utf8.count < $1.id.text.utf8.count }
  }

  @Test("becomes the events of its row", arguments: NotificationMeaning.all)
  func row(_ meaning: NotificationMeaning) throws {
    let text = Signed.notification(meaning)
    let own = own(try signedEvents(text))
    // The transaction here is the first of its chain.
    let kinds =
      meaning.subtype == "RESUBSCRIBE" && meaning.kinds.count == 1
      ? [.transactionPurchased] : meaning.kinds
    #expect(own.map(\.type.kind) == (meaning.type == "SUBSCRIBED" ? kinds : meaning.kinds))
    #expect(own.first?.id == "u1")
    for (event, kind) in zip(own, meaning.kinds).dropFirst() {
      #expect(event.id.text == "u1:\(Receipt.verb(of: kind))")
    }
    for event in own {
      #expect(event.transaction == "1" && event.originalTransaction == "1")
      #expect(event.product == "plus" && event.environment == .production)
      #expect(event.data.string("notificationType") == meaning.type)
      #expect(event.data.string("subtype") == meaning.subtype)
    }
    let signedAt = Signed.instant(meaning.type.hasPrefix("E") ? 1_100 : 900)
    switch meaning.occurrence {
    case .purchase: #expect(own[0].occurredAt == Signed.instant(0))
    case .revocation: #expect(own[0].occurredAt == Signed.instant(800))
    case .end: #expect(own[0].occurredAt == Signed.instant(1_000))
    case .signature where meaning.type.hasPrefix("E"): #expect(own[0].occurredAt >= signedAt.sooner)
    case .signature, .retryEnd: #expect(own[0].occurredAt >= signedAt)
    }
  }

  @Test("is imported once, also as a new signature of it", arguments: NotificationMeaning.all)
  func once(_ meaning: NotificationMeaning) throws {
    let text = Signed.notification(meaning)
    var ledger = ImportingLedger()
    #expect(try ledger.add(signed: text) > 1)
    #expect(try ledger.add(signed: text) == 0)
    let count = ledger.events.count
    let again = text.replacing(
      #""2.0","signedDate":16857"#, with: #""2.0","signedDate":16858"#)
    #expect(again != text)
    try ledger.add(signed: again)
    let added = ledger.events.filter { $0.type.kind != .importReceived }
    #expect(Set(added.map(\.id)).count == added.count)
    // The import itself is another one; what was observed is known.
    #expect(ledger.events.count == count + 1, "\(ledger.events.map(\.id))")
  }

  @Test("whose parts are of another app or environment is refused")
  func mixed() throws {
    func note(_ transaction: String) -> String {
      Signed.notification("ONE_TIME_CHARGE", transaction: transaction)
    }
    #expect(signedRefusal(note(Signed.transaction())) == nil)
    #expect(
      signedRefusal(note(Signed.transaction(environment: "Sandbox")))?.code == .contradiction)
    let other = Signed.transaction().replacing(SigningSamples.bundleID, with: "com.example.other")
    #expect(signedRefusal(note(other))?.code == .contradiction)
  }

  @Test(
    "before or after a receipt of the same purchase credits nothing twice and gives one answer",
    arguments: NotificationMeaning.all)
  func besideReceipt(_ meaning: NotificationMeaning) throws {
    let text = Signed.notification(meaning)
    let isRevoked = ["REFUND", "REVOKE"].contains(meaning.type)
    let receipt = Signed.receipt(
      asked: 950,
      isRevoked
        ? #","cancellation_date_ms":"\#(Signed.milliseconds(800))","cancellation_reason":"1""# : "")
    var random = Seeded(state: 1)
    var answers: [Oracle.Account?] = []
    for order in 0..<3 {
      var ledger = ImportingLedger()
      if order == 1 { try ledger.add(receipt, account: "ada") }
      try ledger.add(signed: text, account: "ada")
      if order == 2 { try ledger.add(receipt, account: "ada") }
      let answer = try ledger.answer(shuffledBy: &random)
      // The order in which things arrive is shuffled, and one rule is about that.
      let rules = Set(answer.findings.map(\.rule)).subtracting(["arrived-late"])
      #expect(rules.isEmpty)
      answers.append(answer.accounts["ada"])
    }
    #expect(answers[0] != nil)
    #expect(answers[0] == answers[1] && answers[0] == answers[2])
  }

  @Test("about a consumable credits it once, and takes back the part that was refunded")
  func consumable() throws {
    let catalogue = [try Self.coins()]
    func coins(_ seconds: Int64, _ more: String = "") -> String {
      Signed.transaction(product: "coins", end: nil, signed: seconds, more)
    }
    let part =
      #""revocationDate":\#(Signed.milliseconds(800)),"revocationReason":1,"#
      + #""revocationType":"REFUND_PRORATED","revocationPercentage":30000"#
    let bought = Signed.notification("ONE_TIME_CHARGE", signed: 1, transaction: coins(1))
    let refunded = Signed.notification(
      "REFUND", uuid: "u2", signed: 801, transaction: coins(801, part))
    let reversed = Signed.notification(
      "REFUND_REVERSED", uuid: "u3", signed: 900, transaction: coins(900))
    let receipt = Signed.receipt(
      asked: 850,
      #","cancellation_date_ms":"\#(Signed.milliseconds(800))","cancellation_reason":"1""#,
      product: "coins", end: nil)
    typealias Step = (inout ImportingLedger) throws -> Void
    let steps: [Step] = [
      { try $0.add(signed: bought, account: "ada") },
      { try $0.add(signed: refunded, account: "ada") },
      { try $0.add(receipt, account: "ada") },
      { try $0.add(signed: coins(801, part), as: .transaction, account: "ada") },
    ]
    var random = Seeded(state: 7)
    for _ in 0..<24 {
      var ledger = ImportingLedger()
      for step in steps.shuffled(using: &random) { try step(&ledger) }
      let answer = try ledger.answer(with: catalogue, shuffledBy: &random)
      #expect(answer.accounts["ada"]?.balances == ["coins": 70], "\(ledger.events.map(\.id))")
      try ledger.add(signed: reversed, account: "ada")
      let after = try ledger.answer(with: catalogue, shuffledBy: &random)
      #expect(after.accounts["ada"]?.balances == ["coins": 100])
    }
  }

  @Test(
    "of a refund in part counts before and after a receipt that does not say how much",
    arguments: 1...8 as ClosedRange<Int64>, [ImportFormat.notification, .transaction])
  func refundedInPart(_ day: Int64, _ format: ImportFormat) throws {
    let date = Signed.milliseconds(800 + day)
    let transaction = Signed.transaction(
      product: "coins", end: nil, signed: 900,
      #""revocationDate":\#(date),"revocationReason":1,"revocationPercentage":\#(day * 10_000)"#)
    let told =
      format == .transaction
      ? transaction
      : Signed.notification("REFUND", uuid: "0a\(day)", signed: 901, transaction: transaction)
    let receipt = Signed.receipt(
      asked: 950, #","cancellation_date_ms":"\#(date)","cancellation_reason":"1""#,
      product: "coins", end: nil)
    var random = Seeded(state: 5)
    for isFirst in [true, false] {
      var ledger = ImportingLedger()
      if isFirst { try ledger.add(receipt, account: "ada") }
      try ledger.add(signed: told, as: format, account: "ada")
      if !isFirst { try ledger.add(receipt, account: "ada") }
      let answer = try ledger.answer(with: [try Self.coins()], shuffledBy: &random)
      #expect(answer.accounts["ada"]?.balances == ["coins": 100 - day * 10])
    }
  }

  /// A catalogue in which coins are credited by the hundred.
  private static func coins() throws -> Event {
    let line =
      #"{"id":"c","type":"catalog.set","occurredAt":"2023-01-01T00:00:00Z","#
      + #""data":{"products":[{"product":"coins","kind":"consumable","#
      + #""grants":{"coins":100}}]}}"#
    return try EventDecoder().decode(line: Array(line.utf8)).event
  }

  @Test("of a failed renewal, a grace period, its end and a recovery gives each state in turn")
  func billing() throws {
    func state(_ notifications: [String]) throws -> String? {
      var ledger = ImportingLedger()
      for text in notifications { try ledger.add(signed: text, account: "ada") }
      var random = Seeded(state: 3)
      return try ledger.answer(shuffledBy: &random).accounts["ada"]?.states["plus"]
    }
    func told(
      _ number: Int, _ type: String, _ subtype: String? = nil, at time: Int64, _ more: String,
      transaction: String? = nil
    ) -> String {
      Signed.notification(
        type, subtype, uuid: "u\(number)", signed: time,
        transaction: transaction ?? Signed.transaction(signed: time),
        renewal: Signed.renewal(signed: time - 1, more))
    }
    let retry = #""isInBillingRetryPeriod":true,"expirationIntent":2"#
    let first = told(1, "SUBSCRIBED", "INITIAL_BUY", at: 1, #""renewalDate":1"#)
    let grace = told(
      2, "DID_FAIL_TO_RENEW", "GRACE_PERIOD", at: 1_010,
      retry + #","gracePeriodExpiresDate":\#(Signed.milliseconds(2_000))"#)
    let over = told(3, "GRACE_PERIOD_EXPIRED", at: 2_001, retry)
    let recovered = told(
      4, "DID_RENEW", "BILLING_RECOVERY", at: 3_000, #""renewalDate":1"#,
      transaction: Signed.transaction(id: "2", at: 1_000, end: 9_000, signed: 3_000))
    let expired = told(5, "EXPIRED", "BILLING_RETRY", at: 5_000, #""expirationIntent":2"#)
    #expect(try state([first]) == "active")
    #expect(try state([first, grace]) == "gracePeriod")
    #expect(try state([grace, first]) == "gracePeriod")
    #expect(try state([first, grace, over]) == "billingRetry")
    #expect(try state([over, first, grace]) == "billingRetry")
    #expect(try state([first, grace, over, recovered]) == "active")
    #expect(try state([first, grace, over, expired]) == "expired")
    #expect(try state([expired, over, grace, first]) == "expired")
  }

  @Test("of a failed renewal's end, signed again long after it, leaves what was bought since")
  func endSignedAgain() throws {
    let day: Int64 = 86_400
    let bought = Signed.notification(
      "SUBSCRIBED", "INITIAL_BUY", uuid: "u1", transaction: Signed.transaction())
    let again = Signed.notification(
      "SUBSCRIBED", "RESUBSCRIBE", uuid: "u3", signed: 70 * day,
      transaction: Signed.transaction(
        id: "2", at: 70 * day, end: 100 * day, signed: 70 * day))
    // What is signed within the 60 days is dated by that.
    for (signed, dated) in [(1_100, 1_100), (80 * day, 60 * day + 1_000)] {
      let over = Signed.notification(
        "EXPIRED", "BILLING_RETRY", uuid: "u2", signed: signed,
        transaction: Signed.transaction(signed: signed))
      for order in [[bought, again, over], [over, bought, again]] {
        var ledger = ImportingLedger()
        for text in order { try ledger.add(signed: text, account: "ada") }
        #expect(ledger.events.first { $0.id == "u2" }?.occurredAt == Signed.instant(dated))
        var random = Seeded(state: 3)
        let answer = try ledger.answer(
          at: Signed.instant(90 * day).rfc3339, shuffledBy: &random)
        #expect(answer.accounts["ada"]?.states == ["plus": "active"])
      }
    }
  }

  @Test(
    "of an offer for the next period states the renewal info's, and one of this period its own",
    arguments: [nil, "DOWNGRADE", "INITIAL_BUY", "UPGRADE"] as [String?])
  func offers(_ subtype: String?) throws {
    let isNext = subtype == nil || subtype == "DOWNGRADE"
    let events = try signedEvents(
      Signed.notification(
        "OFFER_REDEEMED", subtype, signed: 500,
        transaction: Signed.transaction(
          signed: 500, #""offerType":1,"offerDiscountType":"FREE_TRIAL""#),
        renewal: Signed.renewal(signed: 500, #""offerType":2,"offerIdentifier":"half""#))
    ).of(.subscriptionOfferRedeemed)
    let own = try #require(events.first { $0.id == "u1" })
    #expect(own.data.string("offer") == (isNext ? "half" : "freeTrial"))
    #expect(own.data.string("offerType") == (isNext ? "promotional" : "introductory"))
    #expect(own.occurredAt == Signed.instant(isNext ? 500 : 0))
    // The period's own offer is a fact of its transaction, once.
    #expect(events.filter { $0.data.string("offer") == "freeTrial" }.count == 1)
    #expect(events.count == (isNext ? 2 : 1))
  }

  @Test("of a voluntary end counts after a failure that is imported later")
  func endBeforeFailure() throws {
    let expired = Signed.notification(
      "EXPIRED", "VOLUNTARY", uuid: "u2", signed: 1_500,
      transaction: Signed.transaction(signed: 1_500),
      renewal: Signed.renewal(autoRenew: false, signed: 1_500, #""expirationIntent":1"#))
    let failed = Signed.notification(
      "DID_FAIL_TO_RENEW", uuid: "u1", signed: 1_010,
      transaction: Signed.transaction(signed: 1_010),
      renewal: Signed.renewal(signed: 1_010, #""isInBillingRetryPeriod":true"#))
    for order in [[expired, failed], [failed, expired]] {
      var ledger = ImportingLedger()
      for text in order { try ledger.add(signed: text, account: "ada") }
      var random = Seeded(state: 3)
      #expect(
        try ledger.answer(shuffledBy: &random).accounts["ada"]?.states == ["plus": "expired"])
      for text in order { #expect(try ledger.add(signed: text, account: "ada") == 0) }
    }
  }
}

extension Instant {
  /// 200 seconds sooner.
  fileprivate var sooner: Instant { Instant(microseconds: microseconds - 200_000_000) }
}
