internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// A unit as it is stored: its state, and how far it was folded.
///
/// The row of a small unit has all of it. That of a large one is *divided*: it has only the head of
/// the state, whose pages are rows of their own, so that an event costs the pages that it touches.
///
/// A row may be ahead of the checkpoint, because a large merge is written in several commits. What
/// has already been folded into it is not folded again.
struct UnitRow {
  /// Every fact of the unit up to this position is in the state.
  var foldedThrough: UInt64
  /// `nil` if the state cannot be read, because another version wrote it. The unit is then folded
  /// again.
  var unit: Unit?
  /// The number of rows in a page of the state's tables; 0 if the row has all of the state.
  var rowsPerPage = 0
  var isDivided: Bool { rowsPerPage > 0 }

  /// The position up to which the row is folded, the unit's reach into the timelines of the absent
  /// device, the newest events by environment, the time of the newest event of all, the rows in a
  /// page or 0 if the row is not divided, and the number of bytes of the report that follows. The
  /// state, or its head, comes after the report.
  private static let headerBytes = 8 + 8 + 8 * environmentCount + 8 + 4 + 4
  private static let environmentCount = StoreEnvironment.allCases.count
  private static let newestOffset = 16 + 8 * environmentCount
  private static let pageOffset = newestOffset + 8

  init(foldedThrough: UInt64, unit: Unit) {
    self.foldedThrough = foldedThrough
    self.unit = unit
  }

  /// Reads the row of the unit called `number`; `nil` if there is none.
  init?(
    _ number: UnitNumber, _ view: TransactionView, _ tables: ProjectionTables
  ) throws(LedgerError) {
    let key = bigEndianKey(number)
    guard let bytes = try tables.units.row(key.span, view) else { return nil }
    try self.init(bytes, of: number, view, tables)
  }

  /// Reads a row, and the pages of a divided state.
  ///
  /// - Complexity: O(*n*) in the size of the state.
  init(
    _ bytes: Span<UInt8>, of number: UnitNumber, _ view: TransactionView,
    _ tables: ProjectionTables
  ) throws(LedgerError) {
    guard bytes.count >= Self.headerBytes else {
      foldedThrough = 0
      return
    }
    foldedThrough = bytes.bigEndianWord(at: 0)
    guard let start = Self.report(bytes)?.upperBound else { return }
    let state = [UInt8](copying: bytes.extracting(start..<bytes.count))
    rowsPerPage = Int(bytes.bigEndianHalf(at: Self.pageOffset))
    do throws(StateError) {
      if !isDivided { unit = try Unit(decoding: state) }
    } catch { unit = nil }
    if isDivided {
      let layout = UnitLayout(rowsPerPage: rowsPerPage, undividedRowsMax: 0)
      unit = try UnitPages(number, tables.pages).state(state, layout, view)
    }
    assert(unit.map { $0.lastPosition <= foldedThrough } ?? true, "a state is ahead of its row")
  }

  /// Whom the unit called `number` is about, and what its events broke; `nil` if there is no such
  /// unit, or if it has to be folded again.
  ///
  /// - Complexity: O(*n*) in its accounts and findings if it is divided, otherwise in its state.
  static func roster(
    of number: UnitNumber, _ view: TransactionView, _ tables: ProjectionTables
  ) throws(LedgerError) -> UnitRoster? {
    let key = bigEndianKey(number)
    guard let bytes = try tables.units.row(key.span, view), bytes.count >= headerBytes,
      let start = report(bytes)?.upperBound
    else { return nil }
    let rowsPerPage = Int(bytes.bigEndianHalf(at: pageOffset))
    guard rowsPerPage > 0 else {
      return try UnitRow(bytes, of: number, view, tables).unit.map(UnitRoster.init)
    }
    return try UnitPages(number, tables.pages).roster(
      [UInt8](copying: bytes.extracting(start..<bytes.count)),
      UnitLayout(rowsPerPage: rowsPerPage, undividedRowsMax: 0), view)
  }

  /// The bytes of the row of a unit that is not divided.
  static func encode(_ unit: Unit, foldedThrough: UInt64, report: UnitReport) -> [UInt8] {
    var bytes = header(of: unit, foldedThrough, rowsPerPage: 0, reportBytes: report.encoded.count)
    bytes += report.encoded
    unit.encode(into: &bytes)
    return bytes
  }

