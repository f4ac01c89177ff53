import Foundation
import LedgerHistories
import ProductCatalogue
import Testing

/// A price in a locale, as formatted by ICU.
private struct GoldenPrice {
  let locale: String
  let currency: String
  let amount: String
  let text: String

  var reading: PriceReading {
    StorePrice(amount: amount, currency: currency, priceLocale: locale).reading(storefront: nil)
  }

  static func all() throws -> [GoldenPrice] {
    try lines(of: "prices.txt").map { cells in
      GoldenPrice(locale: cells[0], currency: cells[1], amount: cells[2], text: cells[3])
    }
  }

  static func file(_ name: String) throws -> URL {
    try #require(packageRoot()).appending(path: "Tests/ProductCatalogueTests/Golden/\(name)")
  }

  static func lines(of name: String) throws -> [[String]] {
    try String(contentsOf: file(name), encoding: .utf8).split(separator: "\n").map { line in
      line.split(separator: "\t").map(String.init)
    }
  }
}

@Suite("Prices beside ICU's own formatter") struct PriceGoldenTests {
  /// Pairs of locale and currency that Foundation, with the data of Apple's devices, formats
  /// differently from the CLDR 42 of ICU 72.
  private static let otherwise: Set<String> = [
    "bn_BD BDT", "es_CO COP", "fr_CH CHF", "hu_HU HUF", "id_ID IDR", "it_IT EUR",
    "ja_JP@currency=JPY JPY", "mr_IN INR", "ms_MY MYR", "nb_NO NOK",
  ]

  @Test("are the same to the byte in forty storefronts") func same() throws {
    let prices = try GoldenPrice.all()
    var pairs: Set<String> = []
    for price in prices {
      let pair = "\(price.locale) \(price.currency)"
      if Self.otherwise.contains(pair) { continue }
      pairs.insert(pair)
      let reading = price.reading
      #expect(Array(reading.text.utf8) == Array(price.text.utf8), "\(pair) \(price.amount)")
      #expect(reading.form == .priceLocale)
    }
    #expect(pairs.count == 40)
  }

  @Test("differ in Japan by the width of the yen sign alone") func yen() throws {
    for price in try GoldenPrice.all() where price.currency == "JPY" {
      #expect(price.reading.text == price.text.replacing("\u{FFE5}", with: "\u{A5}"))
    }
  }

  @Test("differ elsewhere as a file says") func differences() throws {
    var lines: [String] = []
    for price in try GoldenPrice.all()
    where Self.otherwise.contains("\(price.locale) \(price.currency)") {
      let text = price.reading.text
      if Array(text.utf8) == Array(price.text.utf8) { continue }
      lines.append(
        [price.locale, price.currency, price.amount, price.text, text].joined(separator: "\t"))
    }
    let file = try GoldenPrice.file("prices-otherwise.txt")
    let written = lines.joined(separator: "\n") + "\n"
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(written.utf8).write(to: file)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == written)
  }

  @Test(
    "cover every price of the fixtures' configurations",
    .enabled(if: Conformance.isPresent, "skipped: there is no ../shared beside the package"))
  func fixtures() throws {
    let shared = try #require(packageRoot()).deletingLastPathComponent()
      .appending(path: "shared/fixtures")
    let known = Set(try GoldenPrice.all().filter { $0.currency == "USD" }.map(\.amount))
    let files = FileManager.default.enumerator(at: shared, includingPropertiesForKeys: nil)
    var count = 0
    for case let file as URL in files ?? .init() where file.pathExtension == "storekit" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: #/"displayPrice" : "([0-9.]+)"/#) {
        count += 1
        #expect(known.contains(String(match.1)), "\(file.lastPathComponent)")
      }
    }
    #expect(count > 60)
  }
}
