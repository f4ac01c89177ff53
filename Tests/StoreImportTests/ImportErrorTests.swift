import LedgerEvents
import Testing

@testable import StoreImport

@Suite("An import error") struct ImportErrorTests {
  @Test(
    "every status is explained",
    arguments: [
      (21000, "POST"), (21002, "malformed"), (21003, "authenticated"), (21004, "secret"),
      (21005, "unable"), (21006, "expired"), (21007, "sandbox, but was sent to production"),
      (21008, "production, but was sent to the sandbox"), (21009, "internal"),
      (21010, "deleted"), (21100, "internal"), (21199, "internal"), (21200, "not document"),
    ])
  func everyStatusIsExplained(status: Int, words: String) throws {
    let error = try #require(refusal(#"{"status":\#(status)}"#))
    #expect(error.code == .refusedByStore)
    #expect(error.status == status)
    #expect(error.path == "status")
    #expect(error.reason.contains(words))
    #expect(error.reason.contains(String(status)))
    #expect(!error.remedy.isEmpty)
  }

  @Test("mixed up environments name the other address")
  func mixedUpEnvironmentsNameTheOtherAddress() throws {
    #expect(
      try #require(refusal(#"{"status":21007}"#)).remedy.contains("sandbox.itunes.apple.com"))
    #expect(try #require(refusal(#"{"status":"21008"}"#)).remedy.contains("buy.itunes.apple.com"))
  }

  @Test("whether trying again helps is said") func whetherTryingAgainHelpsIsSaid() throws {
    let error = try #require(refusal(#"{"status":21105,"is-retryable":true}"#))
    #expect(error.reason.contains("a retry may help"))
  }

