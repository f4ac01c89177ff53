public import LedgerEvents

extension Unit {
  /// Whether a change of the shared context affects what the unit has folded, so that it has to be
  /// folded again. It may return true without need, but it never misses a change.
  ///
  /// What the unit answers at a moment can change even if this is false: see `concernsAnswer(of:)`.
  public func isAffected(by change: ContextChange) -> Bool {
    guard let lastKey else { return false }
    if change.addsEnvironment && countsEverywhere { return true }
    if let from = change.absentDeviceFrom, absentDeviceReach >= from { return true }
    return change.products.contains { span in
      lastKey.time >= span.from && environments.contains { $0.judges(by: span.product) }
    }
  }

  /// The believed time, in microseconds, up to which a change of the absent device's timelines
  /// affects what the unit has folded. It is `.min` if the fold read nothing there, and `.max` if a
  /// finish waits for the next purge, whenever that comes.
  public var absentDeviceReach: Int64 {
    guard let lastKey else { return .min }
    if environments.contains(where: { $0.closings.contains { $0.device == 0 } }) { return .max }
    return environments.contains(where: \.asksAbsentDevice) ? lastKey.time : .min
  }

  /// Whether the unit's state or its answers depend on what changed.
  package func rests(on change: ContextChange) -> Bool {
    isAffected(by: change) || change.products.contains { concernsAnswer(of: $0.product) }
  }

  /// Whether an answer of the unit looks up a product in the catalogue, now or at a later moment.
  public func concernsAnswer(of product: NameNumber) -> Bool {
    environments.contains { state in
      state.judges(by: product) || state.grants.contains { $0.product == product }
    }
  }
}

extension EnvironmentState {
  /// Whether the fold used an entry of the product: for a chain, a period, or a delivery.
  fileprivate func judges(by product: NameNumber) -> Bool {
    reports.contains { $0.product == product } || chains.contains { $0.firstProduct == product }
      || transactions.contains { $0.hasPurchase && $0.purchase.product == product }
  }
}
