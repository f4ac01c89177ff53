import Foundation
import LedgerEvents
import LedgerOracle
import Testing

@testable import StoreImport

/// Files about one subscription whose renewal failed and that then ended, in every order.
@Suite("The end of a subscription and a failure before it") struct LapseOrderTests {
  private typealias Step = (inout ImportingLedger) throws -> Int

  private static func bought(_ ledger: inout ImportingLedger) throws -> Int {
    try ledger.add(
      signed: Signed.notification(
        "SUBSCRIBED", "INITIAL_BUY", transaction: Signed.transaction()), account: "ada")
  }

  /// A failed renewal, which the store can state before the period ends.
  private static func failed(_ subtype: String? = nil, at seconds: Int64) -> Step {
    let grace = #","gracePeriodExpiresDate":\#(Signed.milliseconds(2_000))"#
    return {
      try $0.add(
        signed: Signed.notification(
          "DID_FAIL_TO_RENEW", subtype, uuid: "u2", signed: seconds,
          transaction: Signed.transaction(signed: seconds),
          renewal: Signed.renewal(
            signed: seconds, #""isInBillingRetryPeriod":true\#(subtype == nil ? "" : grace)"#)),
        account: "ada")
    }
  }

  private static func ended(_ subtype: String, at seconds: Int64) -> Step {
    {
      try $0.add(
        signed: Signed.notification(
          "EXPIRED", subtype, uuid: "u3", signed: seconds,
          transaction: Signed.transaction(signed: seconds),
          renewal: Signed.renewal(
            autoRenew: false, signed: seconds,
            #""expirationIntent":2,"isInBillingRetryPeriod":false"#)), account: "ada")
    }
  }

  /// A saved answer to Get All Subscription Statuses.
  private static func status(at seconds: Int64) -> Step {
    let renewal = Signed.renewal(
      autoRenew: false, signed: seconds, #""expirationIntent":2,"isInBillingRetryPeriod":false"#)
    let answer =
      #"{"environment":"Production","data":[{"lastTransactions":[{"status":2,"#
      + #""signedTransactionInfo":"\#(jws(Signed.transaction(signed: seconds)))","#
      + #""signedRenewalInfo":"\#(jws(renewal))"}]}]}"#
    return { try $0.add(signed: answer, as: .history, trust: .unverified, account: "ada") }
  }

  /// A signed text with a signature that nobody looks at.
  private static func jws(_ payload: String) -> String {
    let parts = [#"{"alg":"ES256","x5c":[]}"#, payload, String(repeating: "0", count: 64)]
    return parts.map { part in
      Data(part.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }.joined(separator: ".")
  }

  /// Returns the states at some moments, which must not depend on the order of the files.
  private static func states(
    _ steps: [Step], at moments: [Int64], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String?] {
    var found: Set<[String?]> = []
    for order in steps.everyOrder {
      var ledger = ImportingLedger()
      for step in order { _ = try step(&ledger) }
      for step in order { #expect(try step(&ledger) == 0, sourceLocation: sourceLocation) }
      var random = Seeded(state: 7)
      var states: [String?] = []
      for moment in moments {
        let answer = try ledger.answer(
          at: Signed.instant(moment).rfc3339, shuffledBy: &random)
        states.append(answer.accounts["ada"]?.states["plus"])
      }
      found.insert(states)
    }
    #expect(found.count == 1, "\(found)", sourceLocation: sourceLocation)
    return found.first ?? []
  }

  @Test("leave no moment without the failure, also that of the end", arguments: [999, 1_000])
  func noMoment(_ failure: Int64) throws {
    for end in ["VOLUNTARY", "BILLING_RETRY"] {
      let states = try Self.states(
        [Self.bought, Self.failed(at: failure), Self.ended(end, at: 3_000)],
        at: [998, 1_000, 1_001, 2_999, 3_001])
      #expect(states == ["active", "billingRetry", "billingRetry", "billingRetry", "expired"])
    }
    let states = try Self.states(
      [Self.bought, Self.failed("GRACE_PERIOD", at: failure), Self.ended("VOLUNTARY", at: 3_000)],
      at: [998, 1_000, 1_999, 2_000, 3_001])
    #expect(states == ["active", "gracePeriod", "gracePeriod", "billingRetry", "expired"])
  }

  @Test("count by when the store said them, also from a saved status", arguments: [999, 1_100])
  func savedStatus(_ failure: Int64) throws {
    let states = try Self.states(
      [Self.bought, Self.failed(at: failure), Self.status(at: 3_000)],
      at: [998, 1_200, 2_999, 3_001, 9_000])
    #expect(states == ["active", "billingRetry", "billingRetry", "expired", "expired"])
  }

  @Test("keep the date that an earlier version gave a failure") func earlierVersion() throws {
    var ledger = ImportingLedger()
    for step in [Self.bought, Self.ended("VOLUNTARY", at: 3_000), Self.failed(at: 999)] {
      _ = try step(&ledger)
    }
    var failure = try #require(ledger.events.of(.subscriptionBillingFailed).first)
    #expect(failure.occurredAt == Signed.instant(1_000) && failure.sequence == 1)
    failure.sequence = nil
    failure.occurredAt = Instant(microseconds: failure.occurredAt.microseconds + 1)
    var old = ImportingLedger()
    for step in [Self.bought, Self.ended("VOLUNTARY", at: 3_000)] { _ = try step(&old) }
    try old.append([failure])
    _ = try Self.failed(at: 999)(&old)
    let failures = old.events.of(.subscriptionBillingFailed)
    #expect(failures.count == 1 && failures[0].sameContent(as: failure))
  }
}
