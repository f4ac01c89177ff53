/// How long to wait after a failure: twice as long each time, up to an hour, and a random part of
/// it, so that the devices of an outage do not return together.
struct BackOff: Sendable {
  /// In seconds.
  static let first = 2.0
  /// In seconds.
  static let longest = 3_600.0
  /// The longest `Retry-After` that is believed, in seconds: a day.
  static let retryAfterMax = 86_400.0

  private(set) var failures = 0

  mutating func reset() { failures = 0 }

  /// The seconds until the next attempt: between half and all of the current step, and never less
  /// than the server asked for.
  ///
  /// - Parameter random: From 0 to 1.
  mutating func next(retryAfter: Double?, random: Double) -> Double {
    let step = min(Self.longest, Self.first * Double(1 << min(failures, 20)))
    failures += 1
    let wait = step / 2 + step / 2 * min(max(random, 0), 1)
    guard let retryAfter, retryAfter.isFinite else { return wait }
    return max(wait, min(retryAfter, Self.retryAfterMax))
  }
}
