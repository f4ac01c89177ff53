import LedgerEvents

/// The version on offer of each product, by what some units observed. That of the ledger is the one
/// which is offered over those of all other units.
package typealias OfferedVersions = [Unit.ObservedProduct: VersionObservation]

extension OfferedVersions {
  /// Keeps a version if it is offered over the known one.
  package mutating func offer(
    _ version: VersionObservation, of product: Unit.ObservedProduct, _ texts: any FactTexts
  ) {
    if let known = self[product], !version.isOffered(over: known, texts) { return }
    self[product] = version
  }
}

extension Unit {
  /// Offers what the unit observed of these products.
  ///
  /// - Complexity: O(*n*) in the versions that the unit observed.
  package func offerVersions(
    of products: Set<ObservedProduct>, to offered: inout OfferedVersions, _ texts: any FactTexts
  ) {
    for state in environments {
      for version in state.versions {
        let product = ObservedProduct(environment: state.environment, product: version.product)
        if products.contains(product) { offered.offer(version, of: product, texts) }
      }
    }
  }
}

extension VersionObservation {
  /// The observation as a store keeps it.
  package var encoded: [UInt8] {
    var writer = StateWriter()
    encode(into: &writer)
    return writer.bytes
  }

  /// Reads what ``encoded`` wrote.
  ///
  /// - Throws: ``StateError`` if the bytes are anything else.
  package init(encoded bytes: [UInt8]) throws(StateError) {
    var reader = StateReader(bytes)
    self = try .init(from: &reader)
    guard reader.isAtEnd else { throw reader.error() }
  }
}
