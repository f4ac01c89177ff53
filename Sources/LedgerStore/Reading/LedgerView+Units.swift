internal import LMDB
public import LedgerEvents
internal import LedgerModel

extension LedgerView {
  /// Hands out every unit, folded, in the order of their numbers; stops where `body` returns false.
  ///
  /// - Complexity: O(*n*) in the size of all units; holds one at a time.
  func forEachUnit(_ body: (Unit) throws(LedgerError) -> Bool) throws(LedgerError) {
    let overlay = reader.overlay
    let absorbed = Set(overlay.groups.absorbed.values.joined())
    var seen: Set<UInt32> = []
    var cursor = try unitCursor()
    while let unit = try next(&cursor) {
      seen.insert(unit)
      if absorbed.contains(unit) { continue }
      let stored = overlay.touches(unit) ? nil : UnitRow(cursor.value).unit
      guard let state = try stored ?? state(of: unit) else { continue }
      if try !body(state) { return }
    }
    for unit in overlay.groups.units where !seen.contains(unit) {
      guard let state = try state(of: unit) else { continue }
      if try !body(state) { return }
    }
  }

  /// Believed `occurredAt` of the newest event that counts in an environment.
  ///
  /// - Complexity: O(*u*) in the number of units, by their headers.
  func newestEvent(in environment: StoreEnvironment) throws(LedgerError) -> Int64? {
    var newest: Int64?
    let overlay = reader.overlay
    let absorbed = Set(overlay.groups.absorbed.values.joined())
    var cursor = try unitCursor()
    var seen: Set<UInt32> = []
    while let unit = try next(&cursor) {
      seen.insert(unit)
      if absorbed.contains(unit) { continue }
      let found =
        overlay.touches(unit)
        ? try state(of: unit)?.newestEvent(in: environment)
        : UnitRow.newestEvent(cursor.value, in: environment)
      if let found { newest = max(newest ?? .min, found) }
    }
    for unit in overlay.groups.units where !seen.contains(unit) {
      if let found = try state(of: unit)?.newestEvent(in: environment) {
        newest = max(newest ?? .min, found)
      }
    }
    return newest
  }

  /// What all units observed of a product.
  ///
  /// - Complexity: O(*u*) in the number of units that observed it.
  func observations(
    of observed: Unit.ObservedProduct
  ) throws(LedgerError) -> ProductObservations {
    var all = ProductObservations()
    for unit in try unitsObserving(observed) {
      guard let state = try state(of: unit) else { continue }
      all.merge(state.observations(of: observed, texts: reader.texts), reader.texts)
    }
    try reader.texts.check()
    return all
  }

  private func unitsObserving(
    _ observed: Unit.ObservedProduct
  ) throws(LedgerError) -> Set<UInt32> {
    let overlay = reader.overlay
    var units = Set(overlay.groups.units)
    let absorbed = Set(overlay.groups.absorbed.values.joined())
    let prefix = observed.keyPrefix
    do throws(LMDBError) {
      var cursor = try projections.cursor(tables.observed)
      var found = try cursor.seek(prefix.span)
      while found, cursor.key.count == prefix.count + 4, cursor.key.starts(with: prefix) {
        let unit = cursor.key.bigEndianHalf(at: prefix.count)
        if !absorbed.contains(unit) { units.insert(unit) }
        found = try cursor.next()
      }
    } catch { throw LedgerError(error) }
    return units
  }

  @_lifetime(copy self)
  private func unitCursor() throws(LedgerError) -> Cursor {
    do throws(LMDBError) { return try projections.cursor(tables.units) } catch {
      throw LedgerError(error)
    }
  }

  private func next(_ cursor: inout Cursor) throws(LedgerError) -> UInt32? {
    do throws(LMDBError) {
      return try cursor.next() ? cursor.key.bigEndianHalf(at: 0) : nil
    } catch { throw LedgerError(error) }
  }
}

extension Unit.ObservedProduct {
  /// Environment and product: what rows about it begin with.
  var keyPrefix: [UInt8] {
    var key = [environment.rawValue]
    key.append(bigEndianHalf: product)
    return key
  }
}
