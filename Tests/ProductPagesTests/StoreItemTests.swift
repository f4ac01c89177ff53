import ProductPages
import Testing

@Suite struct `A store item` {
  @Test func `an item is its number`() {
    #expect(StoreItem(number: 364_709_193).number == 364_709_193)
  }
}
