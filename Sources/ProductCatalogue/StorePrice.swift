/// A price as the store told it to a device: an exact decimal and how it is to be read.
///
/// Source: the guide's *Retrieving Product Information*: a price is formatted with the product's
/// `priceLocale`, not with the device's locale.
public struct StorePrice: Hashable, Sendable {
  /// The decimal as it was recorded, digit for digit.
  public let amount: String
  /// ISO 4217.
  public let currency: String?
  /// The locale's identifier, as `en_US` or `ja_JP@currency=JPY`.
  public let priceLocale: String?

  public init(amount: String, currency: String?, priceLocale: String?) {
    self.amount = amount
    self.currency = currency
    self.priceLocale = priceLocale
  }
}
