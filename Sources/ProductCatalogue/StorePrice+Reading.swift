internal import Foundation

extension StorePrice {
  /// The price as people in its storefront read it.
  ///
  /// The format (digits, separators, position of the currency, number of decimals) comes from the
  /// locale and the currency, through Foundation's number formatting over CLDR. The machine's own
  /// locale has no effect. The amount is exact: digits beyond the currency's usual decimals are
  /// shown, not rounded.
  ///
  /// - Parameter storefront: Where the price was shown; it decides the format if the price has no
  ///   locale.
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

  /// The most significant digits that Foundation's `Decimal` holds exactly; 2¹²⁸ has 39.
  static let exactDigitsMax = 38

  /// The exact value; `nil` if it does not fit.
  private static func decimal(_ amount: String) -> Decimal? {
    let digits = amount.utf8.filter { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    guard digits.count <= exactDigitsMax, digits.count > 0,
      amount.utf8.allSatisfy({ "0123456789.-".utf8.contains($0) })
    else { return nil }
    return Decimal(string: amount, locale: Locale(identifier: "en_US_POSIX"))
  }

  private static func text(_ value: Decimal, _ currency: String, _ locale: KnownLocale) -> String {
    var style = Decimal.FormatStyle.Currency(code: currency, locale: locale.locale)
    // The currency's usual number of decimals would round an amount that has more.
    let decimals = max(0, -value.exponent)
    if decimals > usualDecimals(of: currency) {
      style = style.precision(.fractionLength(decimals))
    }
    return value.formatted(style)
  }

  /// How many decimals prices in a currency usually have: 2 for most, 0 for yen, 3 for dinar.
  private static func usualDecimals(of currency: String) -> Int {
    let style = Decimal.FormatStyle.Currency(
      code: currency, locale: Locale(identifier: "en_US_POSIX"))
    let parts = Decimal(0).formatted(style).split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 ? parts[1].count { $0.isNumber } : 0
  }
}

/// A locale whose language CLDR has data for. Any other would be formatted in a way that nobody
/// uses.
struct KnownLocale {
  let identifier: String
  let locale: Locale

  /// Reads the identifiers that StoreKit uses: `en_US`, `en_US@currency=USD`, `de-DE`.
  init?(_ identifier: String) {
    let locale = Locale(identifier: identifier)
    guard let language = locale.language.languageCode?.identifier,
      Self.languages.contains(language)
    else { return nil }
    self.identifier = identifier
    self.locale = locale
  }

  /// The currency in the identifier, or else that of its region.
  var currency: String? { locale.currency?.identifier.uppercased() }

  private static let languages = Set(
    Locale.availableIdentifiers.map { identifier in
      String(identifier.prefix { $0 != "_" && $0 != "-" && $0 != "@" })
    })
}
