import Foundation
import LedgerEvents
import LedgerHistories
import LedgerQueries
import Testing

@Suite("Projections with a flipped bit", .serialized)
struct DamagedProjectionsTests {
  @Test("never double an event or a name")
  func flips() throws {
    let lab = try DamageLab(.projections)
    let found = try lab.run(0..<160)
    #expect(found.faults == [])
    // A process that LMDB has taken down has appended nothing twice; most trials get to the end.
    #expect(found.finished > 120)
  }

  @Test("would be found out if the writer believed an index that misses everything")
  func control() throws {
    let lab = try DamageLab(.projections)
    let found = try lab.run(0..<1, "--lying")
    #expect(!found.faults.isEmpty)
  }
}

@Suite("HeavyDamage: projections with a flipped bit", .serialized)
struct HeavyDamagedProjectionsTests {
  @Test("never double an event or a name, wherever it is")
  func flips() throws {
    let lab = try DamageLab(.projections)
    #expect(try lab.run(1_000..<3_000).faults == [])
  }
}

/// Runs trials of damage in processes that may die of it, and judges what they leave.
final class DamageLab {
  private static let seed = 9
  private static let count = 1_200

  private let folder = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
  private let template: String
  private let target: String
  private let history: [RecordedEvent]
  private let nameCount: NameNumber

  enum Target: String {
    case projections, log
  }

  init(_ target: Target) throws {
    self.target = target.rawValue
    template = folder + "/template"
    history = Histories.sparse(seed: UInt64(Self.seed), count: Self.count, accounts: 40)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let ledger = try Ledger.create(at: template, options: KilledLedger.options)
    // Runs of several sizes, as many small appends leave them.
    for start in stride(from: 0, to: history.count, by: 150) {
      let piece = history[start..<min(start + 150, history.count)]
      try ledger.appendAndWait(
        piece.map { EventInput(event: $0.event, position: 1, recordedAt: $0.recordedAt) },
        options: AppendOptions(trustsRecordedAt: true))
      try ledger.fold()
    }
    nameCount = try ledger.log.statistics().lastNameNumber
    try ledger.close()
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: folder) } catch { print("left \(folder)") }
  }

  func run(_ trials: Range<Int>, _ options: String...) throws -> (faults: [String], finished: Int) {
    var faults: [String] = []
    var finished = 0
    var next = trials.lowerBound
    while next < trials.upperBound {
      let child = try CrashingChild(
        [
          "damage", template, folder, "\(Self.seed)", "\(Self.count)", target, "\(next)",
          "\(trials.upperBound)",
        ] + options)
      while let line = child.line() {
        let words = line.split(separator: " ")
        guard words.count >= 2, let trial = Int(words[1]) else { continue }
        if words[0] == "end" {
          finished += 1
          if words[2] == "refused", target == Target.projections.rawValue {
            faults.append("trial \(trial): \(line)")
          }
          faults += try judge(trial, isWhole: words[2] == "appended")
        }
        next = trial + 1
      }
      _ = child.finish()
      // The process died in the trial that it had begun.
      let left = "\(folder)/\(next - 1)"
      if FileManager.default.fileExists(atPath: left) {
        faults += try judge(next - 1, isWhole: false)
      }
    }
    return (faults, finished)
  }

  /// What is wrong with the log that a trial has left, which is then removed.
  private func judge(_ trial: Int, isWhole: Bool) throws -> [String] {
    let path = "\(folder)/\(trial)"
    defer {
      do { try FileManager.default.removeItem(atPath: path) } catch { print("left \(path)") }
    }
    let log = try EventLog(open: path, access: .readOnly, options: KilledLedger.options)
    let ids = try log.read { (view) throws(LedgerError) in
      var ids: [Name] = []
      for position in 1...view.lastPosition { ids.append(try view.event(at: position).event.id) }
      return ids
    }
    let names = try log.statistics().lastNameNumber
    try log.close()
    var faults: [String] = []
    if Set(ids).count != ids.count { faults.append("\(ids.count - Set(ids).count) events doubled") }
    if names != nameCount { faults.append("\(names) names instead of \(nameCount)") }
    if isWhole, ids.count != history.count + 10 { faults.append("\(ids.count) events") }
    return faults.map { "trial \(trial): \($0)" }
  }
}
