import Foundation
import LedgerEvents
import LedgerHistories
import LedgerStore
import LedgerTesting
import Synchronization
import Testing

/// Questions that are asked while another one is being answered.
@Suite("Questions at once") struct QuestionsAtOnceTests {
  /// Only a test that fails waits so long.
  private static let patience = DispatchTimeInterval.seconds(120)

  @Test("do not wait for a long one") func longQuestion() throws {
    let folder = try TemporaryLedger(halfFolded: Histories.dense(seed: 8, count: 90))
    let positions = try folder.ledger.read { (_) throws(LedgerError) in
      answers(of: 20, from: folder.ledger) { _ in }
    }
    #expect(positions == Array(repeating: 90, count: 20))
  }

  @Test("wait for it if many events would be folded once more, and get the same answer")
  func longTail() throws {
    let history = Histories.dense(seed: 9, count: 600)
    let folder = try TemporaryLedger()
    let ledger = folder.ledger
    ledger.foldsOnlyWhenCalled()
    try folder.append(Array(history[..<300]))
    try ledger.fold()
    try folder.append(Array(history[300...]))
    let asked = DispatchSemaphore(value: 0)
    let isAsking = Mutex(true)
    let sawAsking = Mutex(false)
    let others = Thread {
      _ = answers(of: 4, from: ledger) { _ in
        if isAsking.withLock({ $0 }) { sawAsking.withLock { $0 = true } }
      }
      asked.signal()
    }
    try ledger.read { (_) throws(LedgerError) in
      others.start()
      // However long this lasts, nobody may get an answer meanwhile.
      Thread.sleep(forTimeInterval: 0.05)
      isAsking.withLock { $0 = false }
    }
    #expect(asked.wait(timeout: .now() + Self.patience) == .success)
    #expect(!sawAsking.withLock { $0 })
    #expect(try ledger.read { $0.position } == 600)
  }

  @Test("are true at their positions while events are appended and folded") func appending() throws
  {
    let history = Histories.dense(seed: 10, count: 400)
    let folder = try TemporaryLedger(Array(history[..<100]))
    let ledger = folder.ledger
    let isDone = Mutex(false)
    let ended = DispatchSemaphore(value: 0)
    let wrong = Mutex<[String]>([])
    for _ in 0..<4 {
      Thread {
        var last: UInt64 = 0
        while !isDone.withLock({ $0 }) {
          do {
            let (position, count) = try ledger.read { (view) throws(LedgerError) in
              var facts = 0
              var walk = try view.units()
              while try walk.advance() { facts += try view.facts(of: walk.unit).count }
              return (view.position, facts)
            }
            if position < last || UInt64(count) != position {
              wrong.withLock { $0.append("\(count) facts at \(position), after \(last)") }
            }
            last = position
          } catch { wrong.withLock { $0.append("\(error)") } }
        }
        ended.signal()
      }.start()
    }
    for start in stride(from: 100, to: history.count, by: 20) {
      try folder.append(Array(history[start..<start + 20]))
      if start % 60 == 0 { try ledger.fold() }
    }
    isDone.withLock { $0 = true }
    for _ in 0..<4 { #expect(ended.wait(timeout: .now() + Self.patience) == .success) }
    #expect(wrong.withLock { $0 } == [])
  }

  /// Asks from several threads at once, and returns the positions of the answers.
  private func answers(
    of threads: Int, from ledger: Ledger, _ note: @escaping @Sendable (UInt64) -> Void
  ) -> [UInt64] {
    let positions = Mutex<[UInt64]>([])
    let answered = DispatchSemaphore(value: 0)
    for _ in 0..<threads {
      Thread {
        do {
          let position = try ledger.read { $0.position }
          note(position)
          positions.withLock { $0.append(position) }
        } catch { Issue.record(error) }
        answered.signal()
      }.start()
    }
    for _ in 0..<threads {
      #expect(answered.wait(timeout: .now() + Self.patience) == .success)
    }
    return positions.withLock { $0 }
  }
}
