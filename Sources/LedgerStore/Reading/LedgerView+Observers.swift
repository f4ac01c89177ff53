internal import LedgerEvents
package import LedgerModel

extension LedgerView {
  /// The units that may have observed a product, in order.
  package func observers(of observed: Unit.ObservedProduct) throws(LedgerError) -> [UnitNumber] {
    // Units that become one while they are folded would be met in part.
    try reader.overlay.joinCoupled(log, tables, projections)
    let overlay = reader.overlay
    // An environment that is stated behind the projections for the first time has no rows yet, and
    // what counts in every environment was observed in it all the same (`model.md`, *Environment*).
    let environments =
      overlay.units.change.addsEnvironment ? StoreEnvironment.allCases : [observed.environment]
    var units: Set<UnitNumber> = []
    for environment in environments {
      units.formUnion(
        try unitsObserving(.init(environment: environment, product: observed.product)))
    }
    // Of two stored units that became one, the rows of the other may be the only ones.
    units.formUnion(overlay.units.absorbingUnits)
    return units.sorted()
  }
}
