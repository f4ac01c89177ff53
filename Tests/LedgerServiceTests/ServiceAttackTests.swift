import Foundation
import HTTPTypes
import Hummingbird
import LedgerEvents
import LedgerQueries
import Logging
import NIOCore
import NIOEmbedded
import ServiceAccess
import Testing

@testable import LedgerService

/// Requests that ended the process once, filled its memory, or came from another site.
@Suite("The service under attack", .timeLimit(.minutes(20))) struct ServiceAttackTests {
  @Test("has a clock for its limits that can be read at any time") func clock() {
    let first = RateGate.uptime()
    #expect(first <= RateGate.uptime())
  }

  @Test("refuses a cursor after which there is no number") func lastCursor() async throws {
    try await ServiceBench.run { (bench: ServiceBench) async throws in
      _ = try await bench.append([Line.note("n1"), Line.note("n2")])
      for cursor in ["0-0-18446744073709551615", "2-0-18446744073709551615"] {
        for path in ["/v1/events?", "/v1/events?reverse&", "/v1/customers?", "/v1/findings?"] {
          let reply = try await bench.get("\(path)cursor=\(cursor)")
          #expect(reply.problem == "bad-request", "\(path)\(cursor)")
        }
      }
      let last = try await bench.get("/v1/events?cursor=2-0-18446744073709551614")
      #expect(try last.items().isEmpty)
    }
  }

  @Test("does not read the values of a line that is too long for an event")
  func longLine() async throws {
    try await ServiceBench.run { (bench: ServiceBench) async throws in
      // Its id could be read, and is not: it would cost thirty times its room.
      let values = String(repeating: "0,", count: eventSizeBytesMax / 2)
      let line = #"{"id":"long","data":{"a":[\#(values)0]}}"#
      for headers in [[:], ["Idempotency-Key": "k"]] as [[String: String]] {
        let reply = try await bench.append([line], headers: headers)
        #expect(reply.status == 400)
        let answer = try #require(try reply.objects().first)
        #expect(answer["id"] is NSNull, "\(answer)")
        #expect((answer["refused"] as? String)?.contains("more than the") == true)
      }
      let short = try await bench.append([#"{"id":"short","type":1}"#])
      #expect(try short.objects().first?["id"] as? String == "short")
    }
  }

  @Test("ends a page at its bytes, and the next one goes on") func pageBytes() async throws {
    try await ServiceBench.run { (bench: ServiceBench) async throws in
      let text = String(repeating: "x", count: 1 << 19)
      let lines = (0..<40).map { number in
        #"{"id":"n\#(number)","type":"note.added","occurredAt":"2026-02-01T12:00:00Z","#
          + #""account":"ada","data":{"text":"\#(text)"}}"#
      }
      for start in stride(from: 0, to: 40, by: 20) {
        #expect(try await bench.append(Array(lines[start..<start + 20])).status == 200)
      }
      var (found, cursor, pages) = ([] as [Int], "", 0)
      repeat {
        let page = try await bench.get("/v1/events?limit=10000\(cursor)")
        #expect(page.body.utf8.count <= ServiceLimits.pageBytesMax + (1 << 20))
        found += try page.items().compactMap { $0["position"] as? Int }
        cursor = (try page.object()["next"] as? String).map { "&cursor=\($0)" } ?? ""
        pages += 1
      } while !cursor.isEmpty
      #expect(found == Array(1...40))
      #expect(pages == 2)
    }
  }

  @Test("without tokens refuses what another site sends, or reads by another name")
  func otherSites() async throws {
    try await ServiceBench.run { (bench: ServiceBench) async throws in
      let body =
        #"{"account":"ada","product":"map","reason":"x","newAccount":true,"#
        + #""allowUnknown":true}"#
      func send(
        _ headers: [String: String], to authority: String = "127.0.0.1:8470"
      ) async throws -> Int {
        var statuses: Set<Int> = []
        for (method, address) in [
          (HTTPRequest.Method.post, "/v1/acts/grant"), (.get, "/v1/events"), (.get, "/metrics"),
        ] {
          let reply = try await Reply(
            try await bench.response(
              method, address, headers: headers,
              body: ByteBuffer(string: method == .post ? body : ""), authority: authority))
          statuses.insert(reply.status)
        }
        return statuses.count == 1 ? statuses.removeFirst() : 0
      }
      let others: [[String: String]] = [
        ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
        ["Origin": "https://evil.example"], ["Origin": "null"],
      ]
      for headers in others { #expect(try await send(headers) == 403, "\(headers)") }
      #expect(try await send([:], to: "evil.example:8470") == 403)
      #expect(try bench.lastPosition() == 0)
      for headers in [
        [:], ["Sec-Fetch-Site": "same-origin"], ["Sec-Fetch-Site": "none"],
        ["Origin": "http://127.0.0.1:8470"],
      ] as [[String: String]] {
        #expect(try await send(headers) == 200, "\(headers)")
      }
    }
  }

  @Test("closes the connection of a follower who does not read") func stalled() async throws {
    try await ServiceBench.run { (bench: ServiceBench) async throws in
      let channel = NIOAsyncTestingChannel()
      let context = ServiceContext(
        source: ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test")))
      let following = EventFollowing(
        work: bench.work, watch: bench.watch, isAllowed: { true }, stall: .milliseconds(1))
      let request = Request(
        head: HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/"),
        body: RequestBody(buffer: ByteBuffer()))
      let response = try following.response(EventsQuery(), to: request, context)
      let follower = Follower(isReading: false)
      let task = Task { try await response.body.write(FollowerWriter(follower: follower)) }
      try await channel.closeFuture.get()
      await follower.read()
      task.cancel()
      do { try await task.value } catch is CancellationError {}
    }
  }

  @Test("counts what comes to its pages as what comes by HTTP") func pages() async throws {
    var limits = ServiceBench.Limits()
    limits.hasTokens = true
    limits.rate = RateGate.Rate(perSecond: 1, burst: 3)
    try await ServiceBench.run(limits) { (bench: ServiceBench) async throws in
      let cookie = try await bench.signIn(try bench.token("one", [.read]))
      for _ in 0..<3 { #expect(try await bench.page("/status", cookie: cookie).status == 200) }
      let refused = try await bench.page("/status", cookie: cookie)
      #expect(refused.status == 429)
      #expect(refused.header("Retry-After") == "1")
    }
  }

  @Test("stops who guesses tokens at its page") func guesses() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      func guess(_ token: String) async throws -> Int {
        try await Reply(
          try await bench.response(
            .post, "/sign-in", headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: ByteBuffer(string: "token=\(token)"), from: "10.0.0.1")
        ).status
      }
      for _ in 0..<ServiceLimits.failureRate.burst { #expect(try await guess("x") == 401) }
      #expect(try await guess("x") == 429)
      #expect(try await guess(try bench.token("real", [.read])) == 303)
    }
  }

  @Test("takes the room of appends for nobody who has no token") func strangers() async throws {
    var limits = ServiceBench.Limits()
    limits.heldBytesMax = 1
    limits.hasTokens = true
    try await ServiceBench.run(limits) { (bench: ServiceBench) async throws in
      // The room of appends is full, and that of strangers is not.
      let append = try await bench.append([Line.note("n")], token: try bench.token("a", [.admin]))
      #expect(append.status == 429)
      let cookie = try await bench.signIn(try bench.token("one", [.read]))
      #expect(try await bench.page("/status", cookie: cookie).status == 200)
    }
  }

  @Test("signs no answer for longer than it was true when it was looked up")
  func signedLate() async throws {
    try await ServiceBench.run { (bench: ServiceBench) async throws in
      _ = try AnswerKeyStore(ledger: bench.path).create(at: Instant(microseconds: 0))
      let keeper = AnswerKeyKeeper(AnswerKeyStore(ledger: bench.path))
      let items = try QueryItems(
        "account=ada&signed=true&audience=phone", ["account"] + SigningAsked.parameters,
        now: Instant(microseconds: 0))
      let asked = try #require(try SigningAsked(items))
      let text = try asked.signed(
        "{}", to: "verdict", position: 1, changesAt: Instant(microseconds: 99 * Instant.second),
        now: Instant(microseconds: 100 * Instant.second), issuer: "i",
        by: try #require(try keeper.signer()))
      let payload = try #require(text.split(separator: ".").dropFirst().first)
      #expect(try Self.decoded(payload).contains(#""exp":99"#))
    }
  }

  private static func decoded(_ part: Substring) throws -> String {
    let text = part.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
    return String(decoding: try #require(Data(base64Encoded: text + padding)), as: UTF8.self)
  }
}
