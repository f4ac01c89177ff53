import Foundation
import LedgerEvents
import LedgerHistories
import LedgerQueries
import LedgerTesting
import ProductCatalogue
import Testing

/// Reads a document.
private func read(_ text: String, name: String = "catalogue.json") throws -> CatalogueDocument {
  try CatalogueDocument(Array(text.utf8), name: name)
}

/// Returns the path and the reason of the error in a document.
private func fault(_ text: String, name: String = "catalogue.json") -> String {
  do {
    _ = try CatalogueDocument(Array(text.utf8), name: name)
    return "none"
  } catch { return error.description }
}

/// A broken document, with the location and the text of the error.
struct BrokenCatalogue: CustomTestStringConvertible {
  let text: String
  let path: String
  let says: String

  var testDescription: String { "\(path) \(says)" }

  init(_ text: String, _ path: String, _ says: String) {
    self.text = text
    self.path = path
    self.says = says
  }

  /// Returns a document with one product that also has these members.
  static func product(_ members: String, _ path: String, _ says: String) -> BrokenCatalogue {
    BrokenCatalogue(
      #"{"products":[{"product":"a","kind":"consumable"},{"product":"p",\#(members)}]}"#,
      "products[1].\(path)", says)
  }

  static let all = [
    BrokenCatalogue("", "line 1, column 1: ", "expected"),
    BrokenCatalogue("{\"products\":[\n  {,", "line 2, column 4: ", "expected"),
    BrokenCatalogue("[]", "", "expected an object"),
    BrokenCatalogue(#"{"products":[]}"#, "products: ", "at least one product"),
    BrokenCatalogue(#"{}"#, "products: ", "found nothing"),
    BrokenCatalogue(#"{"products":{}}"#, "products: ", "an array"),
    BrokenCatalogue(#"{"product":[]}"#, "product: ", "expected one of the members"),
    BrokenCatalogue(#"{"app":7,"products":[]}"#, "app: ", "a bundle identifier"),
    BrokenCatalogue(#"{"app":"","products":[]}"#, "app: ", "a bundle identifier"),
    BrokenCatalogue(#"{"environment":"test","products":[]}"#, "environment: ", "sandbox"),
    BrokenCatalogue(#"{"effective":"soon","products":[]}"#, "effective: ", "RFC 3339"),
    BrokenCatalogue(#"{"products":["a"]}"#, "products[0]: ", "expected"),
    BrokenCatalogue(
      #"{"products":[{"kind":"consumable"}]}"#, "products[0].product: ", "is missing"),
    BrokenCatalogue(#"{"products":[{"product":"a"}]}"#, "products[0].kind: ", "is missing"),
    .product(#""kind":"consumables""#, "kind: ", "consumables"),
    .product(#""kind":"consumable","titel":"T""#, "titel: ", "expected one of the members"),
    .product(#""kind":"consumable","title":7"#, "title: ", "expected"),
    .product(#""kind":"nonConsumable","entitlements":"pro""#, "entitlements: ", "expected"),
    .product(#""kind":"nonConsumable","entitlements":[""]"#, "entitlements[0]: ", "empty"),
    .product(#""kind":"consumable","grants":{"coins":"5"}"#, "grants.coins: ", "integer"),
    .product(#""kind":"consumable","grants":{"coins":5.5}"#, "grants.coins: ", "integer"),
    .product(#""kind":"nonConsumable","grants":{"coins":5}"#, "grants: ", "only a consumable"),
    .product(#""kind":"autoRenewable","duration":"a month""#, "duration: ", "expected"),
    .product(#""kind":"consumable","duration":"P1M""#, "duration: ", "no time"),
    .product(#""kind":"nonConsumable","delivery":"post""#, "delivery: ", "builtIn"),
    BrokenCatalogue(
      #"{"products":[{"product":"a","kind":"consumable"},{"product":"a","kind":"consumable"}]}"#,
      "products[1].product: ", "products[0] already"),
  ]
}

@Suite("A catalogue's document") struct CatalogueDocumentTests {
  @Test("says what it says") func whole() throws {
    let document = try read(
      """
      {
      \t"$schema": "catalogue.schema.json", "app": "com.example.tides",
        "environment": "sandbox", "effective": "2026-03-01T00:00:00Z",
        "products": [{"product": "pro", "kind": "autoRenewable", "duration": "P1M"}]
      }
      """)
    #expect(document.scope == CatalogueScope(app: "com.example.tides", environment: .sandbox))
    #expect(document.effective == .march(0))
    #expect(document.format == .catalogue)
    let event = document.event(id: "x", at: .march(1), operator: "ops")
    try event.validate()
    #expect(event.app == "com.example.tides" && event.environment == .sandbox)
    #expect(event.data.array("products")?.first?["duration"]?.string == "P1M")
    #expect(event.data.string("operator") == "ops")
  }

  @Test("that is broken says where and what was expected", arguments: BrokenCatalogue.all)
  func broken(_ broken: BrokenCatalogue) {
    let said = fault(broken.text)
    #expect(said.hasPrefix(broken.path), "\(said)")
    #expect(said.contains(broken.says), "\(said)")
  }

  @Test("has an id of all that it says") func identifier() throws {
    let text = #"{"products":[{"product":"a","kind":"consumable"}]}"#
    let document = try read(text)
    let id = document.identifier(at: .march(1), operator: nil)
    #expect(try read(text + "\n").identifier(at: .march(1), operator: nil) == id)
    #expect(document.identifier(at: .march(2), operator: nil) != id)
    #expect(document.identifier(at: .march(1), operator: "x") != id)
    var other = document
    other.scope.app = "a"
    #expect(other.identifier(at: .march(1), operator: nil) != id)
    #expect(id.byteCount <= eventIDBytesMax)
  }

  @Test("of Xcode is read by its members") func storekit() throws {
    let text = """
      {"nonRenewingSubscriptions":[],"products":[{"productID":"a","type":"Consumable",
      "displayPrice":"0.99","localizations":[{"displayName":"Coins","locale":"en_US"}]}]}
      """
    let document = try read(text)
    #expect(document.format == .storekit)
    #expect(document.products.first?["kind"]?.string == "consumable")
    #expect(document.products.first?["title"]?.string == "Coins")
    #expect(fault("{}", name: "a.storekit").contains("expected at least one of"))
    #expect(
      fault(#"{"products":[{"productID":"a","type":"?"}],"subscriptionGroups":[]}"#)
        .hasPrefix("products[0].type: "))
  }

  @Test(
    "is what every configuration of the fixtures is",
    .enabled(if: Conformance.isPresent, "skipped: there is no ../shared beside the package"))
  func fixtures() throws {
    let shared = try #require(packageRoot()).deletingLastPathComponent()
      .appending(path: "shared/fixtures")
    let files = FileManager.default.enumerator(at: shared, includingPropertiesForKeys: nil)
    var read = 0
    for case let file as URL in files ?? .init() where file.pathExtension == "storekit" {
      let bytes = try [UInt8](Data(contentsOf: file))
      do {
        let document = try CatalogueDocument(bytes, name: file.lastPathComponent)
        try document.event(id: "x", at: .march(0)).validate()
        read += 1
      } catch {
        // A configuration without products sets nothing.
        #expect("\(error)".contains("at least one"), "\(file.path): \(error)")
      }
    }
    #expect(read >= 12)
  }
}

@Suite("Setting a catalogue") struct CataloguePlanTests {
  private func plan(
    _ ledger: TemporaryLedger, _ text: String, at hour: Int = 5
  ) throws -> CataloguePlan {
    let document = try read(text)
    return try ledger.ledger.read { (view) throws(LedgerError) in
      try view.plan(setting: document, from: .march(hour))
    }
  }

  private func ledger() throws -> TemporaryLedger {
    try TemporaryLedger([
      .catalogue(
        1,
        #"{"product":"coins","kind":"consumable","grants":{"coins":5}},"#
          + #"{"product":"pro","kind":"nonConsumable","entitlements":["pro"],"delivery":"store"}"#)
    ])
  }

  @Test("says what is added, changed, the same and left out") func changes() throws {
    let found = try plan(
      ledger(),
      """
      {"products":[{"kind":"consumable","grants":{"coins":4},"product":"coins"},
        {"product":"new","kind":"consumable"}]}
      """)
    #expect(found.products.map(\.change) == [.changed, .added])
    #expect(found.products[0].members.map(\.name) == ["grants"])
    #expect(found.products[0].members.map(\.before) == [#"{"coins":5}"#])
    #expect(found.products[0].grantsTaken == ["coins"])
    #expect(found.leftOut == ["pro"])
    #expect(found.event != nil)
  }

  @Test("again changes nothing, however the document is laid out") func again() throws {
    let text = """
      {"products": [
        {"kind": "consumable", "product": "coins", "grants": {"coins": 5}, "entitlements": []}
      ]}
      """
    let found = try plan(ledger(), text)
    #expect(found.products.map(\.change) == [.same])
    #expect(found.event == nil)
  }

  @Test("of a wider scope changes what only one app had") func scope() throws {
    let narrow = try TemporaryLedger([
      .catalogue(1, #"{"product":"pro","kind":"nonConsumable"}"#, more: #","app":"a""#)
    ])
    let text = #"{"products":[{"product":"pro","kind":"nonConsumable"}]}"#
    let found = try plan(narrow, text)
    #expect(found.products.map(\.change) == [.changed])
    #expect(found.products[0].members.map(\.name) == ["scope"])
    let same = try plan(
      narrow, #"{"app":"a","products":[{"product":"pro","kind":"nonConsumable"}]}"#)
    #expect(same.event == nil)
    let other = try plan(
      narrow, #"{"app":"b","products":[{"product":"pro","kind":"nonConsumable"}]}"#)
    #expect(other.products.map(\.change) == [.added])
  }

  @Test("back to what it was is an event of its own") func back() throws {
    let ledger = try ledger()
    try ledger.append([
      .catalogue(2, #"{"product":"coins","kind":"consumable","grants":{"coins":9}}"#)
    ])
    let text = #"{"products":[{"product":"coins","kind":"consumable","grants":{"coins":5}}]}"#
    #expect(try plan(ledger, text).products.map(\.change) == [.changed])
  }

  @Test("keeps what a .storekit file cannot say") func storekit() throws {
    let found = try plan(
      ledger(),
      """
      {"subscriptionGroups":[],"products":[
        {"productID":"coins","type":"Consumable"},
        {"productID":"pro","type":"NonConsumable",
         "localizations":[{"displayName":"Pro","locale":"en_US"}]}]}
      """)
    #expect(found.products.map(\.change) == [.same, .changed])
    #expect(found.products[1].members.map(\.name) == ["title"])
    #expect(found.document.products[1]["delivery"]?.string == "store")
    #expect(found.products[0].grantsTaken.isEmpty)
  }

  @Test("continues the entry of its own scope, and not a newer one of the sandbox alone")
  func narrowerEntry() throws {
    let ledger = try ledger()
    try ledger.append([
      .catalogue(
        2, #"{"product":"coins","kind":"consumable","grants":{"coins":1}}"#,
        more: #","environment":"sandbox""#)
    ])
    let storekit = try plan(
      ledger,
      #"{"subscriptionGroups":[],"products":[{"productID":"coins","type":"Consumable"}]}"#)
    #expect(storekit.document.products[0]["grants"]?["coins"]?.integer == 5)
    #expect(storekit.products[0].members.map(\.name) == ["scope"])
    // Less than in production, and more than in the sandbox.
    let less = try plan(
      ledger, #"{"products":[{"product":"coins","kind":"consumable","grants":{"coins":3}}]}"#)
    #expect(less.products[0].grantsTaken == ["coins"])
    // Less than in the sandbox alone.
    try ledger.append([
      .catalogue(
        3, #"{"product":"coins","kind":"consumable","grants":{"coins":10},"delivery":"store"}"#,
        more: #","environment":"sandbox""#)
    ])
    let between = try plan(
      ledger, #"{"products":[{"product":"coins","kind":"consumable","grants":{"coins":7}}]}"#)
    #expect(between.products[0].grantsTaken == ["coins"])
    #expect(between.products[0].endsHosting)
    let own = try plan(
      ledger,
      #"{"environment":"sandbox","products":"#
        + #"[{"product":"coins","kind":"consumable","grants":{"coins":3}}]}"#)
    #expect(own.products[0].members.map(\.name).contains("grants"))
    #expect(own.products[0].grantsTaken == ["coins"])
  }

  @Test("continues the entry for production if none applies to every environment")
  func onlyNarrowerEntries() throws {
    let ledger = try ledger()
    let gems = #"{"product":"gems","kind":"nonConsumable""#
    try ledger.append([
      .catalogue(
        2, gems + #","entitlements":["pro"]}"#, more: #","environment":"production""#),
      .catalogue(3, gems + "}", more: #","environment":"sandbox""#),
    ])
    let storekit = try plan(
      ledger,
      #"{"subscriptionGroups":[],"products":[{"productID":"gems","type":"NonConsumable"}]}"#)
    #expect(storekit.document.products[0]["entitlements"]?.array?.map(\.string) == ["pro"])
  }

  @Test("ends hosting if the store delivers a product now and would not any more")
  func hosting() throws {
    func endsHosting(_ delivery: String) throws -> Bool {
      try plan(
        ledger(),
        #"{"products":[{"product":"pro","kind":"nonConsumable","title":"Pro"\#(delivery)}]}"#
      ).products[0].endsHosting
    }
    #expect(try endsHosting(""))
    #expect(try endsHosting(#","delivery":"ownServer""#))
    #expect(try !endsHosting(#","delivery":"store""#))
    let other = #"{"products":[{"product":"coins","kind":"consumable","delivery":"store"}]}"#
    #expect(try !plan(ledger(), other).products[0].endsHosting)
  }

  @Test("takes a grant where a consumable becomes something else") func otherKind() throws {
    let found = try plan(
      ledger(), #"{"products":[{"product":"coins","kind":"nonConsumable"}]}"#)
    #expect(found.products[0].grantsTaken == ["coins"])
  }
}
