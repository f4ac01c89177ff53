/// A price formatted for people, and what decided its format.
public struct PriceReading: Hashable, Sendable {
  /// What decided the format.
  public enum Form: String, Sendable {
    /// The price's own locale.
    case priceLocale
    /// The usual locale of the storefront's country, because the price has no known locale.
    case storefront
    /// Nothing: the recorded digits and the currency code.
    case plain
  }

  /// The formatted price, with the spaces and direction marks of the locale.
  public var text: String
  public var form: Form
  /// The locale that was used; `nil` for the plain format.
  public var locale: String?
  /// Why the price's own locale was not used, or what else a reader should know; `nil` if there is
  /// nothing to note.
  public var note: String?
}
