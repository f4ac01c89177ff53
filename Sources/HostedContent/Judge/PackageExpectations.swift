public import LedgerEvents

/// The statements that a package must make about itself, as far as the caller knows them.
public struct PackageExpectations: Sendable {
  /// The version of the product that is on offer (`model.md` 18).
  public enum Offer: Sendable, Hashable {
    /// Unknown: only the form of the package's version is checked.
    case unknown
    /// Nothing is on offer: the package must be version 1.0.
    case nothing
    /// The package must have a higher version.
    case version(Name)
  }

  /// The product that the package must name; nil for any product.
  public var product: Name?
  /// The products of the catalogue, one of which the package must name; nil if they are not known.
  public var knownProducts: Set<Name>?
  /// Returns the version on offer of the product that the package names.
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
