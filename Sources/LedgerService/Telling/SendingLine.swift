import Metrics
import Webhooks

/// The attempts that are under way, and those that have ended and are not noted yet.
struct SendingLine {
  private(set) var busy: Set<Attempt.Key> = []
  private(set) var results: [AttemptResult] = []
  /// How many attempts in a row have failed: a receiver that is down gets one at a time. A webhook
  /// about which somebody has asked to send at once is another receiver, which has never failed.
  private var failures: [Receiver: Int] = [:]
  /// Until when receivers that fail again and again get nothing.
  private var pauses: [Receiver: ContinuousClock.Instant] = [:]
  private var attempts: [Attempt.Key: Attempt] = [:]

  var isIdle: Bool { busy.isEmpty }

  /// How many attempts may be under way to receivers that fail: one after a pause, or none.
  func limits(at now: ContinuousClock.Instant = .now) -> [Receiver: Int] {
    failures.filter { $0.value >= ServiceLimits.webhookFailuresMax }
      .mapValues { _ in 1 }
      .merging(pauses.filter { $0.value > now }.mapValues { _ in 0 }) { _, pause in pause }
  }

  /// Whether enough have ended to be noted at once.
  var isToBeNoted: Bool { results.count * 4 >= busy.count }

  mutating func begin(_ attempt: Attempt) {
    busy.insert(attempt.key)
    attempts[attempt.key] = attempt
  }

  mutating func end(_ result: AttemptResult) {
    results.append(result)
    guard let attempt = attempts.removeValue(forKey: result.key) else { return }
    let outcome: String
    if result.problem == nil {
      outcome = "delivered"
      (failures[attempt.receiver], pauses[attempt.receiver]) = (nil, nil)
    } else if result.isPostponed {
      outcome = "postponed"
    } else {
      outcome = "failed"
      fail(attempt.receiver)
    }
    Counter(
      label: "daybook.webhook.attempts",
      dimensions: [("webhook", attempt.webhook), ("outcome", outcome)]
    ).increment()
  }

  private mutating func fail(_ receiver: Receiver) {
    // What the webhook was before somebody asked to send at once does not come again.
    for known in failures.keys
    where known.webhook == receiver.webhook && known.wakes < receiver.wakes {
      (failures[known], pauses[known]) = (nil, nil)
    }
    failures[receiver, default: 0] += 1
    let excess = failures[receiver, default: 0] - ServiceLimits.webhookFailuresMax
    guard excess >= 0 else { return }
    let seconds = Double(1 << min(excess, 10))
    pauses[receiver] =
      ContinuousClock.now + .seconds(min(seconds, ServiceLimits.webhookPauseSecondsMax))
  }

  /// The first results are on the disk: their customers can have the next message.
  mutating func noted(_ count: Int) {
    for result in results.prefix(count) { busy.remove(result.key) }
    results.removeFirst(count)
  }
}
