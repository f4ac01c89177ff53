internal import LMDB
internal import LedgerEvents
internal import LedgerModel

extension Merge {
  /// Turns a unit into rows. A small one is written whole. Of a large one that was continued, only
  /// what the new facts touched is written.
  mutating func put(
    _ state: Unit, _ write: UnitWrite, _ context: SharedContext, _ rows: inout PendingRows
  ) throws(LedgerError) {
    for other in write.absorbed { try remove(other, &rows) }
    if state.rowCount > pace.layout.undividedRowsMax {
      try putDivided(state, write, context, &rows)
    } else {
      try putWhole(state, write, context, &rows)
    }
  }

  private mutating func putWhole(
    _ state: Unit, _ write: UnitWrite, _ context: SharedContext, _ rows: inout PendingRows
  ) throws(LedgerError) {
    try remove(write.unit, &rows)
    try unitRows.put(whole: state, write.unit, context, &rows)
  }

  private mutating func putDivided(
    _ state: Unit, _ write: UnitWrite, _ context: SharedContext, _ rows: inout PendingRows
  ) throws(LedgerError) {
    let unit = write.unit
    var known = taken.removeValue(forKey: unit)
    let formerRow = formerRows[unit]
    assert(known != nil || !write.wentBack, "a unit that was read has gone back")
    // Another program may have stored the unit in other pages.
    let continues =
      write.advancedWith != nil && !write.isRegrouped
      && formerRow?.rowsPerPage == pace.layout.rowsPerPage
    if continues {
      formerRows[unit] = nil
    } else {
      known = nil
      try remove(unit, &rows)
    }
    // Each row of an answer says whether the unit shares state of the absent device.
    let keepsRows =
      continues && !write.wentBack && !write.restsOnChange
      && formerRow?.couplings.isEmpty == state.couplings.isEmpty
    var former = known?.grants.take()
    let grants = try putAnswers(of: state, write, &former, keepsRows, context, &rows)
    unitRows.putCouplings(of: state, unit, &rows)
    let (marks, observed) = putObserved(by: state, write, since: known, &rows)
    let pages = UnitPages(unit, tables.pages)
    state.pages(of: pace.layout, onlyChanged: continues) { page, bytes in
      let key = pages.key(page)
      if let bytes { rows.put(tables.pages, key, bytes) } else { rows.delete(tables.pages, key) }
    }
    rows.put(
      tables.units, unit.bigEndianBytes,
      UnitRow.encodeHead(state, foldedThrough: checkpoint.position, pace.layout))
    var reported = known?.reportedFacts ?? 0
    if continues, known == nil { reported = try reportedFacts(of: unit) }
    if KeptReport.isDue(factCount: state.factCount, reported: reported) {
      putReport(of: state, unit, context, &rows)
      reported = state.factCount
    }
    try texts.check()
    let leaving = kept.keep(
      KeptUnit(
        state, foldedThrough: checkpoint.position, grants: grants, marks: marks,
        observed: observed, reportedFacts: reported, pace.layout),
      as: unit, rowsMax: pace.keptRowsMax)
    for other in leaving where other.isReportBehind {
      putReport(of: other.state, other.unit, context, &rows)
    }
    try texts.check()
  }

  /// Adds the rows of the answers that may have changed. Returns what grants something to the
  /// unit's customers.
  ///
  /// - Parameters:
  ///   - known: What granted something before, which is taken.
  ///   - keepsRows: Whether rows that the new facts do not touch stay as they are.
  private func putAnswers(
    of state: Unit, _ write: UnitWrite, _ known: inout UnitGrants?, _ keepsRows: Bool,
    _ context: SharedContext, _ rows: inout PendingRows
  ) throws(LedgerError) -> UnitGrants {
    if !keepsRows { known = nil }
    var grants = known.take() ?? UnitGrants(of: state, context: context, texts: texts)
    var touched: Set<NameNumber>?
    if let facts = write.advancedWith, keepsRows {
      touched = grants.follow(facts, in: state, context: context, texts: texts)
      if touched == nil { grants = UnitGrants(of: state, context: context, texts: texts) }
    }
    if let touched { try checkUntouched(by: write, of: state, touched, context) }
    for account in touched?.sorted() ?? state.answeredAccounts {
      let answer = AnswerRow(
        account, of: state, called: write.unit, isDivided: true, &grants, context, texts)
      try unitRows.put(answer, of: account, &rows)
    }
    return grants
  }

  /// Checks in debug builds that the rows of answers that stay as they are equal new ones.
  private func checkUntouched(
    by write: UnitWrite, of state: Unit, _ touched: Set<NameNumber>, _ context: SharedContext
  ) throws(LedgerError) {
    #if DEBUG
      var grants = UnitGrants(of: state, context: context, texts: texts)
      for account in state.answeredAccounts where !touched.contains(account) {
        let answer = AnswerRow(
          account, of: state, called: write.unit, isDivided: true, &grants, context, texts)
        guard let key = try texts.answerKey(of: account) else { continue }
        let row = try tables.answers.row(key.span, stored.view)
        let known = if let row { [UInt8](copying: row) } else { [UInt8]() }
        assert(known == answer.encoded, "the answer of account \(account) was touched unnoticed")
      }
    #endif
  }

  /// Adds the rows of the products that a divided unit observed, or only of those of which it has
  /// observed something new. One that went back may have lost some, but no coupling: a unit that
  /// shares state of the absent device does not go back.
  /// Returns how far they are noted, and all of them.
  private func putObserved(
    by state: Unit, _ write: UnitWrite, since known: KeptUnit?, _ rows: inout PendingRows
  ) -> (marks: ObservationMarks, observed: [Unit.ObservedProduct]) {
    var marks = known?.marks ?? ObservationMarks()
    let new = state.newObservations(since: &marks).observed
    // An erasure leaves content to nobody, which the unit observes from then on.
    let releases = write.advancedWith?.contains { $0.kind == .accountErased } ?? true
    guard let known, !releases, !write.wentBack else {
      marks = ObservationMarks()
      _ = state.newObservations(since: &marks)
      assert(!write.wentBack || known?.couplings.isEmpty ?? true, "a coupled unit has gone back")
      let all = state.observedProducts
      if let known {
        for product in Set(known.observed).subtracting(all) {
          rows.delete(tables.observed, product.keyPrefix + write.unit.bigEndianBytes)
        }
      }
      unitRows.put(observed: all, by: state, write.unit, &rows)
      return (marks, all)
    }
    if new.isEmpty { return (marks, known.observed) }
    unitRows.put(observed: Array(new), by: state, write.unit, &rows)
    return (marks, known.observed + new.subtracting(known.observed))
  }

  private func putReport(
    of state: Unit, _ unit: UnitNumber, _ context: SharedContext, _ rows: inout PendingRows
  ) {
    rows.put(
      tables.reports, unit.bigEndianBytes,
      KeptReport.encode(UnitReport(of: state, context, texts), factCount: state.factCount))
  }

  /// The number of facts that the stored report of a unit is about.
  private func reportedFacts(of unit: UnitNumber) throws(LedgerError) -> Int {
    let key = bigEndianKey(unit)
    guard let bytes = try tables.reports.row(key.span, stored.view) else { return 0 }
    return try KeptReport(bytes).factCount
  }
}
