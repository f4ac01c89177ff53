import Foundation
import LedgerEvents
import ServiceAccess
import Synchronization
import Testing

@testable import LedgerService

/// A clock that a test moves.
private final class MovedClock: Sendable {
  private let nanoseconds = Mutex<UInt64>(5_000_000_000)

  var now: UInt64 { nanoseconds.withLock { $0 } }

  func move(milliseconds: UInt64) { nanoseconds.withLock { $0 += milliseconds * 1_000_000 } }
}

/// How many requests somebody may send.
@Suite("A limit of requests") struct RateLimitTests {
  private static let millisecond: UInt64 = 1_000_000

  @Test("takes a burst, and then as many as are filled in") func burst() {
    var limit = RateLimit<String>(perSecond: 10, burst: 3, clientsMax: 4)
    for _ in 0..<3 { #expect(limit.take("a", at: 0) == nil) }
    #expect(limit.isExhausted("a", at: 0))
    #expect(limit.take("a", at: 0) == 1)
    #expect(limit.take("a", at: 99 * Self.millisecond) == 1)
    #expect(limit.take("a", at: 100 * Self.millisecond) == nil)
    #expect(limit.take("a", at: 100 * Self.millisecond) == 1)
    // After a pause there is a burst again, and no more.
    let later = 60_000 * Self.millisecond
    for _ in 0..<3 { #expect(limit.take("a", at: later) == nil) }
    #expect(limit.take("a", at: later) == 1)
  }

  @Test("says after how many seconds the next one is taken") func wait() {
    var limit = RateLimit<String>(perSecond: 0.1, burst: 1, clientsMax: 4)
    #expect(limit.take("a", at: 0) == nil)
    #expect(limit.take("a", at: 0) == 10)
    #expect(limit.take("a", at: 8_500 * Self.millisecond) == 2)
    #expect(limit.take("a", at: 10_000 * Self.millisecond) == nil)
  }

  @Test("takes exactly its rate of any series", arguments: [1, 2, 3] as [UInt64])
  func rate(seed: UInt64) {
    var random = seed
    var limit = RateLimit<String>(perSecond: 100, burst: 5, clientsMax: 4)
    var (now, taken) = (UInt64(0), 0)
    while now < 10_000 * Self.millisecond {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      now += (random >> 33) % (3 * Self.millisecond)
      if limit.take("a", at: now) == nil { taken += 1 }
    }
    #expect((990...1_006).contains(taken), "\(taken)")
  }

  @Test("of one client is not another's, and remembers a bounded number") func bounded() {
    var limit = RateLimit<Int>(perSecond: 1, burst: 2, clientsMax: 100)
    #expect(limit.take(-1, at: 0) == nil)
    #expect(limit.take(-1, at: 0) == nil)
    for client in 0..<10_000 {
      #expect(limit.take(client, at: 0) == nil, "\(client) has sent nothing")
      #expect(limit.clientCount <= 100)
    }
    // Who has sent the most is remembered longest.
    #expect(limit.take(-1, at: 0) == 1)
    // Full buckets are forgotten first.
    for client in 0..<100 { #expect(limit.take(client, at: 10_000 * Self.millisecond) == nil) }
    #expect(limit.clientCount <= 100)
  }

  @Test("counts a network of IPv6 as one client, and IPv4 in it as itself") func addresses() {
    let same = [
      ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"), ("::ffff:10.0.0.1", "10.0.0.1"),
      ("::1", "::2"), ("fe80::1%eth0", "fe80::2"), ("2001:db8::1", "2001:db8:0:0:1:2:3:4"),
    ]
    for (left, right) in same { #expect(ClientAddress(left) == ClientAddress(right), "\(left)") }
    let others = [
      ("2001:db8:1:2::1", "2001:db8:1:3::1"), ("10.0.0.1", "10.0.0.2"), ("::1", "2001:db8::1"),
    ]
    for (left, right) in others { #expect(ClientAddress(left) != ClientAddress(right), "\(left)") }
  }
}

/// What a client is told that sends too much.
@Suite("The service's limits by client") struct ServiceRateTests {
  private static func limits(_ clock: MovedClock, tokens: Bool = true) -> ServiceBench.Limits {
    var limits = ServiceBench.Limits()
    limits.hasTokens = tokens
    limits.rate = RateGate.Rate(perSecond: 2, burst: 4)
    limits.uptime = { clock.now }
    return limits
  }

  @Test("are each token's own, and end with time") func tokens() async throws {
    let clock = MovedClock()
    try await ServiceBench.run(Self.limits(clock)) { bench in
      let (one, other) = (try bench.token("one", [.read]), try bench.token("other", [.read]))
      for _ in 0..<4 { #expect(try await bench.get("/v1/rules", token: one).status == 200) }
      let refused = try await bench.get("/v1/rules", token: one)
      #expect(refused.status == 429)
      #expect(refused.problem == "too-many-requests")
      #expect(refused.header("Retry-After") == "1")
      #expect(try await bench.get("/v1/rules", token: other).status == 200)
      clock.move(milliseconds: 500)
      #expect(try await bench.get("/v1/rules", token: one).status == 200)
      #expect(try await bench.get("/v1/rules", token: one).status == 429)
      // The limit stands before the scope, so that a wrong token cannot send more.
      let writer = try bench.token("writer", [.append])
      for _ in 0..<4 { #expect(try await bench.get("/v1/rules", token: writer).status == 403) }
      #expect(try await bench.get("/v1/rules", token: writer).status == 429)
    }
  }

  @Test("are each address's own where nobody has a token") func addresses() async throws {
    let clock = MovedClock()
    try await ServiceBench.run(Self.limits(clock, tokens: false)) {
      (bench: ServiceBench) async throws in
      for path in ["/health", "/v1/keys", "/v1/rules", "/ready"] {
        #expect(try await bench.get(path, from: "10.0.0.1").status == 200)
      }
      for path in ["/health", "/v1/rules"] {
        #expect(try await bench.get(path, from: "10.0.0.1").status == 429)
        #expect(try await bench.get(path, from: "10.0.0.2").status == 200)
      }
    }
  }

  @Test("stop a guesser, and nobody else at the same address") func guesser() async throws {
    let clock = MovedClock()
    var limits = Self.limits(clock)
    limits.rate = nil
    try await ServiceBench.run(limits) { bench in
      let real = try bench.token("real", [.read])
      let burst = ServiceLimits.failureRate.burst
      for number in 0..<burst {
        let reply = try await bench.get("/v1/rules", token: "guess-\(number)", from: "10.0.0.1")
        #expect(reply.status == 401)
      }
      let refused = try await bench.get("/v1/rules", token: "guess", from: "10.0.0.1")
      #expect(refused.status == 429)
      #expect(refused.header("Retry-After") == "5")
      #expect(refused.header("WWW-Authenticate") == nil)
      // Who has a token, who presents none, and who guesses elsewhere, is not held up.
      #expect(try await bench.get("/v1/rules", token: real, from: "10.0.0.1").status == 200)
      #expect(try await bench.get("/v1/rules", from: "10.0.0.1").status == 401)
      #expect(try await bench.get("/v1/rules", token: "guess", from: "10.0.0.2").status == 401)
      clock.move(milliseconds: 5_000)
      #expect(try await bench.get("/v1/rules", token: "guess", from: "10.0.0.1").status == 401)
      #expect(try await bench.get("/v1/rules", token: "guess", from: "10.0.0.1").status == 429)
    }
  }

  @Test("are any number unless somebody says") func none() async throws {
    try await ServiceBench.run { (bench: ServiceBench) async throws in
      for _ in 0..<200 {
        #expect(try await bench.get("/health", from: "10.0.0.1").status == 200)
      }
    }
  }
}
