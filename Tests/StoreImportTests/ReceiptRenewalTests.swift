import LedgerEvents
import Testing

@testable import StoreImport

/// Returns an answer with two periods, the last to 2023-11-14T22:30:00Z, and one pending renewal.
private func answer(_ pending: String, requested: String? = "1700002000000") -> String {
  let request = requested.map { #""request_date_ms":"\#($0)","# } ?? ""
  return """
    {"status":0,"environment":"Sandbox","receipt":{"bundle_id":"app",\(request)
     "receipt_creation_date_ms":"1700000000000"},
     "latest_receipt_info":[
     {"transaction_id":"2","original_transaction_id":"1","product_id":"plus",
      "purchase_date_ms":"1700000700000","expires_date_ms":"1700001000000"},
     {"transaction_id":"1","original_transaction_id":"1","product_id":"plus",
      "purchase_date_ms":"1700000400000","expires_date_ms":"1700000700000"}],
     "pending_renewal_info":[{"original_transaction_id":"1","product_id":"plus",\(pending)}]}
    """
}

@Suite("Renewals in a receipt") struct ReceiptRenewalTests {
  private let end = Instant(microseconds: 1_700_001_000_000_000)
  private let requested = Instant(microseconds: 1_700_002_000_000_000)

  @Test("a lapsed subscription expired at its expiry") func aLapsedSubscriptionExpiredAtItsExpiry()
    throws
  {
    let expired = try receipt(answer(#""expiration_intent":"1","auto_renew_status":"0""#))
      .of(.subscriptionExpired)
    #expect(expired.map(\.occurredAt) == [end])
    #expect(expired.map { $0.data.instant("expiresAt") } == [end])
    #expect(expired.map { $0.data.string("reason") } == ["cancelled"])
    #expect(expired.map(\.transaction) == ["2"])
  }

  @Test("a lapsed subscription is one fact however often the store is asked")
  func aLapsedSubscriptionIsOneFactHoweverOftenTheStoreIsAsked() throws {
    var log = IdempotentLog()
    for requested in ["1700002000000", "1700003000000"] {
      _ = try log.append(try receipt(answer(#""expiration_intent":"1""#, requested: requested)))
    }
    #expect(Array(log.events.values).of(.subscriptionExpired).count == 1)
  }

  @Test("a subscription that still runs did not expire")
  func aSubscriptionThatStillRunsDidNotExpire() throws {
    let events = try receipt(answer(#""expiration_intent":"1""#, requested: "1700000900000"))
    #expect(events.of(.subscriptionExpired).isEmpty)
  }

  @Test("a refunded period is not the one that lapsed") func aRefundedPeriodIsNotTheOneThatLapsed()
    throws
  {
    let text = answer(#""expiration_intent":"2""#)
      .replacing(
        #""expires_date_ms":"1700001000000""#,
        with: #""expires_date_ms":"1700001000000","cancellation_date_ms":"1700000800000""#)
    let expired = try receipt(text).of(.subscriptionExpired)
    #expect(expired.map(\.occurredAt.microseconds) == [1_700_000_700_000_000])
  }

  @Test("billing retry is a billing failure when the store was asked")
  func billingRetryIsABillingFailureWhenTheStoreWasAsked() throws {
    let events = try receipt(answer(#""is_in_billing_retry_period":"1""#))
    #expect(events.of(.subscriptionBillingFailed).map(\.occurredAt) == [requested])
    let none = try receipt(answer(#""is_in_billing_retry_period":"0""#))
    #expect(none.of(.subscriptionBillingFailed).isEmpty)
  }

  @Test("grace is the newest fact while it runs") func graceIsTheNewestFactWhileItRuns() throws {
    let events = try receipt(
      answer(
        #""expiration_intent":"2","is_in_billing_retry_period":"1","#
          + #""grace_period_expires_date_ms":"1700009000000","auto_renew_status":"1""#))
    let grace = try #require(events.of(.subscriptionGracePeriodEntered).first)
    #expect(grace.occurredAt == requested)
    #expect(
      grace.data.instant("gracePeriodExpiresAt") == Instant(microseconds: 1_700_009_000_000_000))
    #expect(events.last?.type.kind == .subscriptionGracePeriodEntered)
    #expect(events.of(.subscriptionBillingFailed).count == 1)
  }

  @Test("the end of grace is a date that an event can have")
  func theEndOfGraceIsADateThatAnEventCanHave() throws {
    for date in ["999999999999999", "-62135596800000"] {
      let error = try #require(refusal(answer(#""grace_period_expires_date_ms":"\#(date)""#)))
      #expect(error.code == .badValue)
      #expect(error.path == "pending_renewal_info[0].grace_period_expires_date")
    }
    // A request at such a time is one at an unknown time.
    let undated = try #require(
      refusal(answer(#""auto_renew_status":"1""#, requested: "999999999999999")))
    #expect(undated.path == "receipt.request_date_ms")
  }

  @Test("grace stays the newest fact where ids are hashed")
  func graceStaysTheNewestFactWhereIdsAreHashed() throws {
    let app = String(repeating: "a", count: 120)
    let text = answer(
      #""is_in_billing_retry_period":"1","grace_period_expires_date_ms":"1700009000000""#
    ).replacing(#""bundle_id":"app""#, with: #""bundle_id":"\#(app)""#)
    #expect(try receipt(text).last?.type.kind == .subscriptionGracePeriodEntered)
  }

  @Test("a grace that is over is history") func aGraceThatIsOverIsHistory() throws {
    let events = try receipt(answer(#""grace_period_expires_date_ms":"1700001500000""#))
    #expect(events.of(.subscriptionGracePeriodEntered).isEmpty)
  }

  @Test("consent to a price increase is kept") func consentToAPriceIncreaseIsKept() throws {
    for name in ["price_consent_status", "price_increase_status"] {
      let events = try receipt(answer(#""\#(name)":"0""#))
      #expect(
        events.of(.subscriptionPriceIncreased).map { $0.data.boolean("consented") } == [false])
    }
  }

  @Test("a renewal state that changes is another fact") func aRenewalStateThatChangesIsAnotherFact()
    throws
  {
    var log = IdempotentLog()
    _ = try log.append(try receipt(answer(#""auto_renew_status":"1""#)))
    _ = try log.append(try receipt(answer(#""auto_renew_status":"0""#)))
    let later = answer(#""auto_renew_status":"1""#, requested: "1700003000000")
    _ = try log.append(try receipt(later))
    #expect(Array(log.events.values).of(.subscriptionAutoRenewChanged).count == 3)
    #expect(
      Array(log.events.values).of(.transactionPurchased, .subscriptionRenewed).count == 2)
  }

  @Test("a state that nothing dates is explained") func aStateThatNothingDatesIsExplained() throws {
    let error = try #require(refusal(answer(#""auto_renew_status":"1""#, requested: nil)))
    #expect(error.code == .missing)
    #expect(error.path == "receipt.request_date_ms")
    #expect(error.reason.contains("pending_renewal_info[0].auto_renew_status"))
  }

  @Test("a dated fact needs no date of the request") func aDatedFactNeedsNoDateOfTheRequest() throws
  {
    let events = try receipt(answer(#""expiration_intent":"1""#, requested: nil))
    #expect(events.of(.subscriptionExpired).count == 1)
    #expect(events.first?.occurredAt == Instant(microseconds: 1_700_000_000_000_000))
  }

  @Test("a chain that the answer does not list is known by its original")
  func aChainThatTheAnswerDoesNotListIsKnownByItsOriginal() throws {
    let text = answer(#""expiration_intent":"1","auto_renew_status":"0""#)
      .replacing(#"[{"original_transaction_id":"1""#, with: #"[{"original_transaction_id":"77""#)
    let events = try receipt(text)
    let state = events.of(.subscriptionExpired, .subscriptionAutoRenewChanged)
    #expect(state.map(\.originalTransaction) == ["77", "77"])
    #expect(state.allSatisfy { $0.transaction == nil && $0.occurredAt == requested })
  }
}
