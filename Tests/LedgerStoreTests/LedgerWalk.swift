import Foundation
import LMDB
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerOracle
import Testing

@testable import LedgerStore

/// A ledger in its own folder that goes through a history: events are appended in pieces, and in
/// between the ledger is folded, asked, checked, rebuilt, closed and reopened.
final class LedgerWalk {
  let path: String
  /// The events that were appended, as the ledger has them.
  private(set) var arrived: [RecordedEvent] = []
  /// The steps so far, for reproducing a failure.
  private(set) var steps: [String] = []
  private(set) var differences: [String] = []
  private var current: Ledger?

  // Nothing is synced, because these tests do not depend on the disk.
  static let options = Environment.Options(sync: .onRequest)
  /// Every 5 ms, for a minute.
  private static let openingTriesMax = 12_000

  init() throws {
    path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    current = try Ledger.create(at: path, options: Self.options)
  }

  deinit {
    current = nil
    do { try FileManager.default.removeItem(atPath: path) } catch { print("left \(path)") }
  }

  /// Returns the ledger, opening it if necessary.
  func ledger() throws -> Ledger {
    if let current { return current }
    // The threads that append and fold may still hold the lock. On a busy machine, this can take
    // long.
    for _ in 0..<Self.openingTriesMax {
      do throws(LedgerError) {
        let opened = try Ledger(at: path, options: Self.options)
        _ = try opened.source.live()
        current = opened
        return opened
      } catch {
        guard error.code == .busy else { throw error }
      }
      Thread.sleep(forTimeInterval: 0.005)
    }
    let opened = try Ledger(at: path, options: Self.options)
    current = opened
    return opened
  }

  func close() { current = nil }

  /// Appends the next events of a history, as one batch.
  ///
  /// - Parameter foldsSoon: Whether they are folded in the background, as usual. Otherwise they
  ///   wait until a step folds.
  func append(_ events: some Collection<RecordedEvent>, foldsSoon: Bool = true) throws {
    let batch = events.map { recorded in
      EventInput(event: recorded.event, position: 1, recordedAt: recorded.recordedAt)
    }
    let options = AppendOptions(trustsRecordedAt: true)
    if foldsSoon {
      try ledger().appendAndWait(batch, options: options)
    } else {
      try ledger().log.appendAndWait(batch, options: options)
    }
    arrived += events
    steps.append("append \(batch.count)")
  }

  func note(_ step: String, _ found: [String]) {
    steps.append(step)
    if found.isEmpty { return }
    differences.append("after \(steps.joined(separator: ", ")): \(found.prefix(8))")
  }
}

extension LedgerWalk {
  enum Step: CaseIterable {
    case fold, question, past, oracle, check, rebuild, reopen, deletion
  }

  /// Goes through a whole history in pieces of a random size.
  ///
  /// - Parameter oracleEvery: Ask the oracle, which is slow, once per this many pieces.
  func go(
    through events: [RecordedEvent], pieceMax: Int, oracleEvery: Int, _ random: inout SeededRandom
  ) throws {
    var rest = events[...]
    while !rest.isEmpty {
      let piece = rest.prefix(1 + random.below(pieceMax))
      try append(piece)
      rest = rest.dropFirst(piece.count)
      if random.chance(1, in: oracleEvery) { try take(.oracle) }
      switch random.below(16) {
      case 0..<4: try take(.fold)
      case 4..<7: try take(.question)
      case 7: try take(.past)
      case 8, 9: try take(.check)
      case 10: try take(.rebuild)
      case 11, 12: try take(.reopen)
      case 13: try take(.deletion)
      default: break
      }
    }
    try take(.oracle)
    try take(.fold)
    try take(.oracle)
    try take(.check)
  }

  func take(_ step: Step) throws {
    switch step {
    case .fold:
      try ledger().fold()
      steps.append("fold")
    case .question:
      _ = try LedgerStatement(ledger(), LedgerQuestions(arrived))
      steps.append("question")
    case .past:
      // A question as of the last position is folded afresh from the facts alone.
      let questions = LedgerQuestions(arrived)
      let fresh = try LedgerStatement(
        ledger(), questions, clocks: Clocks(asOf: .position(UInt64(arrived.count))))
      let live = try LedgerStatement(ledger(), questions)
      note("past", live.differences(from: fresh))
    case .oracle:
      let answers = Oracle(arrived).answers()
      let questions = LedgerQuestions(answers, about: arrived)
      let live = try LedgerStatement(ledger(), questions)
      note("oracle", live.differences(from: LedgerStatement(answers, to: questions)))
    case .check:
      note("check", try ledger().checkProjections())
    case .rebuild:
      try ledger().rebuild()
      steps.append("rebuild")
    case .reopen:
      close()
      steps.append("reopen")
    case .deletion:
      close()
      try FileManager.default.removeItem(atPath: "\(path)/\(Projections.folderName)")
      steps.append("deletion")
    }
  }
}
