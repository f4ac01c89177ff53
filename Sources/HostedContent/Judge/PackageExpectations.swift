public import LedgerEvents

/// What a package must say of itself, as far as whoever asks knows it.
public struct PackageExpectations: Sendable {
  /// The version on offer of the package's product (`model.md` 18).
  public enum Offer: Sendable, Hashable {
    /// Nobody knows: nothing is asked of the package's version but its form.
    case unknown
    /// Nothing is on offer: the package must be version 1.0.
    case nothing
    /// The package must be of a higher version.
    case version(Name)
  }

  /// The product that the package must name; nil where any will do.
  public var product: Name?
  /// Products of the catalogue, of which the package must name one; nil where it is not known.
  public var knownProducts: Set<Name>?
  /// The version on offer of the product that the package names.
  public var versionOnOffer: @Sendable (_ product: Name) -> Offer

  public init(
    product: Name? = nil, knownProducts: Set<Name>? = nil,
    versionOnOffer: @escaping @Sendable (_ product: Name) -> Offer = { _ in .unknown }
  ) {
    self.product = product
    self.knownProducts = knownProducts
    self.versionOnOffer = versionOnOffer
  }
}
