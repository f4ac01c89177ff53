internal import LMDB
internal import LedgerEvents
internal import LedgerModel
internal import WorkThreads

/// Folds separate units ahead of a merge and makes their rows, on several cores. The merge writes
/// the rows of some units while the next ones are folded.
///
/// Each thread reads its own snapshots. Nobody else writes rows of units while the merge does, and
/// the merge writes those of a unit after it was folded, so the snapshots agree on them.
final class UnitsAhead {
  /// What became of a unit.
  struct Found: Sendable {
    enum Result: Sendable {
      /// All rows to write, of a unit that is not divided and shares no state of the absent device.
      case rows(PendingRows)
      case folded(FoldedUnit)
    }

    var unit: UnitNumber
    var result: Result
    var former: FormerRows
    /// Whether a row was decoded.
    var isDecoded: Bool
  }

  /// The fewest new facts that are worth a piece of their own. In builds with checks, each unit is
  /// a piece.
  #if DEBUG
    private static let pieceFactsMin = 1
  #else
    private static let pieceFactsMin = 4_096
  #endif

  /// The number of pieces that are begun together, and whose rows are then in memory. With more
  /// than one for each of a few cores, nobody waits long for the last one.
  private static let piecesPerGroup = 4

  private let job: Job
  private let pieces: [Range<Int>]
  private var begun = 0
  private var running: ConcurrentWork<[Found]>?
  /// What the finished group has found, in reverse.
  private var found: [Found] = []
  /// The last unit that the finished groups have looked at.
  private var reach: UnitNumber?

  /// Begins with the first units; `nil` if all of them are one piece.
  ///
  /// - Parameter position: The position up to which they are folded.
  init?(
    _ units: SeparateUnits, through position: UInt64, _ log: EventLog, _ projections: Projections,
    _ layout: UnitLayout
  ) {
    pieces = Self.pieces(of: units)
    job = Job(
      units: units, position: position, log: log, projections: projections, layout: layout)
    if pieces.count < 2 { return nil }
    beginGroup()
  }

  /// What was folded ahead of a unit; `nil` if the merge has to fold it. Asked in ascending order.
  func take(_ unit: UnitNumber) -> Found? {
    while reach.map({ $0 < unit }) ?? true {
      guard let running else { return nil }
      self.running = nil
      found = running.results().flatMap(\.self).reversed()
      reach = job.units.units[pieces[begun - 1].upperBound - 1]
      beginGroup()
    }
    while let last = found.last, last.unit < unit { found.removeLast() }
    guard found.last?.unit == unit else { return nil }
    return found.popLast()
  }

  /// Waits for what has begun.
  func end() {
    running?.abandon()
    running = nil
  }

  private func beginGroup() {
    let group = Array(pieces[begun..<min(begun + Self.piecesPerGroup, pieces.count)])
    if group.isEmpty { return }
    begun += group.count
    running = .begin(group.count) { [job] in job.fold(group[$0]) }
  }

  /// Units in consecutive pieces with at least `pieceFactsMin` new facts, but for the last one.
  private static func pieces(of units: SeparateUnits) -> [Range<Int>] {
    var pieces: [Range<Int>] = []
    var (start, factCount) = (0, 0)
    for (index, unit) in units.units.enumerated() {
      factCount += units.newFactCount(of: unit)
      guard factCount >= pieceFactsMin || index + 1 == units.units.count else { continue }
      pieces.append(start..<index + 1)
      (start, factCount) = (index + 1, 0)
    }
    return pieces
  }
}

extension UnitsAhead {
  /// Folds separate units of which nothing is stored, on several cores; none if there are few.
  ///
  /// - Returns: The units, but for those for which a text could not be read.
  static func fold(_ units: SeparateUnits, _ log: EventLog) -> [UnitNumber: FoldedUnit] {
    let pieces = pieces(of: units)
    if pieces.count < 2 { return [:] }
    let found = concurrentMap(pieces.count) { piece in
      let texts = LogTexts(log)
      let folder = units.folder(texts)
      var folded: [(UnitNumber, FoldedUnit)] = []
      for unit in units.units[pieces[piece]] {
        if let state = folder.fold(unit, from: nil, { [] }) { folded.append((unit, state)) }
      }
      return texts.failure == nil ? folded : []
    }
    return Dictionary(uniqueKeysWithValues: found.joined())
  }
}

extension UnitsAhead {
  /// What any thread needs to fold units.
  private struct Job: Sendable {
    let units: SeparateUnits
    let position: UInt64
    let log: EventLog
    let projections: Projections
    let layout: UnitLayout

    /// Folds the units with these indices. If something fails, the result has those before. The
    /// merge folds the others, and then meets the failure itself.
    func fold(_ indices: Range<Int>) -> [Found] {
      var found: [Found] = []
      _ = Result { () throws(LedgerError) in try fold(indices, into: &found) }
      return found
    }

    private func fold(_ indices: Range<Int>, into found: inout [Found]) throws(LedgerError) {
      let reading = try projections.beginRead()
      let snapshot = try log.snapshot()
      let view = try snapshot.view
      let texts = LogTexts(log)
      let folder = units.folder(texts)
      let rows = UnitRows(tables: projections.tables, texts: texts, foldedThrough: position)
      for index in indices {
        let unit = units.units[index]
        if let next = try fold(unit, folder, rows, reading.view, view) { found.append(next) }
      }
    }

    private func fold(
      _ unit: UnitNumber, _ folder: SeparateFolder, _ unitRows: UnitRows, _ view: TransactionView,
      _ log: LogView
    ) throws(LedgerError) -> Found? {
      guard let (stored, former) = try stored(unit, view) else { return nil }
      let isDecoded = stored != nil
      let folded = try folder.fold(unit, from: stored) { () throws(LedgerError) in
        let positions = try projections.tables.positions(of: unit, in: view)
        return try log.facts(at: positions)
      }
      try unitRows.texts.check()
      guard let folded else { return nil }
      var found = Found(
        unit: unit, result: .folded(folded), former: former, isDecoded: isDecoded)
      let state = folded.unit
      guard state.couplings.isEmpty, state.rowCount <= layout.undividedRowsMax else {
        return found
      }
      var rows = PendingRows()
      unitRows.remove(former, of: unit, &rows)
      try unitRows.put(whole: state, unit, units.context, &rows)
      found.result = .rows(rows)
      return found
    }

    /// The stored state of a unit, and the rows that follow from it; `nil` if the unit is divided.
    private func stored(
      _ unit: UnitNumber, _ view: TransactionView
    ) throws(LedgerError) -> (state: StoredState?, former: FormerRows)? {
      let key = bigEndianKey(unit)
      guard let bytes = try projections.tables.units.row(key.span, view) else {
        return (nil, FormerRows(nil))
      }
      if UnitRow.isDivided(bytes) { return nil }
      let row = try UnitRow(bytes, of: unit, view, projections.tables)
      return (StoredState(foldedThrough: row.foldedThrough, unit: row.unit), FormerRows(row))
    }
  }
}
