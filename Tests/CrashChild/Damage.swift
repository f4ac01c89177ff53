import Foundation
import LMDB
import LedgerEvents
import LedgerHistories
import LedgerLog
import LedgerStore

/// Trials on copies of a ledger: each flips one bit of a file, and then appends everything again.
///
/// A process of its own, because LMDB may die of a damaged page: whoever started it goes on behind
/// the trial that it was at.
struct DamageTrials {
  /// Which file is damaged.
  enum Target: String {
    case projections, log
  }

  let template: String
  let work: String
  let history: [RecordedEvent]
  let target: Target
  /// Whether the writer is given an index that claims to know everything and finds nothing: the
  /// fault that the audit must notice.
  let isLying: Bool

  private static let pageBytes = 4096
  private static let flagsAt = 10
  private static let overflowFlag: UInt8 = 4

  func run(_ trial: Int) throws -> String {
    let ledger = "\(work)/\(trial)"
    try FileManager.default.copyItem(atPath: template, toPath: ledger)
    if !isLying { try flip(trial, ledger) }
    do throws(LedgerError) { return "appended \(try appendAgain(ledger))" } catch {
      return "refused \(error.code)"
    }
  }

  private func appendAgain(_ path: String) throws(LedgerError) -> Int {
    let ledger = try Ledger(at: path, options: Environment.Options(sync: .onRequest))
    if isLying {
      let index = try LyingIndex(ledger.log)
      ledger.log.useIndex { index }
    }
    var count = 0
    let half = history.count / 2
    for batch in [history[..<half], history[half...]] {
      count += try ledger.appendAndWait(
        batch.map { EventInput(event: $0.event, position: 1, recordedAt: $0.recordedAt) },
        options: AppendOptions(trustsRecordedAt: true)
      ).appendedCount
    }
    let fresh = DamageTrials.fresh(history).map { EventInput(event: $0) }
    count += try ledger.appendAndWait(fresh).appendedCount
    try ledger.foldBeforeLeaving()
    try ledger.close()
    return count
  }

  /// New events about what the history is about: every name of theirs has a number.
  static func fresh(_ history: [RecordedEvent]) -> [Event] {
    history.suffix(10).enumerated().map { index, recorded in
      var event = recorded.event
      event.id = Name("fresh-\(index)")
      return event
    }
  }

  /// Flips one bit: half of the trials in a value that fills pages of its own, as blocks of runs
  /// do, and the others anywhere.
  private func flip(_ trial: Int, _ ledger: String) throws {
    let folder = target == .log ? "\(ledger)/log" : "\(ledger)/projections/1"
    let url = URL(filePath: "\(folder)/\(Environment.dataFileName)")
    var data = try Data(contentsOf: url)
    var random = SeededRandom(seed: UInt64(trial))
    var pages = Array(0..<data.count / Self.pageBytes)
    if trial % 2 == 1 {
      let values = pages.filter { data[$0 * Self.pageBytes + Self.flagsAt] == Self.overflowFlag }
      if !values.isEmpty { pages = values }
    }
    let offset = pages[random.below(pages.count)] * Self.pageBytes + random.below(Self.pageBytes)
    data[offset] ^= 1 << UInt8(random.below(8))
    try data.write(to: url)
  }
}

/// An index that claims to reach to the log's end and holds nothing.
private struct LyingIndex: LogIndex {
  let reach: UInt64
  let nameReach: NameNumber

  init(_ log: EventLog) throws(LedgerError) {
    let size = try log.statistics()
    reach = size.lastPosition
    nameReach = size.lastNameNumber
  }

  func positions(ofIDs hashes: [UInt64]) -> [KeyCandidate] { [] }
  func numbers(ofNames hashes: [UInt64]) -> [KeyCandidate] { [] }
}
