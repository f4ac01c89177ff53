import ProductCatalogue
import Testing

@Suite struct `A price` {
  @Test func `a price keeps its digits`() {
    #expect(StorePrice(amount: "1.90", currency: "USD", priceLocale: nil).amount == "1.90")
  }
}
