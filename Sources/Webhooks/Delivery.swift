package import LedgerEvents

/// A message to one webhook, and what became of it.
package struct Delivery: Sendable {
  package enum State: Int, CaseIterable, Sendable {
    /// It is to be sent, or to be sent again.
    case waiting = 0
    /// The receiver has answered with a status of 2xx.
    case delivered = 1
    /// It was tried for three days, or too many waited: a dead letter.
    case dead = 2

    package var text: String {
      switch self {
      case .waiting: "waiting"
      case .delivered: "delivered"
      case .dead: "dead"
      }
    }

    package init?(text: String) {
      guard let found = Self.allCases.first(where: { $0.text == text }) else { return nil }
      self = found
    }
  }

  /// The number of the message, by which deliveries are in order.
  package let number: Int64
  /// The id of the message, which the receiver gets as `webhook-id`.
  package let id: String
  package let type: String
  package let customer: NameNumber
  package let isAboutAccount: Bool
  /// The position and the store time at which the message is true.
  package let position: UInt64
  package let at: Instant
  package let state: State
  package let attempts: Int
  package let lastAt: Instant?
  /// When it is tried next; nil if it has ended, or waits for another one of the same customer.
  package let nextAt: Instant?
  /// The status of the last answer; nil if there was none.
  package let status: Int?
  /// Why the last attempt failed.
  package let problem: String?
}

/// How many deliveries of a webhook are in which state.
package struct DeliveryCounts: Sendable, Hashable {
  package var waiting = 0
  package var delivered = 0
  package var dead = 0
  /// The oldest that waits.
  package var oldestWaitingAt: Instant?
}

/// When a delivery that failed is tried again.
///
/// Source: Standard Webhooks 1.0.0, *Deliverability and reliability*: immediately, then with pauses
/// that grow to hours, over days.
package enum RetrySchedule {
  /// How long a message is tried after the first attempt.
  static let span = 3 * Instant.day
  /// The pauses after the first, the second and each later failure, in seconds; then the last one.
  private static let pauses: [Int64] = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400]
  /// How much a pause varies, in parts of itself, so that many that failed together do not come
  /// together.
  private static let spread = 10
  /// The pause after an attempt that did not come to the receiver, in microseconds.
  private static let postponement = 5 * Instant.second

  /// The moment of the next attempt; nil if there is none any more.
  ///
  /// - Parameters:
  ///   - attempts: How many there were.
  ///   - first: When the first was.
  ///   - now: When the last one failed.
  ///   - asked: How many seconds the receiver has asked to wait.
  ///   - chance: Any number, which decides within the spread.
  static func next(
    after attempts: Int, since first: Instant, now: Instant, asked: Int64?, chance: UInt64
  ) -> Instant? {
    guard now.microseconds - first.microseconds < span else { return nil }
    let seconds = pauses[min(max(attempts, 1), pauses.count) - 1]
    let pause = seconds * Instant.second
    let varied = pause + Int64(chance % UInt64(max(pause / Int64(spread), 1)))
    let asked = min(max(asked ?? 0, 0), Instant.day / Instant.second) * Instant.second
    return Instant(microseconds: now.microseconds + max(varied, asked))
  }

  /// The moment of the next attempt after one that did not come to the receiver; nil if there is
  /// none any more.
  static func postponed(since first: Instant, now: Instant) -> Instant? {
    guard now.microseconds - first.microseconds < span else { return nil }
    return Instant(microseconds: now.microseconds + postponement)
  }
}
