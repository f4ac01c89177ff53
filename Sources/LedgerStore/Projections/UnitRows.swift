internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// Turns the state of a unit into rows. Used by one thread at a time, with texts of its own.
struct UnitRows {
  let tables: ProjectionTables
  let texts: LogTexts
  /// The position up to which the unit is folded.
  let foldedThrough: UInt64

  /// Adds all rows of a unit that is not divided.
  ///
  /// - Complexity: O(*n*) in the size of the state.
  func put(
    whole state: Unit, _ unit: UnitNumber, _ context: SharedContext, _ rows: inout PendingRows
  ) throws(LedgerError) {
    putCouplings(of: state, unit, &rows)
    put(observed: state.observedProducts, by: state, unit, &rows)
    var grants = UnitGrants(of: state, context: context, texts: texts)
    let answers = try AnswerRow.all(of: state, called: unit, &grants, context, texts)
    for (account, answer) in answers { try put(answer, of: account, &rows) }
    let report = UnitReport(of: state, context, texts)
    try texts.check()
    rows.put(
      tables.units, unit.bigEndianBytes,
      UnitRow.encode(state, foldedThrough: foldedThrough, report: report))
  }

  func put(
    _ answer: AnswerRow, of account: NameNumber, _ rows: inout PendingRows
  ) throws(LedgerError) {
    // An erased name cannot be found any more, or is somebody else's.
    guard let key = try texts.answerKey(of: account) else { return }
    rows.put(tables.answers, key, answer.encoded)
  }

  func putCouplings(of state: Unit, _ unit: UnitNumber, _ rows: inout PendingRows) {
    for use in state.couplings {
      let key = use.coupling.keyPrefix + unit.bigEndianBytes
      rows.put(tables.couplings, key, [use.writes ? 1 : 0])
    }
  }

  func put(
    observed: [Unit.ObservedProduct], by state: Unit, _ unit: UnitNumber,
    _ rows: inout PendingRows
  ) {
    if observed.isEmpty { return }
    var offered: OfferedVersions = [:]
    state.offerVersions(of: Set(observed), to: &offered, texts)
    for product in observed {
      rows.put(
        tables.observed, product.keyPrefix + unit.bigEndianBytes, offered[product]?.encoded ?? [])
    }
  }

  /// Removes the rows in other tables that follow from the former state of a unit, but for its
  /// pages.
  func remove(_ former: FormerRows, of unit: UnitNumber, _ rows: inout PendingRows) {
    for use in former.couplings {
      rows.delete(tables.couplings, use.coupling.keyPrefix + unit.bigEndianBytes)
    }
    for product in former.observed {
      rows.delete(tables.observed, product.keyPrefix + unit.bigEndianBytes)
    }
  }
}

/// The rows of other tables that follow from a unit's stored state.
struct FormerRows: Sendable {
  var couplings: [CouplingUse] = []
  var observed: [Unit.ObservedProduct] = []
  /// The number of rows in a page; 0 if the unit is not divided.
  var rowsPerPage = 0

  init(_ kept: KeptUnit) {
    couplings = kept.couplings
    observed = kept.observed
    rowsPerPage = kept.rowsPerPage
  }

  init(_ row: UnitRow?) {
    guard let row else { return }
    rowsPerPage = row.rowsPerPage
    couplings = row.unit?.couplings ?? []
    observed = row.unit?.observedProducts ?? []
  }
}
