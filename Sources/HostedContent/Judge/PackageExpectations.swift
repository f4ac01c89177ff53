public import LedgerEvents

/// What a package must state about itself, as far as the caller knows it.
public struct PackageExpectations: Sendable {
  /// The version on offer of the package's product (`model.md` 18).
  public enum Offer: Sendable, Hashable {
    /// Not known: only the form of the package's version is checked.
    case unknown
    /// Nothing is on offer: the package must be version 1.0.
    case nothing
    /// The package must have a higher version.
    case version(Name)
  }

  /// The product that the package must name; nil if any will do.
  public var product: Name?
  /// Products of the catalogue, of which the package must name one; nil if it is not known.
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
