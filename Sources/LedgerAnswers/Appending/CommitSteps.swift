package import LedgerStore

/// How many events one commit takes where a refused event must not keep back those before it.
package struct CommitSteps: Sendable {
  /// The number of events in the commit after a refused one. One refused event is often followed by
  /// others, and those before each of them are tried again.
  private static let eventsAfterRefusal = 64
  /// By how much the number grows with each commit that is taken.
  private static let growth = 4

  private let eventsMax: Int
  private var events: Int

  /// - Parameter eventsMax: The maximum number of events in one commit.
  package init(eventsMax: Int) {
    self.eventsMax = eventsMax
    events = eventsMax
  }

  /// Whether nothing was refused lately.
  package var isFull: Bool { events == eventsMax }

  /// How many of the waiting events the next commit takes.
  ///
  /// - Parameter waiting: How many wait.
  package func count(of waiting: Int) -> Int { min(waiting, events) }

  /// Takes note of a commit.
  ///
  /// - Parameter isRefused: Whether an event was refused.
  package mutating func note(isRefused: Bool) {
    events = isRefused ? Self.eventsAfterRefusal : min(eventsMax, events * Self.growth)
  }

  /// Appends the longest beginning of some events that the ledger takes.
  ///
  /// - Parameters:
  ///   - count: How many there are.
  ///   - append: Appends the first ones of them, as a whole.
  /// - Returns: How many were appended, and why the next one was refused; `nil` if it was not.
  /// - Throws: `LedgerError` that is about no event.
  package static func append(
    _ count: Int, _ append: (Int) throws(LedgerError) -> Void
  ) throws(LedgerError) -> (appended: Int, refusal: LedgerError?) {
    var count = count
    var refusal: LedgerError?
    while count > 0 {
      do throws(LedgerError) {
        try append(count)
        break
      } catch {
        guard let index = error.index, index < count else { throw error }
        // Nothing is wrong with the event that made a batch too large: it begins the next one.
        refusal = error.code == .batchTooLarge && index > 0 ? nil : error
        count = index
      }
    }
    return (count, refusal)
  }
}
