internal import Foundation

extension StorePrice {
  /// The price as people in its storefront read it.
  ///
  /// The form (digits, separators, where the currency stands, how many decimals) is the locale's
  /// and the currency's, by Foundation's number formatting over CLDR; the machine's own locale
  /// decides nothing. The amount is exact: digits beyond those that the currency has are shown, not
  /// rounded away.
  ///
  /// - Parameter storefront: Where the price was told; it decides where the price has no locale.
  /// - Complexity: O(*n*) in the number of digits; the first price of a locale loads its data.
  public func reading(storefront: Storefront?) -> PriceReading {
    guard let decimal = Self.decimal(amount) else {
      return plain("the amount has more digits than are formatted exactly, or is no decimal")
    }
    if let priceLocale, let locale = KnownLocale(priceLocale) {
      guard let currency = currency ?? locale.currency else {
        return plain("neither the response nor its locale \(priceLocale) says a currency")
      }
      return PriceReading(
        text: Self.text(decimal, currency, locale), form: .priceLocale, locale: priceLocale,
        note: nil)
    }
    let lack = priceLocale.map { "no locale is known as \"\($0)\"" } ?? "it has no locale"
    guard let storefront, let locale = storefront.usualLocale else {
      return plain("\(lack), and no country of a storefront")
    }
    guard let currency = currency ?? locale.currency else {
      return plain("\(lack), and no currency")
    }
    return PriceReading(
      text: Self.text(decimal, currency, locale), form: .storefront, locale: locale.identifier,
      note: "\(lack): written as usual in \(storefront.country ?? storefront.code)")
  }

  private func plain(_ note: String) -> PriceReading {
    PriceReading(
      text: currency.map { "\(amount) \($0)" } ?? amount, form: .plain, locale: nil, note: note)
  }

  /// The most significant digits that Foundation's `Decimal` holds exactly: 2¹²⁸ has 39.
  static let exactDigitsMax = 38

  /// The exact value; `nil` where it does not fit.
  private static func decimal(_ amount: String) -> Decimal? {
    let digits = amount.utf8.filter { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    guard digits.count <= exactDigitsMax, digits.count > 0,
      amount.utf8.allSatisfy({ "0123456789.-".utf8.contains($0) })
    else { return nil }
    return Decimal(string: amount, locale: Locale(identifier: "en_US_POSIX"))
  }

  private static func text(_ value: Decimal, _ currency: String, _ locale: KnownLocale) -> String {
    var style = Decimal.FormatStyle.Currency(code: currency, locale: locale.locale)
    // A currency's usual number of decimals would round what does not fit into it.
    let decimals = max(0, -value.exponent)
    if decimals > usualDecimals(of: currency) {
      style = style.precision(.fractionLength(decimals))
    }
    return value.formatted(style)
  }

  /// How many decimals prices in a currency have: 2 for most, 0 for the yen, 3 for the dinar.
  private static func usualDecimals(of currency: String) -> Int {
    let style = Decimal.FormatStyle.Currency(
      code: currency, locale: Locale(identifier: "en_US_POSIX"))
    let parts = Decimal(0).formatted(style).split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 ? parts[1].count { $0.isNumber } : 0
  }
}

/// A locale whose language is one that there is data for: others would be written in a form that
/// nobody uses.
struct KnownLocale {
  let identifier: String
  let locale: Locale

  /// The identifiers of StoreKit: `en_US`, `en_US@currency=USD`, `de-DE`.
  init?(_ identifier: String) {
    let locale = Locale(identifier: identifier)
    guard let language = locale.language.languageCode?.identifier,
      Self.languages.contains(language)
    else { return nil }
    self.identifier = identifier
    self.locale = locale
  }

  /// The currency that the identifier states, else that of its region.
  var currency: String? { locale.currency?.identifier.uppercased() }

  private static let languages = Set(
    Locale.availableIdentifiers.map { identifier in
      String(identifier.prefix { $0 != "_" && $0 != "-" && $0 != "@" })
    })
}
