import Crypto
import Foundation
import LedgerEvents
import SignedDataSamples
import Testing

@testable import StorePull

/// What a pull does when the store does not answer as it should.
@Suite("A pull whose store fails") struct FaultTests {
  private let bench = PullBench()

  @Test(
    "asks again after faults that pass",
    arguments: [
      FakeStore.Answer.whole(status: 500, body: "<html>"), .whole(status: 503, body: ""),
      FakeStore.error(5_000_001, status: 500), FakeStore.error(4_040_002),
      FakeStore.error(4_040_004), FakeStore.error(4_040_006), .cut("{"),
      .whole(status: 200, body: "not JSON"), .whole(status: 200, body: "{}"),
      .whole(status: 200, body: #"{"signedTransactions":[]}"#),
    ])
  func passing(_ fault: FakeStore.Answer) async throws {
    bench.fill(3)
    bench.store.fail(.answer(fault), .answer(fault))
    #expect(try await bench.history().pages == 2)
    #expect(bench.importer.texts == PullBench.texts(3))
    #expect(bench.clock.waits.prefix(2) == [500_000, 1_000_000])
  }

  @Test("gives up after a number of attempts, and continues the next time") func bounded()
    async throws
  {
    bench.fill(5)
    bench.store.fail(.meanwhile {})
    for _ in 0..<StoreClient.attemptsMax { bench.store.fail(.answer(.cut(""))) }
    let error = await failure { () throws(PullError) in try await bench.history() }
    #expect(error?.kind == .unavailable)
    #expect(error?.message.contains("in 6 attempts") == true)
    #expect(bench.clock.waits.max() ?? 0 <= StoreClient.backOffMax)
    #expect(bench.importer.texts == PullBench.texts(2))
    try await bench.history()
    #expect(bench.importer.texts == PullBench.texts(5))
  }

  @Test("waits until the time that the store names in milliseconds since 1970") func throttled()
    async throws
  {
    bench.fill(2)
    let until = bench.clock.now.microseconds / 1_000 + 1_234
    bench.store.fail(
      .answer(.whole(status: 429, retryAfter: "\(until)", body: #"{"errorCode":4290000}"#)))
    try await bench.history()
    #expect(bench.clock.waits.first == 1_234_000)
    #expect(bench.notices.all.first?.contains("trying again in 1.3 s") == true)
  }

  @Test("takes seconds for what they are, and backs off where no time is named") func otherTimes()
    async throws
  {
    bench.fill(2)
    bench.store.fail(
      .answer(.whole(status: 429, retryAfter: "3", body: "")),
      .answer(.whole(status: 429, body: "")),
      .answer(.whole(status: 429, retryAfter: "tomorrow", body: "")))
    try await bench.history()
    #expect(bench.clock.waits.prefix(3) == [3_000_000, 1_000_000, 2_000_000])
  }

  @Test("does not wait for longer than an hour, nor for ever") func tooLong() async throws {
    bench.fill(2)
    let far = bench.clock.now.microseconds / 1_000 + 2 * 3_600_000
    bench.store.fail(.answer(.whole(status: 429, retryAfter: "\(far)", body: "")))
    let error = await failure { () throws(PullError) in try await bench.history() }
    #expect(error?.kind == .throttled)
    #expect(bench.clock.waits.isEmpty)
    for _ in 0...StoreClient.throttlesMax {
      bench.store.fail(.answer(.whole(status: 429, retryAfter: "1", body: "")))
    }
    let endless = await failure { () throws(PullError) in try await bench.history() }
    #expect(endless?.kind == .throttled)
  }

  @Test("says what to check if the store does not take the token, and never the key") func token()
    async throws
  {
    bench.store.fail(.answer(.whole(status: 401, body: "")))
    let error = try #require(
      await failure { () throws(PullError) in try await bench.history() })
    #expect(error.kind == .unauthorized)
    let clock = "clock says \(bench.clock.now.rfc3339)"
    for word in ["--key-id", "--issuer", "--app", clock, "401"] {
      #expect(error.message.contains(word), "\(word)")
    }
    let secret = PullBench.key.pemRepresentation.split(separator: "\n")[1]
    let key = try StoreKey(file: Array(PullBench.key.pemRepresentation.utf8), name: "k")
    var dumped = ""
    dump(try PullBench.tokens(), to: &dumped)
    for text in [error.message, "\(key)", "\(try PullBench.tokens())", dumped] {
      #expect(!text.contains(secret))
      #expect(!text.contains("rawRepresentation"))
    }
  }

  @Test("says what the store said of other errors") func refused() async throws {
    bench.store.fail(.answer(FakeStore.error(4_000_006, status: 400, "Invalid transaction id.")))
    let error = await failure { () throws(PullError) in try await bench.history() }
    #expect(error?.kind == .refused)
    #expect(error?.message.contains("400, error 4000006 “Invalid transaction id.”") == true)
  }

  @Test("shows neither the token nor megabytes of what the store says") func echoed() async throws {
    let store = bench.store
    // The first request shows which token there is; the answer to the second one repeats it.
    store.fail(
      .meanwhile {
        let sent = store.requests.last?.request.authorization ?? ""
        let said = sent + "!" + String(repeating: "A", count: 1_000_000)
        store.fail(.answer(FakeStore.error(4_000_006, status: 400, said)))
      })
    bench.fill(4)
    let error = try #require(
      await failure { () throws(PullError) in try await bench.history() })
    let token = (store.requests.last?.request.authorization ?? "").dropFirst("Bearer ".count)
    #expect(!token.isEmpty && !error.message.contains(token.prefix(40)))
    #expect(error.message.contains("Bearer …!AAA") && error.message.utf8.count < 500)
  }

  @Test("tells codes apart that look alike") func verdicts() {
    func verdict(_ status: Int, _ code: Int64?) -> StoreFault.Verdict {
      let body = code.map { #"{"errorCode":\#($0)}"# } ?? ""
      return StoreFault(TransportAnswer(status: status, body: Array(body.utf8))).verdict
    }
    #expect(verdict(404, 4_040_005) == .failed(.notFound))
    #expect(verdict(404, 4_040_003) == .failed(.refused))
    #expect(verdict(408, nil) == .again)
    #expect(verdict(409, nil) == .failed(.refused))
    #expect(verdict(400, 4_000_012) == .failed(.cursorRefused))
    #expect(verdict(400, 4_000_013) == .failed(.refused))
  }

  @Test("needs what leads to the next page only if there is one") func cursors() throws {
    func page(_ body: String, _ list: StoreList) throws(PullError) -> StorePage {
      try StorePage(Array(body.utf8), of: list, app: SigningSamples.bundleID)
    }
    for (body, list) in [
      (#"{"hasMore":true,"notificationHistory":[]}"#, StoreList.notifications),
      (#"{"hasMore":true,"signedTransactions":[]}"#, .history),
    ] {
      let error = #expect(throws: PullError.self) { try page(body, list) }
      #expect(error?.kind == .malformed)
      let last = try page(body.replacing("true", with: "false"), list)
      #expect(last.cursor == nil && !last.hasMore)
    }
  }

  @Test("does not wait for a clock that was set back") func clockBack() async throws {
    bench.fill(3)
    let clock = bench.clock
    bench.store.fail(.meanwhile { clock.move(-Instant.hour) })
    try await bench.history()
    #expect(bench.clock.waits == [20_000])
  }

  @Test("does not take another app's answer") func otherApp() async throws {
    bench.store.fail(
      .answer(
        .whole(
          status: 200,
          body: #"{"revision":"1","hasMore":false,"bundleId":"other","signedTransactions":[]}"#)))
    let error = await failure { () throws(PullError) in try await bench.history() }
    #expect(error?.kind == .refused)
    #expect(bench.files(in: "answers").isEmpty)
  }

  @Test("ends if the store gives the same page again and again") func stuck() async throws {
    bench.fill(2)
    let page = #"{"revision":"same","hasMore":true,"signedTransactions":["text-1"]}"#
    for _ in 0..<4 { bench.store.fail(.answer(.whole(status: 200, body: page))) }
    let error = await failure { () throws(PullError) in try await bench.history() }
    #expect(error?.kind == .endless)
    #expect(bench.store.requests.count == 2)
  }

  @Test("ends if the pages go round, or do not end") func round() async throws {
    bench.fill(2)
    for mark in ["a", "b", "c", "b", "c"] {
      let page = #"{"revision":"\#(mark)","hasMore":true,"signedTransactions":["text-1"]}"#
      bench.store.fail(.answer(.whole(status: 200, body: page)))
    }
    let error = await failure { () throws(PullError) in try await bench.history() }
    #expect(error?.kind == .endless)
    #expect(bench.store.requests.count == 4)
  }

  @Test("is no success at the limit of pages, and continues") func limit() async throws {
    bench.store.change { $0.notifications = PullBench.texts(5) }
    var run = try bench.run()
    run.pagesLimit = 2
    let filter = PullRun.NotificationFilter()
    let error = await failure { () throws(PullError) in try await run.notifications(filter) }
    #expect(error?.kind == .endless)
    let state = try run.folder.state("notifications.production.all")
    #expect(state?.completeUntil == nil && state?.cursor == "t1-4")
    let compared = await failure { () throws(PullError) in
      try await run.reconcile(filter, known: [], imports: false)
    }
    #expect(compared?.kind == .endless)
    _ = consume run
    try await bench.notifications()
    #expect(bench.importer.texts == PullBench.texts(5))
  }

  @Test("says that an answer makes no sense, and asks again for a damaged one of its own")
  func malformed() async throws {
    bench.fill(3)
    for _ in 0..<StoreClient.attemptsMax {
      bench.store.fail(.answer(.whole(status: 200, body: "")))
    }
    let error = await failure { () throws(PullError) in try await bench.history() }
    #expect(error?.kind == .malformed)
    bench.importer.next(.refused)
    _ = await failure { () throws(PullError) in try await bench.history() }
    let saved = bench.path + "/answers/history.production.2000000001.000001.json"
    try Data("{".utf8).write(to: URL(fileURLWithPath: saved))
    try await bench.history()
    #expect(bench.importer.texts == PullBench.texts(3))
  }

  @Test("waits no less because the time to wait for is past", arguments: ["0", "1000000001"])
  func past(_ told: String) async throws {
    bench.fill(2)
    let before = (bench.clock.now.microseconds - Instant.hour) / 1_000
    for text in [told, "\(before)", told] {
      bench.store.fail(.answer(.whole(status: 429, retryAfter: text, body: "")))
    }
    try await bench.history()
    #expect(bench.clock.waits.prefix(3) == [500_000, 1_000_000, 2_000_000])
  }

  @Test("reads seconds since 1970") func secondsSince1970() async throws {
    bench.fill(2)
    let until = bench.clock.now.microseconds / Instant.second + 90
    bench.store.fail(.answer(.whole(status: 429, retryAfter: "\(until)", body: "")))
    try await bench.history()
    #expect(bench.clock.waits.first == 90_000_000)
  }

  @Test("keeps the pace that the store documents") func pace() async throws {
    bench.fill(9)
    bench.store.change { $0.refunds = $0.history }
    try await bench.history()
    #expect(bench.clock.waits == [Int64](repeating: 20_000, count: 4))
    var run = try bench.run()
    _ = try await run.pull(.refunds, PullBench.customer)
    #expect(bench.clock.waits.suffix(4) == [Int64](repeating: 100_000, count: 4)[...])
    let limits = StoreEndpoint.allCases.map {
      $0.interval(in: .sandbox) / $0.interval(in: .production)
    }
    #expect(limits.allSatisfy { $0 == 10 })
  }
}

/// The bearer token, the key and the other things that a user states.
@Suite("A bearer token") struct BearerTokenTests {
  private let now = SigningSamples.instant("2026-03-01T12:00:00Z")

  private func claims(_ token: String) throws -> (header: JSONValue, claims: JSONValue) {
    let parts = token.split(separator: ".")
    try #require(parts.count == 3)
    return (
      try JSONValue(json: try #require(Base64URL.bytes(parts[0]))),
      try JSONValue(json: try #require(Base64URL.bytes(parts[1])))
    )
  }

  @Test("states what the store asks for, for five minutes") func claims() throws {
    var tokens = try PullBench.tokens()
    let (header, claims) = try claims(try tokens.token(at: now))
    #expect(header["alg"]?.string == "ES256" && header["typ"]?.string == "JWT")
    #expect(header["kid"]?.string == "2X9R4HXF34")
    #expect(claims["iss"]?.string == "57246542-96fe-1a63-e053-0824d011072a")
    #expect(claims["bid"]?.string == SigningSamples.bundleID)
    #expect(claims["aud"]?.string == "appstoreconnect-v1")
    #expect(claims["iat"]?.integer == now.microseconds / Instant.second)
    #expect(claims["exp"]?.integer == now.microseconds / Instant.second + 300)
  }

  @Test("is made anew before it ends, and after the clock was set back") func renewed() throws {
    var tokens = try PullBench.tokens()
    func later(_ seconds: Int64) -> Instant {
      Instant(microseconds: now.microseconds + seconds * Instant.second)
    }
    let first = try tokens.token(at: now)
    #expect(try tokens.token(at: later(239)) == first)
    let second = try tokens.token(at: later(240))
    #expect(second != first)
    #expect(try tokens.token(at: later(300)) == second)
    #expect(try tokens.token(at: later(-3_600)) != second)
  }

  @Test("verifies with OpenSSL", .enabled(if: hasOpenSSL, "needs openssl")) func judged() throws {
    var tokens = try PullBench.tokens()
    let token = try tokens.token(at: now)
    #expect(try judge(token))
    let last = token.split(separator: ".", omittingEmptySubsequences: false)[1].utf8.count
    #expect(last > 0)
    let forged = SigningSamples.changed(Array(token.utf8), at: 40)
    #expect(try !judge(String(decoding: forged, as: UTF8.self)))
  }

  private static let openSSL = "/usr/bin/openssl"
  private static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: openSSL)

  /// Lets OpenSSL verify the signature with the public key.
  private func judge(_ token: String) throws -> Bool {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "judge-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { print("left \(folder)") }
    }
    let parts = token.split(separator: ".")
    let signature = try #require(Base64URL.bytes(parts[2]))
    try #require(signature.count == 64)
    // The DER of two integers, each positive (X.690).
    func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
      var digits = Array(bytes.drop { $0 == 0 })
      if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
      return [0x02, UInt8(digits.count)] + digits
    }
    let body = integer(signature[..<32]) + integer(signature[32...])
    let (key, sum) = (folder.appending(path: "key.pem"), folder.appending(path: "sum.der"))
    let text = folder.appending(path: "text")
    try Data(PullBench.key.publicKey.pemRepresentation.utf8).write(to: key)
    try Data([0x30, UInt8(body.count)] + body).write(to: sum)
    try Data((parts[0] + "." + parts[1]).utf8).write(to: text)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.openSSL)
    process.arguments = [
      "dgst", "-sha256", "-verify", key.path, "-signature", sum.path, text.path,
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test(
    "needs a key as App Store Connect gives it",
    arguments: [
      ("", "an empty file"), ("-----BEGIN PUBLIC KEY-----", "a public key"),
      ("-----BEGIN EC PRIVATE KEY-----", "SEC 1"), ("hello", "something else"),
      ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "cannot be read"),
    ])
  func keys(_ text: String, _ said: String) {
    do throws(PullError) {
      _ = try StoreKey(file: Array(text.utf8), name: "a.p8")
      Issue.record("it is no key")
    } catch {
      #expect(error.kind == .badKey)
      #expect(error.message.contains(said) && error.message.contains("a.p8"))
      #expect(!error.message.contains("AAAA"))
    }
  }

  @Test("takes the key's identifier from the name of its file") func names() {
    #expect(StoreKey.identifier(inFileName: "SubscriptionKey_2X9R4HXF34.p8") == "2X9R4HXF34")
    #expect(StoreKey.identifier(inFileName: "AuthKey_A.p8") == "A")
    for name in ["key.p8", "AuthKey_.p8", "AuthKey_A.pem", "My_A.p8"] {
      #expect(StoreKey.identifier(inFileName: name) == nil, "\(name)")
    }
  }

  @Test("goes only to servers with TLS, or to this machine") func hosts() throws {
    for text in [
      "https://a.example", "https://a.example:8443/", "http://127.0.0.1:80", "http://localhost",
    ] {
      _ = try StoreHost(text)
    }
    for text in [
      "http://a.example", "a.example", "https://", "https://a/b", "http://127.0.0.1.evil.example",
      "https://u@a", "http://127.0.0.1:99999", "https://a:0", "https://a:", "https://:443",
      "https://a:1:2", "https://a:x",
    ] {
      #expect(throws: PullError.self, "\(text)") { try StoreHost(text) }
    }
  }

  @Test("an account for the store is a UUID, and a transaction is safe in an address") func words()
  {
    #expect(AccountToken("7DBFA8C6-5d5f-4894-affd-368a132fb789")?.text.first == "7")
    for text in ["ada", "7dbfa8c65d5f4894affd368a132fb789", "7dbfa8c6-5d5f-4894-affd-368a132fb78g"]
    {
      #expect(AccountToken(text) == nil)
    }
    #expect(StoreTransactionID("2000000123456789") != nil)
    for text in ["", "1/2", "1?a", "..", "1 2", "é", String(repeating: "1", count: 65)] {
      #expect(StoreTransactionID(text) == nil, "\(text)")
    }
  }
}
