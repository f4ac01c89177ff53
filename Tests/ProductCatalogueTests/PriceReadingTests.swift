import ProductCatalogue
import Testing

/// Returns the text of a price.
private func read(
  _ amount: String, _ currency: String?, _ locale: String?, in storefront: String? = nil
) -> PriceReading {
  StorePrice(amount: amount, currency: currency, priceLocale: locale)
    .reading(storefront: storefront.map { Storefront($0) })
}

@Suite("A price") struct PriceReadingTests {
  @Test("is written as its own locale does, not as the machine's")
  func ownLocale() {
    #expect(read("24.99", "USD", "en_US").text == "$24.99")
    #expect(read("3800", "JPY", "ja_JP").text == "¥3,800")
    #expect(read("29.99", "EUR", "de_DE").text == "29,99\u{A0}€")
  }

  @Test(
    "has a locale as StoreKit names it",
    arguments: ["de_DE", "de-DE", "de_DE@currency=EUR", "de"])
  func identifiers(_ locale: String) {
    #expect(read("1.99", "EUR", locale).text == "1,99\u{A0}€")
    #expect(read("1.99", "EUR", locale).form == .priceLocale)
  }

  @Test("takes its currency from its locale where it states none") func currencyOfLocale() {
    #expect(read("1.99", nil, "en_US@currency=EUR").text == "€1.99")
    #expect(read("250", nil, "ja_JP").text == "¥250")
  }

  @Test("has as many decimals as its currency") func decimals() {
    #expect(read("250", "JPY", "ja_JP").text == "¥250")
    #expect(read("5", "USD", "en_US").text == "$5.00")
    #expect(read("1.5", "KWD", "en_US").text == "KWD\u{A0}1.500")
  }

  @Test("shows digits beyond its currency's instead of rounding them") func moreDecimals() {
    #expect(read("120.5", "JPY", "ja_JP").text == "¥120.5")
    #expect(read("0.005", "USD", "en_US").text == "$0.005")
    #expect(read("1.990", "USD", "en_US").text == "$1.99")
  }

  @Test("is exact beyond what a double holds") func exact() {
    let digits = "12345678901234567890123456789012.34"
    #expect(
      read(digits, "USD", "en_US").text == "$12,345,678,901,234,567,890,123,456,789,012.34")
    #expect(read("0.1", "USD", "en_US").text == "$0.10")
  }

  @Test("of more digits than are held exactly stays plain and says so") func tooLong() {
    let digits = String(repeating: "7", count: 40)
    let reading = read(digits, "USD", "en_US")
    #expect(reading.text == "\(digits) USD")
    #expect(reading.form == .plain)
    #expect(reading.note?.contains("more digits") == true)
  }

  @Test("is grouped by lakhs in India and keeps Arabic digits and marks in Kuwait")
  func groupsAndDigits() {
    #expect(read("249900", "INR", "hi_IN").text == "₹2,49,900.00")
    #expect(read("7.490", "KWD", "ar_KW").text == "\u{200F}٧٫٤٩٠\u{A0}د.ك.\u{200F}")
  }

  @Test("without a locale is written as usual in its storefront's country, and says so")
  func storefront() {
    let reading = read("1290.00", "CHF", nil, in: "CHE")
    #expect(reading.text == "CHF\u{A0}1’290.00")
    #expect(reading.form == .storefront)
    #expect(reading.locale == "de_CH")
    #expect(reading.note?.contains("no locale") == true)
    #expect(read("3800", "JPY", "xx_YY", in: "JP").text == "¥3,800")
    #expect(read("3800", "JPY", "xx_YY", in: "JP").note?.contains("xx_YY") == true)
  }

  @Test("without locale and country is its digits and its code, and says so") func plain() {
    #expect(read("1.90", "USD", nil).text == "1.90 USD")
    #expect(read("1.90", "USD", "tlh", in: "143441").text == "1.90 USD")
    #expect(read("1.90", nil, nil).text == "1.90")
    #expect(read("1.90", "USD", nil).form == .plain)
    #expect(read("1.90", "USD", nil).note != nil)
  }

  @Test("costs as much as another with zeros in front or at the end, and in another form")
  func sameCost() {
    func price(_ amount: String, _ currency: String, _ locale: String? = nil) -> StorePrice {
      StorePrice(amount: amount, currency: currency, priceLocale: locale)
    }
    #expect(price("1.9", "USD").costsAsMuch(as: price("01.90", "USD", "en_US")))
    #expect(price("0", "USD").costsAsMuch(as: price("-0.00", "USD")))
    #expect(!price("1.9", "USD").costsAsMuch(as: price("1.9", "CAD")))
    #expect(!price("1.9", "USD").costsAsMuch(as: price("19", "USD")))
  }
}

@Suite("A storefront") struct StorefrontTests {
  @Test("is a country's by three letters or two") func codes() {
    #expect(Storefront("JPN").country == "JP")
    #expect(Storefront("jp").country == "JP")
    #expect(Storefront("JPN") == Storefront("JP"))
    #expect(Storefront("143462").country == nil)
    #expect(Storefront("143462") != Storefront("143441"))
    #expect(Storefront("USA").country == "US" && Storefront("CHE").country == "CH")
  }
}
