/// A price as the store gave it to a device: an exact decimal, and how to format it.
///
/// Source: the *In-App Purchase Programming Guide*, *Retrieving Product Information*: a price is
/// formatted with the product's `priceLocale`, not with the device's locale.
public struct StorePrice: Hashable, Sendable {
  /// The recorded decimal, digit for digit.
  public let amount: String
  /// ISO 4217.
  public let currency: String?
  /// The locale's identifier, such as `en_US` or `ja_JP@currency=JPY`.
  public let priceLocale: String?

  public init(amount: String, currency: String?, priceLocale: String?) {
    self.amount = amount
    self.currency = currency
    self.priceLocale = priceLocale
  }

  /// Whether both cost the same: `1.9` equals `1.90`, however they are formatted.
  public func costsAsMuch(as other: StorePrice) -> Bool {
    currency == other.currency && Self.canonical(amount) == Self.canonical(other.amount)
  }

  /// A decimal without redundant zeros: those in front, and those at the end after the point.
  static func canonical(_ amount: String) -> String {
    let isNegative = amount.utf8.first == UInt8(ascii: "-")
    let parts = amount.drop { $0 == "-" || $0 == "+" }
      .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let whole = (parts.first ?? "").drop { $0 == "0" }
    var fraction = parts.count > 1 ? parts[1] : ""
    while fraction.last == "0" { fraction.removeLast() }
    let digits = (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
    return (isNegative && digits != "0" ? "-" : "") + digits
  }
}
