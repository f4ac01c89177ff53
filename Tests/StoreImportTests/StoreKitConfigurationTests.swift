import LedgerEvents
import Testing

@testable import StoreImport

private func configuration(_ text: String) throws(ImportError) -> [Event] {
  try StoreKitConfiguration.events(
    from: Array(text.utf8), options: ImportOptions(fileName: "Products.storekit"),
    effective: .stated(at("2026-01-01T00:00:00Z")))
}

@Suite struct StoreKitConfigurationTests {
  private func sample(
    _ effective: EffectiveTime = .stated(at("2026-01-01T00:00:00Z"))
  ) throws -> [Event] {
    try StoreKitConfiguration.events(
      from: StoreFiles.sample("sample.storekit"),
      options: ImportOptions(fileName: "sample.storekit", app: "com.example.tides"),
      effective: effective)
  }

  @Test func aConfigurationBecomesOneCatalogue() throws {
    let events = try sample()
    #expect(events.map(\.type.kind) == [.importReceived, .catalogSet])
    #expect(events.allSatisfy { $0.occurredAt == at("2026-01-01T00:00:00Z") })
    #expect(events.allSatisfy { $0.app == "com.example.tides" && $0.environment == nil })
    #expect(events[0].data.integer("events") == 1)
  }

  @Test func everyProductHasItsKindTitleDurationAndGroup() throws {
    let products = try #require(try sample()[1].data.array("products"))
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

  @Test func theSameFileAgainAppendsNothing() throws {
    var log = IdempotentLog()
    #expect(try log.append(try sample()) == 2)
    #expect(try log.append(try sample()) == 0)
  }

  @Test func anImportWithoutAStatedTimeIsFoundAgainByItsID() throws {
    let first = try sample(.imported(at("2026-05-01T00:00:00Z")))
    let again = try sample(.imported(at("2026-06-01T00:00:00Z")))
    #expect(first.ids == again.ids)
    var log = IdempotentLog()
    _ = try log.append(first)
    let known = try #require(log.events[again[0].id]).occurredAt
    #expect(try log.append(try sample(.imported(known))) == 0)
  }

  @Test func anotherStatedTimeIsAnotherCatalogue() throws {
    var log = IdempotentLog()
    _ = try log.append(try sample(.imported(at("2026-05-01T00:00:00Z"))))
    #expect(try log.append(try sample(.stated(at("2026-05-01T00:00:00Z")))) == 2)
    #expect(try log.append(try sample(.stated(at("2026-06-01T00:00:00Z")))) == 2)
  }

  @Test func aTitleIsTheReferenceNameWhereNoLanguageHasOne() throws {
    let events = try configuration(
      #"""
      {"products":[{"productID":"a","type":"Consumable","referenceName":"A",
       "localizations":[{"displayName":"","locale":"en_US"}]},
       {"productID":"b","type":"NonConsumable"}]}
      """#)
    let products = try #require(events[1].data.array("products"))
    #expect(products.map { $0["title"]?.string } == ["A", nil])
  }

  @Test func aConfigurationWithoutProductsIsAnEmptyCatalogue() throws {
    let events = try configuration(#"{"products":[],"subscriptionGroups":[]}"#)
    #expect(events.last?.data.array("products")?.isEmpty == true)
  }

  @Test(arguments: [
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
      .contradiction, "subscriptionGroups[0].subscriptions[0]", "products[0] already"
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
