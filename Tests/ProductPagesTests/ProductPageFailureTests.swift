import LedgerEvents
import ProductPages
import Testing

@Suite("Errors of a product page") struct ProductPageFailureTests {
  private func event(_ type: String, _ data: String) throws -> Event {
    let line =
      #"{"id":"a","type":"\#(type)","occurredAt":"2026-02-01T12:00:00Z","data":\#(data)}"#
    return try EventDecoder().decode(line: Array(line.utf8), number: 1).event
  }

  @Test("error 5 is explained with the item that it is about")
  func notAvailable() throws {
    let data =
      #"{"storeItem":"284417353","error":{"domain":"SKErrorDomain","code":5,"message":"Cannot connect to iTunes Store"}}"#
    let note = ProductPageFailure.explanation(of: try event("productPage.failed", data))
    #expect(note?.contains("the store has no item 284417353 in this storefront") == true)
    let bare = #"{"error":{"domain":"SKErrorDomain","code":5}}"#
    #expect(ProductPageFailure.explanation(of: try event("productPage.failed", bare)) != nil)
  }

  @Test(
    "other errors and other events say what they mean",
    arguments: [
      ("productPage.failed", #"{"error":{"domain":"SKErrorDomain","code":0}}"#),
      ("productPage.failed", #"{"error":{"domain":"NSURLErrorDomain","code":5}}"#),
      ("productPage.failed", "{}"), ("productPage.presented", #"{"storeItem":"1"}"#),
      ("catalog.failed", #"{"error":{"domain":"SKErrorDomain","code":5}}"#),
    ])
  func others(_ type: String, _ data: String) throws {
    #expect(ProductPageFailure.explanation(of: try event(type, data)) == nil)
  }
}
