import LedgerEvents

extension Unit {
  /// The version on offer of each product, by what the unit alone observed. The version on offer of
  /// the ledger is the one among those of all units that is offered over the others.
  ///
  /// - Parameter products: Only these; `nil` for all.
  /// - Complexity: O(*n*) in the versions that the unit observed.
  package func offeredVersions(
    of products: Set<ObservedProduct>? = nil, texts: any FactTexts
  ) -> [ObservedProduct: VersionObservation] {
    var offered: [ObservedProduct: VersionObservation] = [:]
    for state in environments {
      for version in state.versions {
        let product = ObservedProduct(environment: state.environment, product: version.product)
        if let products, !products.contains(product) { continue }
        if let known = offered[product], !version.isOffered(over: known, texts) { continue }
        offered[product] = version
      }
    }
    return offered
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
