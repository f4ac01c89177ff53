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
}