  @Test("the text says file path reason and remedy") func theTextSaysFilePathReasonAndRemedy()
    throws
  {
    let error = try #require(refusal(#"{"status":21007}"#))
    #expect(
      error.description.hasPrefix("answer.json: status: the store answered with status 21007"))
    #expect(error.description.hasSuffix("import that answer."))
  }

  @Test(
    "what is wrong is pointed at",
    arguments: [
      ("[]", ImportError.Code.otherFormat, "", "expected an object"),
      ("{}", .otherFormat, "status", "expected a status"),
      (#"{"status":"good"}"#, .badValue, "status", "expected a number"),
      (#"{"status":0}"#, .missing, "receipt.request_date_ms", "no date"),
      (
        #"{"status":0,"receipt":7}"#, .badValue, "receipt", "expected an object, found the number 7"
      ),
      (
        #"{"status":0,"receipt":{"in_app":true}}"#, .badValue, "receipt.in_app", "array of objects"
      ),
      (
        #"{"status":0,"receipt":{"in_app":[{},3]}}"#, .badValue, "receipt.in_app[1]",
        "expected an object"
      ),
      (
        #"{"status":0,"receipt":{"in_app":[{"product_id":"a"}]}}"#, .missing,
        "receipt.in_app[0].transaction_id", "needs a transaction_id"
      ),
      (
        #"{"status":0,"receipt":{"in_app":[{"transaction_id":"1","product_id":""}]}}"#, .missing,
        "receipt.in_app[0].product_id", "needs a product_id"
      ),
      (
        #"{"status":0,"receipt":{"in_app":[{"transaction_id":"1","product_id":"a"}]}}"#, .missing,
        "receipt.in_app[0].purchase_date_ms", "date of purchase"
      ),
      (
        #"{"status":0,"latest_receipt_info":[{"transaction_id":1.5}]}"#, .badValue,
        "latest_receipt_info[0].transaction_id", "whole number"
      ),
      (
        #"{"status":0,"latest_receipt_info":[{"transaction_id":"1","product_id":"a","#
          + #""purchase_date_ms":"soon"}]}"#, .badValue, "latest_receipt_info[0].purchase_date_ms",
        "milliseconds"
      ),
      (
        #"{"status":0,"latest_receipt_info":[{"transaction_id":"1","product_id":"a","#
          + #""purchase_date":"2020-07-14 12:33:26 America/Los_Angeles"}]}"#, .badValue,
        "latest_receipt_info[0].purchase_date", "Etc/GMT"
      ),
      (
        #"{"status":0,"latest_receipt_info":[{"transaction_id":"1","product_id":"a","#
          + #""purchase_date_ms":1,"quantity":"0"}]}"#, .badValue,
        "latest_receipt_info[0].quantity", "at least 1"
      ),
      (
        #"{"status":0,"latest_receipt_info":[{"transaction_id":"1","product_id":"a","#
          + #""purchase_date_ms":1,"is_upgraded":"perhaps"}]}"#, .badValue,
        "latest_receipt_info[0].is_upgraded", "true or false"
      ),
      (
        #"{"status":0,"latest_receipt_info":[{"transaction_id":"1","product_id":"a"},"#
          + #"{"transaction_id":"1","product_id":"b"}]}"#, .contradiction,
        "latest_receipt_info[1].product_id", "purchase of \"b\" here"
      ),
      (#"{"status":0,"environment":"Moon"}"#, .badValue, "environment", "expected Production"),
      (#"{"status":0,"status":0}"#, .malformed, "line 1, column 23", "appears twice"),
      ("{\"status\":0,\n \"a\":\"\\ud800\"}", .malformed, "line 2, column 13", "surrogate"),
      (#"{"status":0} x"#, .malformed, "line 1, column 14", "end of the file"),
      (#"{"status":0,"a":01}"#, .malformed, "line 1, column 18", "begin with 0"),
      ("", .malformed, "line 1, column 1", "expected a value"),
    ])
  func whatIsWrongIsPointedAt(
    text: String, code: ImportError.Code, path: String, words: String
  ) throws {
    let environment: StoreEnvironment? = text.contains("environment") ? nil : .production
    let error = try #require(refusal(text, environment: environment))
    #expect(error.code == code)
    #expect(error.path == path)
    #expect(error.reason.contains(words), "\(error)")
    #expect(error.file == "answer.json")
    #expect(!error.remedy.isEmpty)
  }

  @Test("deep nesting is refused") func deepNestingIsRefused() throws {
    let text = String(repeating: "[", count: 100_000)
    #expect(try #require(refusal(text)).reason.contains("nested deeper than 32"))
  }

  @Test("another apps receipt is refused") func anotherAppsReceiptIsRefused() throws {
    let text = #"{"status":0,"receipt":{"bundle_id":"mine","request_date_ms":"1"}}"#
    #expect(try #require(refusal(text, app: "yours", environment: .sandbox)).code == .contradiction)
    #expect(refusal(text, app: "mine", environment: .sandbox) == nil)
  }

  @Test("a receipt given as configuration is told apart")
  func aReceiptGivenAsConfigurationIsToldApart() throws {
    let error = #expect(throws: ImportError.self) {
      try StoreKitConfiguration.products(
        in: Array(#"{"status":0,"receipt":{}}"#.utf8), fileName: "answer.json")
    }
    #expect(try #require(error).remedy.contains("verify-receipt"))
  }

  @Test("a configuration given as receipt is told apart")
  func aConfigurationGivenAsReceiptIsToldApart() throws {
    #expect(
      try #require(refusal(#"{"products":[],"subscriptionGroups":[]}"#)).remedy
        .contains("storekit-config"))
  }

  @Test("an environment that nobody says is asked for") func anEnvironmentThatNobodySaysIsAskedFor()
    throws
  {
    let text = #"{"status":0,"receipt":{"request_date_ms":"1700000000000"}}"#
    let error = try #require(refusal(text))
    #expect(error.code == .missing)
    #expect(error.path == "environment")
    #expect(error.remedy.contains("--environment"))
    #expect(try receipt(text, environment: .sandbox).first?.environment == .sandbox)
  }

  @Test(
    "an environment that contradicts the file is refused",
    arguments: [
      #"{"status":0,"environment":"Production","receipt":{"request_date_ms":"1"}}"#,
      #"{"status":0,"receipt":{"receipt_type":"Production","request_date_ms":"1"}}"#,
    ])
  func anEnvironmentThatContradictsTheFileIsRefused(text: String) throws {
    #expect(try #require(refusal(text, environment: .sandbox)).code == .contradiction)
    #expect(refusal(text, environment: .production) == nil)
  }

  @Test("a time that contradicts the file is refused") func aTimeThatContradictsTheFileIsRefused()
    throws
  {
    let text = #"{"status":0,"environment":"Sandbox","receipt":{"request_date_ms":"1000"}}"#
    let other = Instant(microseconds: 2_000_000)
    #expect(try #require(refusal(text, askedAt: other)).code == .contradiction)
    #expect(refusal(text, askedAt: Instant(microseconds: 1_000_000)) == nil)
  }
}
