internal import LMDB
internal import LedgerEvents
package import LedgerModel

extension LedgerView {
  /// The units that may have observed a product, in ascending order.
  package func observers(of observed: Unit.ObservedProduct) throws(LedgerError) -> [UnitNumber] {
    // Otherwise, units that become one while they are folded would be visited only in part.
    try reader.overlay.joinCoupled(log, tables, projections)
    let overlay = reader.overlay
    // An environment that is first stated after the projections has no rows yet. What counts in
    // every environment was observed in it all the same (`model.md`, *Environment*).
    let environments =
      overlay.units.change.addsEnvironment ? StoreEnvironment.allCases : [observed.environment]
    var units: Set<UnitNumber> = []
    for environment in environments {
      units.formUnion(
        try unitsObserving(.init(environment: environment, product: observed.product)))
    }
    // If two stored units became one, only the absorbed unit may have such rows.
    units.formUnion(overlay.units.absorbingUnits)
    return units.sorted()
  }
  /// The version on offer of each product, by what all units observed.
  ///
  /// - Complexity: O(*u*) in the units that observed the products, by a small row of each; those
  ///   that events after the projections touch are folded.
  package func offeredVersions(
    of products: Set<Unit.ObservedProduct>
  ) throws(LedgerError) -> OfferedVersions {
    // As in ``observers(of:)``.
    try reader.overlay.joinCoupled(log, tables, projections)
    let units = reader.overlay.units
    var offered: OfferedVersions = [:]
    var touched: [UnitNumber: Set<Unit.ObservedProduct>] = [:]
    if units.change.isEmpty {
      for unit in units.units + units.absorbingUnits { touched[unit] = products }
      for product in products {
        try eachStoredObserver(of: product) { (unit, content) throws(LedgerError) in
          if units.touches(unit) {
            if !units.isAbsorbed(unit) { touched[unit, default: []].insert(product) }
          } else if !content.isEmpty {
            offered.offer(try version(content), of: product, texts)
          }
        }
      }
    } else {
      // A change of the context touches every unit.
      for product in products {
        for unit in try observers(of: product) { touched[unit, default: []].insert(product) }
      }
    }
    for (unit, products) in touched {
      try state(of: unit)?.offerVersions(of: products, to: &offered, texts)
    }
    try texts.check()
    return offered
  }

  private func version(_ content: Span<UInt8>) throws(LedgerError) -> VersionObservation {
    do throws(StateError) {
      return try VersionObservation(encoded: [UInt8](copying: content))
    } catch {
      throw tables.observed.damaged
    }
  }
}
