internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// The stored report of a divided unit. It may be behind the unit's state: it costs as much as the
/// whole unit, so it is made anew when the unit has grown by an eighth, after a complete fold, and
/// when the ledger is closed.
struct KeptReport: ~Escapable {
  /// The number of the unit's facts that it is about.
  let factCount: Int
  /// The lines, as `UnitReport` writes them.
  let lines: Span<UInt8>

  private static let headerBytes = 8
  /// A report is made anew when a unit has grown by this part of what it reports.
  private static let growth = 8

  /// - Throws: `rebuildNeeded` if the row is damaged.
  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) throws(LedgerError) {
    guard bytes.count >= Self.headerBytes else { throw .answerDamaged }
    factCount = Int(truncatingIfNeeded: bytes.bigEndianWord(at: 0))
    lines = bytes.extracting(Self.headerBytes..<bytes.count)
  }

  /// - Throws: `rebuildNeeded` if the row is damaged.
  func reportedLines() throws(LedgerError) -> [ReportedLine] { try ReportedLine.lines(of: lines) }

  static func encode(_ report: UnitReport, factCount: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndianWord: UInt64(factCount))
    return bytes + report.encoded
  }

  /// Whether a unit with so many facts needs a new report.
  static func isDue(factCount: Int, reported: Int) -> Bool {
    factCount - reported > reported / growth
  }
}
