internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// A unit as it is stored: its state, and how far it was folded.
///
/// A row may be ahead of the checkpoint, because a large merge is written in several commits. What
/// has already been folded into it is not folded again.
struct UnitRow {
  /// Every fact of the unit up to this position is in the state.
  var foldedThrough: UInt64
  /// `nil` if the state cannot be read, because another version wrote it. The unit is then folded
  /// again.
  var unit: Unit?

  /// The position up to which the row is folded, the unit's reach into the timelines of the absent
  /// device, the newest events by environment, and the number of bytes of the report that follows.
  /// The state comes after the report.
  private static let headerBytes = 8 + 8 + 8 * StoreEnvironment.allCases.count + 4

  init(foldedThrough: UInt64, unit: Unit) {
    self.foldedThrough = foldedThrough
    self.unit = unit
  }

  /// Reads the row of the unit called `number`; `nil` if there is none.
  init?(
    _ number: UInt32, _ view: TransactionView, _ tables: ProjectionTables
  ) throws(LedgerError) {
    let key = bigEndianKey(number)
    guard let bytes = try tables.units.row(key.span, view) else { return nil }
    self.init(bytes)
  }

  init(_ bytes: Span<UInt8>) {
    guard bytes.count >= Self.headerBytes else {
      foldedThrough = 0
      return
    }
    foldedThrough = bytes.bigEndianWord(at: 0)
    guard let start = Self.report(bytes)?.upperBound else { return }
    do throws(StateError) {
      let state = bytes.extracting(start..<bytes.count)
      let decoded = try Unit(decoding: [UInt8](copying: state))
      assert(decoded.lastPosition <= foldedThrough, "a row's state is ahead of the row")
      unit = decoded
    } catch {
      unit = nil
    }
  }

  /// The bytes of a row.
  static func encode(_ unit: Unit, foldedThrough: UInt64, report: UnitReport) -> [UInt8] {
    assert(unit.lastPosition <= foldedThrough, "a unit is folded beyond its row")
    var bytes: [UInt8] = []
    bytes.append(bigEndianWord: foldedThrough)
    bytes.append(bigEndianWord: UInt64(bitPattern: unit.absentDeviceReach))
    for environment in StoreEnvironment.allCases {
      let newest = unit.newestEvent(in: environment) ?? .min
      bytes.append(bigEndianWord: UInt64(bitPattern: newest))
    }
    bytes.append(bigEndianHalf: UInt32(report.encoded.count))
    bytes += report.encoded
    unit.encode(into: &bytes)
    return bytes
  }

  /// The position up to which a row was folded.
  ///
  /// - Throws: `rebuildNeeded` if the row is damaged.
  static func foldedThrough(_ bytes: Span<UInt8>) throws(LedgerError) -> UInt64 {
    guard bytes.count >= headerBytes else { throw .answerDamaged }
    return bytes.bigEndianWord(at: 0)
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
