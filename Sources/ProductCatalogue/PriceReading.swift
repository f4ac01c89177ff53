/// A price as people read it, and what decided its form.
public struct PriceReading: Hashable, Sendable {
  /// What decided how the price is written.
  public enum Form: String, Sendable {
    /// The price's own locale.
    case priceLocale
    /// The usual locale of the storefront's country: the price has none that is known.
    case storefront
    /// Nothing: the digits as they were recorded, and the currency's code.
    case plain
  }

  /// As people there read it, with the spaces and marks of direction of their writing.
  public var text: String
  public var form: Form
  /// The locale that was used; `nil` for plain digits.
  public var locale: String?
  /// Why it is not the price's own locale, or what else a reader should know; `nil` where nothing
  /// is amiss.
  public var note: String?
}
