internal import Foundation
internal import LMDB
internal import LedgerEvents

/// Answers "has this account that item" by one `get` of the stored answer, wherever the log has
/// nothing newer about the account; from the folded unit where it has.
///
/// Safe from any thread. Askers use readers of their own, a bounded number of them, and meet at a
/// lock only while something stands in the log behind the projections.
package final class AnswerLookup: Sendable {
  private let ledger: Ledger
  private let tail = LookupTail()
  private let slots: [Slot]

  /// A reader's place, empty until somebody asks there; what is behind the lock is used by one at a
  /// time.
  private final class Slot: @unchecked Sendable {
    let lock = NSLock()
    var reader: LookupReader?
  }

  /// Readers at the most: each takes one of the 126 that all processes of a ledger share.
  static let slotsCount = 8

  package init(_ ledger: Ledger) {
    self.ledger = ledger
    slots = (0..<Self.slotsCount).map { _ in Slot() }
  }

  /// Answers with the newest that is in the log.
  ///
  /// - Complexity: one `get` where nothing about the account is behind the projections.
  /// - Throws: ``LedgerError``: `rebuildNeeded` where the projections are missing or too far
  ///   behind, `corrupt`, `io`, `closed`.
  package func answer(_ question: ItemQuestion) throws(LedgerError) -> ItemAnswer {
    for slot in slots where slot.lock.try() {
      defer { slot.lock.unlock() }
      return try answer(question, &slot.reader)
    }
    // Everybody is busy: wait for one of them, not always the same.
    let slot = slots[Int(UInt64(bitPattern: question.now.microseconds) % UInt64(slots.count))]
    slot.lock.lock()
    defer { slot.lock.unlock() }
    return try answer(question, &slot.reader)
  }

  /// Ends the readers, so that the ledger can be closed; the next question begins new ones.
  package func release() {
    for slot in slots {
      slot.lock.lock()
      slot.reader = nil
      slot.lock.unlock()
    }
    tail.clear()
  }

  private func answer(
    _ question: ItemQuestion, _ reader: inout LookupReader?
  ) throws(LedgerError) -> ItemAnswer {
    do throws(LedgerError) {
      // A generation that another process made since is found at the second attempt.
      while true {
        if reader == nil {
          guard let projections = try ledger.source.live() else { throw .projectionsMissing }
          reader = try LookupReader(
            ledger.log, ledger.source, projections, try ledger.log.tables.texts.seal())
        }
        if let answer = try reader?.answer(question, tail) { return answer }
        reader = nil
      }
    } catch {
      // Nothing of what failed is kept: the next question begins anew.
      reader = nil
      tail.clear()
      ledger.noteDamage(error)
      throw error
    }
  }
}

/// What is in the log behind the projections, for all readers of a lookup.
final class LookupTail: Sendable {
  private let lock = NSLock()
  private let held = HeldTail()

  /// Calls `body` with the tail and nobody else at it.
  func withTail<Value>(
    _ body: (HeldTail) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    lock.lock()
    defer { lock.unlock() }
    return try body(held)
  }

  func clear() {
    lock.lock()
    defer { lock.unlock() }
    held.clear()
  }
}
