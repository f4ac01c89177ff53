internal import Foundation
internal import LMDB
internal import LedgerEvents

/// Answers whether an account has an item: with one `get` of the stored answer if the log has
/// nothing newer about the account, otherwise from the folded unit.
///
/// Safe to use from any thread. Callers use separate readers, up to a maximum number. They share a
/// lock only while the log has events after the projections.
package final class AnswerLookup: Sendable {
  private let ledger: Ledger
  private let tail = LookupTail()
  private let slots: [Slot]

  /// A slot for a reader, empty until its first use. The lock admits one caller at a time.
  private final class Slot: @unchecked Sendable {
    let lock = NSLock()
    var reader: LookupReader?
  }

  /// The maximum number of readers. Each takes one of the 126 slots that all processes of a ledger
  /// share.
  static let slotsCount = 8

  package init(_ ledger: Ledger) {
    self.ledger = ledger
    slots = (0..<Self.slotsCount).map { _ in Slot() }
  }

  /// Answers from everything that is in the log now.
  ///
  /// - Complexity: one `get` if the projections contain everything about the account.
  /// - Throws: ``LedgerError``: `rebuildNeeded` if the projections are missing or too far behind,
  ///   `corrupt`, `io`, `closed`.
  package func answer(_ question: ItemQuestion) throws(LedgerError) -> ItemAnswer {
    for slot in slots where slot.lock.try() {
      defer { slot.lock.unlock() }
      return try answer(question, &slot.reader)
    }
    // All readers are busy. Wait for one of them, but not always for the same one.
    let slot = slots[Int(UInt64(bitPattern: question.now.microseconds) % UInt64(slots.count))]
    slot.lock.lock()
    defer { slot.lock.unlock() }
    return try answer(question, &slot.reader)
  }

  /// Answers if a reader that nobody uses finds the answer stored, and no event that is not folded
  /// yet is about the account. `nil` if that takes more, or fails: ``answer(_:)`` then says why.
  ///
  /// - Complexity: one `get`, and up to `HeldTail.nearEventsMax` events that are new; waits for
  ///   nobody.
  package func storedAnswer(_ question: ItemQuestion) -> ItemAnswer? {
    for slot in slots where slot.lock.try() {
      defer { slot.lock.unlock() }
      do throws(LedgerError) { return try slot.reader?.storedAnswer(question, tail) } catch {
        return nil
      }
    }
    return nil
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
      // A generation that another process has made meanwhile is found at the second attempt.
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
      // Keep nothing after a failure: the next question starts afresh.
      reader = nil
      tail.clear()
      ledger.noteDamage(error)
      throw error
    }
  }
}

/// The log's events after the projections, for all readers of a lookup.
final class LookupTail: Sendable {
  private let lock = NSLock()
  private let held = HeldTail()

  /// Calls `body` with exclusive access to the tail.
  func withTail<Value>(
    _ body: (HeldTail) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    lock.lock()
    defer { lock.unlock() }
    return try body(held)
  }

  /// Calls `body` with exclusive access to the tail; `nil` if somebody else has it.
  func withFreeTail<Value>(
    _ body: (HeldTail) throws(LedgerError) -> Value?
  ) throws(LedgerError) -> Value? {
    guard lock.try() else { return nil }
    defer { lock.unlock() }
    return try body(held)
  }

  func clear() {
    lock.lock()
    defer { lock.unlock() }
    held.clear()
  }
}
