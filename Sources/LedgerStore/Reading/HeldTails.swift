internal import Foundation
internal import LedgerEvents

/// The tails of a reader, each of which one question uses at a time.
///
/// Whoever asks alone always uses the first one. The spare ones fold what the first one has folded
/// once more, so they are for short tails only.
final class HeldTails: @unchecked Sendable {
  #if DEBUG
    static let spareEventsMax: UInt64 = 100
  #else
    /// The most events that a spare tail folds: some milliseconds of work.
    static let spareEventsMax: UInt64 = 10_000
  #endif

  /// The most spare tails. Each question holds two of LMDB's reader slots.
  static let sparesMax = 15

  private let first = HeldTail()
  // What follows is protected by the condition's lock.
  private let freed = NSCondition()
  private var isFirstFree = true
  private var freeSpares: [HeldTail] = []
  private var spareCount = 0

  /// Calls `body` with a tail that nobody else uses, and whether it is a spare one. Waits if all
  /// are in use, or the first one is and it must be that.
  func withTail<Value>(
    mustBeFirst: Bool, _ body: (HeldTail, _ isSpare: Bool) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    let tail = take(mustBeFirst: mustBeFirst)
    defer { giveBack(tail) }
    return try body(tail, tail !== first)
  }

  /// Forgets all tails, when nobody uses one.
  func release() {
    waitUntil { isFirstFree && freeSpares.count == spareCount }
    first.clear()
    freeSpares = []
    spareCount = 0
    freed.unlock()
  }

  private func take(mustBeFirst: Bool) -> HeldTail {
    waitUntil {
      isFirstFree
        || (!mustBeFirst && (!freeSpares.isEmpty || spareCount < Self.sparesMax))
    }
    defer { freed.unlock() }
    if isFirstFree {
      isFirstFree = false
      return first
    }
    if let spare = freeSpares.popLast() { return spare }
    spareCount += 1
    return HeldTail()
  }

  private func giveBack(_ tail: HeldTail) {
    // Nobody may need it for a long time, and the first one has the same events.
    if tail !== first { tail.clearUnlessEmpty() }
    freed.lock()
    if tail === first { isFirstFree = true } else { freeSpares.append(tail) }
    freed.broadcast()
    freed.unlock()
  }

  /// Takes the lock and waits until `condition` holds.
  private func waitUntil(_ condition: () -> Bool) {
    freed.lock()
    while !condition() { freed.wait() }
  }
}
