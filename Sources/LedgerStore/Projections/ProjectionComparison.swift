internal import LMDB
internal import LedgerEvents
internal import LedgerModel
internal import RunStorage

/// Finds where two generations at one position differ, for `rebuild --check`.
struct ProjectionComparison {
  private let live: Projections
  private let fresh: Projections

  /// The maximum number of differences that are listed.
  private static let differencesMax = 100

  init(_ live: Projections, _ fresh: Projections) {
    self.live = live
    self.fresh = fresh
  }

  /// Returns descriptions of the differences, up to `differencesMax`.
  ///
  /// - Complexity: O(*n*) in the rows of both.
  func differences() throws(LedgerError) -> [String] {
    let left = try live.beginRead()
    let right = try fresh.beginRead()
    var found: [String] = []
    // The position up to which a row was folded is bookkeeping. Only the state after it counts.
    try compare("unit", \.units, skipping: 8, left.view, right.view, &found)
    try compare("page", \.pages, skipping: 0, left.view, right.view, &found)
    try compareReports(left.view, right.view, &found)
    try compare("answer", \.answers, skipping: 0, left.view, right.view, &found)
    try compare("coupling", \.couplings, skipping: 0, left.view, right.view, &found)
    try compare("observation", \.observed, skipping: 0, left.view, right.view, &found)
    try compare("recorded time", \.recorded, skipping: 0, left.view, right.view, &found)
    try compareUnitsOfNames(left.view, right.view, &found)
    try compareIndexes(left.view, right.view, &found)
    return found
  }

  private func compare(
    _ what: String, _ table: KeyPath<ProjectionTables, RowTable>, skipping: Int,
    _ left: TransactionView, _ right: TransactionView, _ found: inout [String]
  ) throws(LedgerError) {
    var rows = try RowPairs(
      live.tables[keyPath: table], left, fresh.tables[keyPath: table], right)
    while found.count < Self.differencesMax, try rows.next() {
      switch rows.side {
      case _ where !rows.isLeftWhole:
        found.append("\(what) \(rows.key.hexadecimal) is damaged")
      case 0:
        if try !rows.left().equals(rows.right(), from: skipping) {
          found.append("\(what) \(rows.key.hexadecimal) differs")
        }
      case -1: found.append("\(what) \(rows.key.hexadecimal) is stored but not folded")
      default: found.append("\(what) \(rows.key.hexadecimal) is folded but not stored")
      }
    }
  }

  /// Compares the reports of divided units. One that is behind its unit on either side says
  /// nothing.
  private func compareReports(
    _ left: TransactionView, _ right: TransactionView, _ found: inout [String]
  ) throws(LedgerError) {
    var rows = try RowPairs(live.tables.reports, left, fresh.tables.reports, right)
    while found.count < Self.differencesMax, try rows.next() {
      guard rows.isLeftWhole else {
        found.append("report \(rows.key.hexadecimal) is damaged")
        continue
      }
      guard rows.side == 0 else {
        let what = rows.side < 0 ? "stored but not folded" : "folded but not stored"
        found.append("report \(rows.key.hexadecimal) is \(what)")
        continue
      }
      let stored = try KeptReport(rows.left())
      let folded = try KeptReport(rows.right())
      if stored.factCount == folded.factCount, !stored.lines.equals(folded.lines, from: 0) {
        found.append("report \(rows.key.hexadecimal) differs")
      }
    }
  }

  private func compareUnitsOfNames(
    _ left: TransactionView, _ right: TransactionView, _ found: inout [String]
  ) throws(LedgerError) {
    let last = try Checkpoint(left, live.tables)?.name ?? 0
    guard last > 0 else { return }
    var rows = try RowPairs(live.tables.unitMap, left, fresh.tables.unitMap, right)
    while try rows.next() {
      guard rows.isLeftWhole else {
        found.append("the units of names \(rows.key.hexadecimal) are damaged")
        return
      }
    }
    var first = StoredParents(UnitMap(through: last), live.tables.unitMap, left)
    var second = StoredParents(UnitMap(through: last), fresh.tables.unitMap, right)
    for number in 1...last where found.count < Self.differencesMax {
      let folded = try second.findUnit(of: number)
      let isSame: Bool
      do throws(LedgerError) {
        isSame = try first.findUnit(of: number) == folded
      } catch {
        guard error.code == .rebuildNeeded else { throw error }
        isSame = false
      }
      if !isSame { found.append("the unit of name \(number) differs") }
    }
  }

  private func compareIndexes(
    _ left: TransactionView, _ right: TransactionView, _ found: inout [String]
  ) throws(LedgerError) {
    let families: [(String, KeyPath<ProjectionTables, SortedRuns>)] = [
      ("ids", \.ids), ("names", \.names),
    ]
    for (name, path) in families {
      do throws(RunsError) {
        let stored = try live.tables[keyPath: path].snapshot(in: left).entries(in: left)
        let folded = try fresh.tables[keyPath: path].snapshot(in: right).entries(in: right)
        if stored != folded { found.append("the index of \(name) differs") }
      } catch { throw LedgerError(error) }
    }
    if try unitPostings(live.tables, left) != unitPostings(fresh.tables, right) {
      found.append("the index of units differs")
    }
  }

  /// The valid postings of the existing units. Postings of absorbed units stay in the index unused.
  private func unitPostings(
    _ tables: ProjectionTables, _ view: TransactionView
  ) throws(LedgerError) -> [UInt64] {
    var units: Set<UInt32> = [IndexKey.contextUnit]
    do throws(LMDBError) {
      var cursor = try view.cursor(tables.units.table)
      // A key that is too short is reported among the rows that differ.
      while try cursor.next() { if let unit = cursor.key.unit(at: 0) { units.insert(unit) } }
    } catch { throw LedgerError(ofProjections: error) }
    var keys: [UInt64] = []
    let snapshot: RunsSnapshot
    do throws(RunsError) { snapshot = try tables.postings.snapshot(in: view) } catch {
      throw LedgerError(error)
    }
    try snapshot.scan(in: view) { (entry: RunEntry) throws(LedgerError) in
      guard units.contains(UInt32(entry.key >> 32)) else { return true }
      let isLast = keys.last == entry.key
      if IndexKey.isPresent(entry.value) {
        if !isLast { keys.append(entry.key) }
      } else if isLast {
        keys.removeLast()
      }
      return true
    }
    return keys
  }
}

extension Span<UInt8> {
  fileprivate func equals(_ other: Span<UInt8>, from start: Int) -> Bool {
    guard count == other.count else { return false }
    for index in start..<Swift.max(start, count) where self[index] != other[index] { return false }
    return true
  }

  fileprivate var hexadecimal: String {
    var text = ""
    for index in indices {
      text += self[index] < 16 ? "0" : ""
      text += String(self[index], radix: 16)
    }
    return text
  }
}
