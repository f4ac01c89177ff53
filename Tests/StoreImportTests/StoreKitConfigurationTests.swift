import LedgerEvents
import Testing

@testable import StoreImport

private func configuration(_ text: String) throws(ImportError) -> [JSONValue] {
  try StoreKitConfiguration.products(in: Array(text.utf8), fileName: "Products.storekit")
}

@Suite("A StoreKit configuration") struct StoreKitConfigurationTests {
  @Test("the import of a file from one time is one event")
  func theImportOfAFileFromOneTimeIsOneEvent() throws {
    func received(_ effective: String, app: Name? = nil) throws -> Event {
      StoreKitConfiguration.received(
        try StoreFiles.sample("sample.storekit"),
        options: ImportOptions(fileName: "folder/sample.storekit", digestKey: digestKey, app: app),
        effective: at(effective))
    }
    let first = try received("2026-01-01T00:00:00Z")
    #expect(first.data.string("file") == "sample.storekit")
    #expect(first.data.integer("events") == 1)
    #expect(try first.sameContent(as: received("2026-01-01T00:00:00Z")))
    #expect(try first.id != received("2026-02-01T00:00:00Z").id)
    #expect(try first.id != received("2026-01-01T00:00:00Z", app: "com.example.tides").id)
  }

  @Test("every product has its kind title duration and group")
  func everyProductHasItsKindTitleDurationAndGroup() throws {
    let products = try StoreKitConfiguration.products(
      in: StoreFiles.sample("sample.storekit"), fileName: "sample.storekit")
    #expect(
      products.map { String(decoding: $0.json, as: UTF8.self) } == [
        #"{"product":"com.example.tides.questions10","kind":"consumable","#
          + #""title":"10 Pilot Questions"}"#,
        #"{"product":"com.example.tides.northsea","kind":"nonConsumable","#
          + #""title":"North Sea Charts"}"#,
        #"{"product":"com.example.tides.season2026","kind":"nonRenewing","title":"Season 2026"}"#,
        #"{"product":"com.example.tides.plus.monthly","kind":"autoRenewable","#
          + #""title":"Tides Plus Monthly","duration":"P1M","subscriptionGroup":"20261120"}"#,
        #"{"product":"com.example.tides.plus.yearly","kind":"autoRenewable","#
          + #""title":"Tides Plus Yearly","duration":"P1Y","subscriptionGroup":"20261120"}"#,
      ])
  }

  @Test("a title is the reference name where no language has one")
  func aTitleIsTheReferenceNameWhereNoLanguageHasOne() throws {
    let products = try configuration(
      #"""
      {"products":[{"productID":"a","type":"Consumable","referenceName":"A",
       "localizations":[{"displayName":"","locale":"en_US"}]},
       {"productID":"b","type":"NonConsumable"}]}
      """#)
    #expect(products.map { $0["title"]?.string } == ["A", nil])
  }

  @Test("a configuration without products is an empty catalogue")
  func aConfigurationWithoutProductsIsAnEmptyCatalogue() throws {
    #expect(try configuration(#"{"products":[],"subscriptionGroups":[]}"#).isEmpty)
  }

  @Test(
    "what is wrong is pointed at",
    arguments: [
      (#"{"version":{"major":4}}"#, ImportError.Code.otherFormat, "", "at least one of"),
      ("[]", .otherFormat, "", "found an array"),
      (#"{"products":[{"type":"Consumable"}]}"#, .missing, "products[0].productID", "productID"),
      (#"{"products":[{"productID":"a"}]}"#, .missing, "products[0].type", "found none"),
      (
        #"{"products":[{"productID":"a","type":"Gift"}]}"#, .badValue, "products[0].type",
        "found \"Gift\""
      ),
      (
        #"{"products":[{"productID":"a","type":"Consumable"}],"subscriptionGroups":[{"id":"g","#
          + #""subscriptions":[{"productID":"a","type":"RecurringSubscription"}]}]}"#,
        .contradiction, "subscriptionGroups[0].subscriptions[0]", "already in products[0]"
      ),
      (
        #"{"subscriptionGroups":[{"id":"g","subscriptions":[{"productID":"a","#
          + #""type":"RecurringSubscription","recurringSubscriptionPeriod":"monthly"}]}]}"#,
        .badValue, "subscriptionGroups[0].subscriptions[0].recurringSubscriptionPeriod", "P1M"
      ),
    ])
  func whatIsWrongIsPointedAt(
    text: String, code: ImportError.Code, path: String, words: String
  ) throws {
    let thrown = #expect(throws: ImportError.self) { try configuration(text) }
    let error = try #require(thrown)
    #expect(error.code == code)
    #expect(error.path == path)
    #expect(error.reason.contains(words), "\(error)")
    #expect(error.file == "Products.storekit")
  }
}
