/// How many requests somebody may send: a token bucket for each, as one time.
///
/// A bucket that holds `burst` requests and is filled with `perSecond` of them is told by the time
/// at which it will be full again. Each request moves that time on by the share of a second that it
/// costs, and is refused where that would be more than a burst from now. There is no clock here:
/// the present comes in as a value.
///
/// Source: ITU-T I.371, the generic cell rate algorithm.
struct RateLimit<Client: Hashable & Sendable>: Sendable {
  /// What a request costs, in nanoseconds.
  private let costNanoseconds: UInt64
  /// How far the time at which a bucket is full may be from now, in nanoseconds.
  private let burstNanoseconds: UInt64
  private let clientsMax: Int
  /// When the bucket of a client is full again. Full buckets need no entry.
  private var fullAt: [Client: UInt64] = [:]

  /// - Parameters:
  ///   - perSecond: How many requests a second are taken, from more than 0.
  ///   - burst: How many are taken at once, from 1.
  ///   - clientsMax: How many clients are remembered, from 2. Beyond that, those are forgotten who
  ///     have sent the least, so that the memory is bounded and nobody is refused for another.
  init(perSecond: Double, burst: Int, clientsMax: Int) {
    precondition(perSecond > 0 && burst >= 1 && clientsMax >= 2)
    costNanoseconds = UInt64(max(1_000_000_000 / perSecond, 1))
    burstNanoseconds = costNanoseconds * UInt64(burst)
    self.clientsMax = clientsMax
  }

  /// How many clients are remembered.
  var clientCount: Int { fullAt.count }

  /// Counts a request. Returns nil if it is taken, else after how many seconds the next one would
  /// be.
  ///
  /// - Parameters:
  ///   - client: Who sends it.
  ///   - now: The present, in nanoseconds since any moment.
  /// - Complexity: O(1), and O(*n* log *n*) in the clients at most every `clientsMax / 2` requests.
  mutating func take(_ client: Client, at now: UInt64) -> Int? {
    let full = max(fullAt[client] ?? 0, now) + costNanoseconds
    let allowed = now + burstNanoseconds
    guard full <= allowed else {
      let wait = full - allowed
      return Int((wait + 999_999_999) / 1_000_000_000)
    }
    if fullAt[client] == nil, fullAt.count >= clientsMax { forget(at: now) }
    fullAt[client] = full
    return nil
  }

  /// Whether a client's bucket has no request left.
  func isExhausted(_ client: Client, at now: UInt64) -> Bool {
    max(fullAt[client] ?? 0, now) + costNanoseconds > now + burstNanoseconds
  }

  /// Forgets full buckets, and if that is not enough, the half that has the most left.
  private mutating func forget(at now: UInt64) {
    fullAt = fullAt.filter { $0.value > now }
    guard fullAt.count > clientsMax / 2 else { return }
    let kept = fullAt.sorted { $0.value > $1.value }.prefix(clientsMax / 2)
    fullAt = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}