  /// The bytes of the row of a divided unit.
  static func encodeHead(_ unit: Unit, foldedThrough: UInt64, _ layout: UnitLayout) -> [UInt8] {
    header(of: unit, foldedThrough, rowsPerPage: layout.rowsPerPage, reportBytes: 0)
      + unit.encodedHead()
  }

  private static func header(
    of unit: Unit, _ foldedThrough: UInt64, rowsPerPage: Int, reportBytes: Int
  ) -> [UInt8] {
    assert(unit.lastPosition <= foldedThrough, "a unit is folded beyond its row")
    var bytes: [UInt8] = []
    bytes.append(bigEndianWord: foldedThrough)
    bytes.append(bigEndianWord: UInt64(bitPattern: unit.absentDeviceReach))
    for environment in StoreEnvironment.allCases {
      let newest = unit.newestEvent(in: environment) ?? .min
      bytes.append(bigEndianWord: UInt64(bitPattern: newest))
    }
    bytes.append(bigEndianWord: UInt64(bitPattern: unit.lastKey?.time ?? .min))
    bytes.append(bigEndianHalf: UInt32(rowsPerPage))
    bytes.append(bigEndianHalf: UInt32(reportBytes))
    return bytes
  }
}

// MARK: - What a row says without its state

extension UnitRow {
  /// Whether a row has only the head of a state.
  static func isDivided(_ bytes: Span<UInt8>) -> Bool {
    bytes.count >= headerBytes && bytes.bigEndianHalf(at: pageOffset) > 0
  }

  /// The position up to which a row was folded.
  ///
  /// - Throws: `rebuildNeeded` if the row is damaged.
  static func foldedThrough(_ bytes: Span<UInt8>) throws(LedgerError) -> UInt64 {
    guard bytes.count >= headerBytes else { throw .answerDamaged }
    return bytes.bigEndianWord(at: 0)
  }

  /// The believed time of the unit's newest event; `.min` before any.
  ///
  /// - Throws: `rebuildNeeded` if the row is damaged.
  static func newestEvent(_ bytes: Span<UInt8>) throws(LedgerError) -> Int64 {
    guard bytes.count >= headerBytes else { throw .answerDamaged }
    return Int64(bitPattern: bytes.bigEndianWord(at: newestOffset))
  }

  /// The lines of a row's report; none for an empty row.
  ///
  /// - Throws: `rebuildNeeded` if the row is damaged.
  static func reportedLines(_ bytes: Span<UInt8>) throws(LedgerError) -> [ReportedLine] {
    if bytes.isEmpty { return [] }
    guard let range = report(bytes) else { throw .answerDamaged }
    return try ReportedLine.lines(of: bytes.extracting(range))
  }

  /// The range of the report in a row; `nil` if the row is damaged.
  static func report(_ bytes: Span<UInt8>) -> Range<Int>? {
    guard bytes.count >= headerBytes else { return nil }
    let count = Int(bytes.bigEndianHalf(at: headerBytes - 4))
    guard bytes.count - headerBytes >= count else { return nil }
    return headerBytes..<headerBytes + count
  }

  /// The believed time of the newest fact that counts in an environment, from a row's header.
  static func newestEvent(_ bytes: Span<UInt8>, in environment: StoreEnvironment) -> Int64? {
    guard bytes.count >= headerBytes else { return nil }
    let offset = 16 + 8 * (Int(environment.rawValue) - 1)
    let newest = Int64(bitPattern: bytes.bigEndianWord(at: offset))
    return newest == .min ? nil : newest
  }

  /// Whether a stored unit or its answers can depend on what changed, judged by the row's header
  /// alone.
  static func mayBeConcerned(_ bytes: Span<UInt8>, by change: ContextChange) -> Bool {
    guard bytes.count >= headerBytes else { return true }
    if change.addsEnvironment { return true }
    let reach = Int64(bitPattern: bytes.bigEndianWord(at: 8))
    if let from = change.absentDeviceFrom, reach >= from { return true }
    return !change.products.isEmpty
  }
}
