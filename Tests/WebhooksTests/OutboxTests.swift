import Crypto
import Foundation
import GRDB
import LedgerEvents
import LedgerModel
import LedgerStore
import Synchronization
import Testing

@testable import Webhooks

@Suite("The queues of webhooks") struct OutboxTests {
  private func fail(
    _ bench: TellingBench, _ attempts: [Attempt], status: Int? = 500, retryAfter: Int64? = nil
  ) throws {
    try bench.outbox.note(
      attempts.map {
        AttemptResult($0, status: status, problem: "no", retryAfter: retryAfter)
      }, at: bench.now)
  }

  private func pass(_ bench: TellingBench, seconds: Int64) {
    bench.now = Instant(microseconds: bench.now.microseconds + seconds * Instant.second)
  }

  @Test("the messages of a customer are sent one after the other, those of others meanwhile")
  func order() throws {
    let bench = try TellingBench()
    try bench.hook()
    try bench.append(Line.purchase("1", of: "ada"), Line.purchase("2", of: "eve"))
    try bench.look()
    try bench.append(Line.purchase("3", of: "ada", "map"))
    try bench.look()
    let first = try bench.attempts()
    #expect(try first.map { try TellingBench.read($0).text("account") } == ["ada", "eve"])
    // Ada's second one waits as long as the first is under way, or has failed.
    #expect(try bench.attempts(except: Set(first.map(\.key))).isEmpty)
    try fail(bench, [first[0]])
    try bench.outbox.note([AttemptResult(first[1], status: 204, problem: nil)], at: bench.now)
    #expect(try bench.attempts().isEmpty)
    pass(bench, seconds: 6)
    let again = try bench.attempts()
    #expect(again.count == 1)
    let read = try TellingBench.read(again[0])
    #expect(read == (try TellingBench.read(first[0])), "the same id and the same content")
    try bench.outbox.note([AttemptResult(again[0], status: 200, problem: nil)], at: bench.now)
    #expect(try bench.receive().map { $0.data["gained"]?.array?.compactMap(\.string) } == [["map"]])
    let states = try bench.store.deliveries(of: "shop", limit: 10)
    #expect(states.map(\.state) == [.delivered, .delivered, .delivered])
    #expect(states.map(\.attempts) == [1, 1, 2])
  }

  /// The statements about deliveries that SQLite would execute by looking at all that a webhook
  /// has.
  private func wideStatements(
    _ bench: TellingBench, _ body: () throws -> Void
  ) throws -> [String] {
    let traced = Mutex<Set<String>>([])
    let database = bench.store.database
    try database.write { database in
      database.trace { event in
        guard case .statement(let statement) = event else { return }
        _ = traced.withLock { $0.insert(statement.expandedSQL) }
      }
    }
    try body()
    try database.write { $0.trace(options: []) }
    return try database.read { database in
      try traced.withLock { $0 }.filter { text in
        guard text.contains("deliveries") else { return false }
        let plan = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + text)
        return plan.contains { step in
          let detail: String = step["detail"]
          return detail.contains("SCAN deliveries") || detail.hasSuffix("PRIMARY KEY (webhook=?)")
        }
      }
    }
  }

  @Test("cost what a message touches, however many wait for the webhook") func cost() throws {
    let bench = try TellingBench()
    try bench.hook()
    try bench.append(Line.purchase("1", of: "ada"), Line.purchase("2", of: "eve"))
    let wide = try wideStatements(bench) {
      try bench.look()
      let attempts = try bench.attempts()
      try fail(bench, attempts.suffix(1))
      try bench.outbox.note(
        attempts.prefix(1).map { AttemptResult($0, status: 200, problem: nil) }, at: bench.now)
      let sent = try bench.store.deliveries(of: "shop", in: .delivered, limit: 1)
      let id = try #require(sent.first).id
      #expect(try bench.store.resend(.message(id), of: "shop", at: bench.now) == 1)
      let unsent = try bench.store.unsent()
      #expect(unsent.map(\.name) == ["shop"])
      #expect(unsent.map(\.waiting) == [2])
      #expect(unsent.map(\.dead) == [0])
    }
    #expect(wide.isEmpty)
  }

  @Test("after three days a message is a dead letter, the next one goes on, and it can be resent")
  func dead() throws {
    let bench = try TellingBench()
    try bench.hook()
    try bench.append(Line.purchase("1", of: "ada"))
    try bench.look()
    try bench.append(Line.purchase("2", of: "ada", "map"))
    try bench.look()
    let begin = bench.now
    var tries = 0
    while let attempt = try bench.attempts().first {
      guard try TellingBench.read(attempt).data["gained"]?.array?.first?.string == "book" else {
        break
      }
      tries += 1
      try fail(bench, [attempt], status: nil)
      guard let next = try bench.outbox.nextDue() else { break }
      #expect(next >= bench.now)
      bench.now = max(next, bench.now)
      #expect(tries < 100)
    }
    let days = bench.now.microseconds - begin.microseconds
    #expect(days >= 3 * Instant.day && days < 4 * Instant.day)
    #expect(tries > 15)
    #expect(try bench.receive().map { $0.data["gained"]?.array?.compactMap(\.string) } == [["map"]])
    let letter = try #require(try bench.store.deliveries(of: "shop", in: .dead, limit: 5).first)
    #expect(letter.problem == "no" && letter.attempts == tries)
    #expect(try bench.store.resend(.dead, of: "shop", at: bench.now) == 1)
    #expect(try bench.receive().map(\.id) == [letter.id])
    #expect(try bench.store.resend(.message(letter.id), of: "shop", at: bench.now) == 1)
    #expect(throws: WebhookError.self) {
      try bench.store.resend(.message(letter.id), of: "shop", at: bench.now)
    }
    #expect(try bench.receive().map(\.id) == [letter.id])
    // A range of positions, in order, whatever became of them.
    #expect(try bench.store.resend(.positions(1...2), of: "shop", at: bench.now) == 2)
    let both = try bench.receive()
    #expect(both.map { $0.data["gained"]?.array?.first?.string } == ["book", "map"])
    #expect(try bench.store.resend(.positions(3...9), of: "shop", at: bench.now) == 0)
  }

  @Test("a receiver says when to come again, and that it wants no more") func answers() throws {
    let bench = try TellingBench()
    try bench.hook()
    try bench.append(Line.purchase("1", of: "ada"), Line.purchase("2", of: "eve"))
    try bench.look()
    let attempts = try bench.attempts()
    try fail(bench, [attempts[0]], status: 429, retryAfter: 1_000)
    try fail(bench, [attempts[1]], status: 410)
    let hook = try bench.store.webhook(named: "shop").webhook
    #expect(hook.pausedAt == bench.now && hook.pauseReason?.contains("410") == true)
    pass(bench, seconds: 2_000)
    #expect(try bench.attempts().isEmpty, "paused")
    #expect(try bench.outbox.nextDue() == nil)
    bench.now = Instant(microseconds: bench.now.microseconds - 1_500 * Instant.second)
    // Whoever resumes wants everything that waits at once.
    try bench.store.resume("shop", at: bench.now)
    #expect(try bench.attempts().count == 2)
  }

  @Test("an attempt that ends after its webhook or its customer has gone is no error") func gone()
    throws
  {
    let bench = try TellingBench()
    try bench.hook()
    try bench.append(Line.purchase("1", of: "ada"))
    try bench.look()
    let attempts = try bench.attempts()
    try bench.store.remove("shop")
    try fail(bench, attempts)
    #expect(try bench.store.list().isEmpty)
    // Who comes later is told nothing of the time before.
    try bench.append(Line.purchase("2", of: "ada", "map"))
    try bench.hook("new")
    #expect(try bench.told().isEmpty)
    try bench.append(Line.purchase("3", of: "ada", "atlas"))
    #expect(try bench.told().map { $0.data["gained"]?.array?.first?.string } == ["atlas"])
  }

  /// Source: Standard Webhooks, the example of its libraries' tests.
  @Test("messages are signed as Standard Webhooks has it") func signature() throws {
    let secret = try #require(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let header = MessageSignature.header(
      "msg_p5jXN8AQM9LWM0D4loKWxJek", at: 1_614_265_330, #"{"test": 2432232314}"#,
      [Array(secret)])
    #expect(header == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test("a secret that was rotated signs for a day beside the new one") func rotation() throws {
    let bench = try TellingBench()
    let old = try bench.hook()
    let new = try bench.store.rotate("shop", at: bench.now)
    #expect(old != new && new.hasPrefix("whsec_"))
    func signatures() throws -> [String] {
      try bench.store.test("shop", at: bench.now)
      let attempt = try #require(try bench.attempts().first)
      try bench.outbox.note([AttemptResult(attempt, status: 200, problem: nil)], at: bench.now)
      let headers = Dictionary(uniqueKeysWithValues: attempt.headers.map { ($0.name, $0.value) })
      let seconds = try #require(headers["webhook-timestamp"].flatMap { Int64($0) })
      #expect(seconds == bench.now.microseconds / Instant.second)
      let found = try #require(headers["webhook-signature"]).split(separator: " ").map(String.init)
      let expected = try [new, old].map { secret in
        let key = try #require(Data(base64Encoded: String(secret.dropFirst(6))))
        return MessageSignature.header(
          try #require(headers["webhook-id"]), at: seconds, attempt.body, [Array(key)])
      }
      #expect(found == Array(expected.prefix(found.count)))
      return found
    }
    #expect(try signatures().count == 2)
    pass(bench, seconds: 86_401)
    #expect(try signatures().count == 1)
  }

  @Test(
    "where a message could be read on the way, nothing is sent",
    arguments: [
      "http://example.com/", "ftp://example.com/", "https://", "https://u:p@example.com/",
      "https://example.com/#x", "https://exa mple.com/", "http://127.0.0.1.example.com/",
      "http://127.0.0.256/", "http://127.+0.0.1/", "http://127.0.0.1:65536/", "https://a:0/",
      "example.com", "",
    ])
  func targets(url: String) throws {
    #expect(throws: WebhookError.self) { try TargetURL.check(url) }
  }

  @Test(
    "https anywhere, and http on this machine",
    arguments: [
      "https://example.com/hooks?x=1", "http://127.0.0.1:8080/", "http://localhost/in",
      "http://[::1]:9/",
    ])
  func allowed(url: String) throws { try TargetURL.check(url) }

  @Test("a webhook that makes no sense is refused with the nearest that does") func invalid() throws
  {
    let bench = try TellingBench()
    func refusal(_ filter: MessageFilter, _ name: String = "x") -> String {
      do throws(WebhookError) {
        _ = try bench.store.create(
          Webhook(name: name, url: "https://example.com/", filter: filter, createdAt: bench.now),
          after: 0)
      } catch { return error.message }
      return "taken"
    }
    #expect(refusal(MessageFilter(types: [])).contains("types of its messages"))
    #expect(
      refusal(MessageFilter(types: ["entitlement.change"])).contains(
        "did you mean entitlement.changed?"))
    #expect(refusal(MessageFilter(types: ["*"]), "a b").contains("expected a name"))
    #expect(
      refusal(MessageFilter(types: ["finding.*"], rules: [.neverFinished])).contains("not told"))
    #expect(refusal(MessageFilter(types: ["*"]), "ok") == "taken")
    #expect(refusal(MessageFilter(types: ["*"]), "ok").contains("there is a webhook ok"))
    #expect(try bench.store.list().map(\.webhook.name) == ["ok"])
  }

  @Test("the file is for its owner alone") func permissions() throws {
    let bench = try TellingBench()
    try bench.hook()
    for suffix in ["", "-wal", "-shm"] {
      let path = bench.path + "/service/" + WebhookDatabase.fileName + suffix
      let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      #expect(rights as? Int == 0o600, "\(suffix)")
    }
  }

  @Test("what was delivered long ago is forgotten, and what waits is not") func pruning() throws {
    let bench = try TellingBench()
    try bench.hook()
    try bench.append(Line.purchase("1", of: "ada"))
    #expect(try bench.told().count == 1)
    try bench.append(Line.purchase("2", of: "ada", "map"))
    try bench.look()
    pass(bench, seconds: 31 * 86_400)
    #expect(try bench.outbox.prune(at: bench.now))
    #expect(try bench.store.deliveries(of: "shop", limit: 9).map(\.state) == [.waiting])
    let messages = try bench.store.database.read { database in
      try Int.fetchOne(database, sql: "SELECT count(*) FROM messages")
    }
    #expect(messages == 1)
  }

  @Test("an attempt for which there was no connection is no failure of the receiver")
  func postponed() throws {
    let bench = try TellingBench()
    try bench.hook()
    try bench.append(Line.purchase("1", of: "ada"))
    try bench.look()
    let begin = bench.now
    for _ in 0..<50 {
      let attempt = try #require(try bench.attempts().first)
      try bench.outbox.note([AttemptResult(attempt, postponed: "none")], at: bench.now)
      let waiting = try #require(try bench.store.deliveries(of: "shop", limit: 1).first)
      #expect(waiting.attempts == 0 && waiting.state == .waiting && waiting.problem == "none")
      #expect(waiting.nextAt == Instant(microseconds: bench.now.microseconds + 5 * Instant.second))
      pass(bench, seconds: 5)
    }
    // It does not go on for ever.
    bench.now = Instant(microseconds: begin.microseconds + 3 * Instant.day)
    let last = try #require(try bench.attempts().first)
    try bench.outbox.note([AttemptResult(last, postponed: "none")], at: bench.now)
    #expect(try bench.store.deliveries(of: "shop", limit: 1).map(\.state) == [.dead])
  }

  /// A webhook with a message that has failed often.
  private func failing() throws -> TellingBench {
    let bench = try TellingBench()
    try bench.hook()
    try bench.append(Line.purchase("1", of: "ada"))
    try bench.look()
    for _ in 0..<8 {
      try fail(bench, try bench.attempts())
      bench.now = try #require(try bench.outbox.nextDue())
    }
    return bench
  }

  @Test("who resumes, moves or tests is a receiver that has never failed", arguments: 0..<3)
  func wakes(way: Int) throws {
    let bench = try failing()
    let before = try #require(try bench.attempts().first)
    try fail(bench, [before])
    #expect(try bench.attempts().isEmpty)
    switch way {
    case 0: try bench.store.resume("shop", at: bench.now)
    case 1: try bench.store.move("shop", to: "https://example.org/in", at: bench.now)
    default: try bench.store.test("shop", at: bench.now)
    }
    let after = try #require(try bench.attempts().first)
    // The service counts failures by it.
    #expect(after.receiver != before.receiver && after.receiver.webhook == before.receiver.webhook)
    #expect((try TellingBench.read(after).type == MessageType.test) == (way == 2))
    #expect((after.url == "https://example.org/in") == (way == 1))
    // If it fails again, its waits begin with the shortest one.
    try fail(bench, [after])
    let next = try #require(try bench.outbox.nextDue())
    #expect(next.microseconds - bench.now.microseconds < 6 * Instant.second)
  }

  @Test("what was under way while somebody moved goes to the new address at once, also after 410")
  func moved() throws {
    let bench = try failing()
    let old = try bench.attempts()
    try bench.store.move("shop", to: "https://example.org/in", at: bench.now)
    try fail(bench, old, status: 410)
    #expect(try bench.store.webhook(named: "shop").webhook.pausedAt == nil)
    #expect(try bench.attempts().map(\.url) == ["https://example.org/in"])
  }

  @Test("a test waits for no other one that has failed") func tests() throws {
    let bench = try TellingBench()
    try bench.hook()
    try bench.store.test("shop", at: bench.now)
    let first = try bench.attempts()
    try fail(bench, first)
    #expect(try bench.attempts().isEmpty)
    try bench.store.test("shop", at: bench.now)
    let second = try bench.attempts()
    #expect(second.count == 1 && second.map(\.key) != first.map(\.key))
    try bench.outbox.note([AttemptResult(second[0], status: 200, problem: nil)], at: bench.now)
    pass(bench, seconds: 6)
    #expect(try bench.receive().count == 1)
  }

  @Test("a file of the version before is taken over with what it knows") func version() throws {
    let bench = try TellingBench()
    try bench.hook()
    try bench.append(Line.purchase("1", of: "ada"))
    try bench.look()
    try bench.store.database.write { database in
      try database.execute(
        sql: """
          ALTER TABLE webhooks DROP COLUMN madeAfter;
          ALTER TABLE webhooks DROP COLUMN wakes;
          ALTER TABLE told DROP COLUMN position;
          PRAGMA user_version = 1;
          """)
    }
    try bench.restart()
    try bench.append(Line.purchase("2", of: "eve"))
    #expect(try bench.told().map { $0.text("account") } == ["ada", "eve"])
    try bench.store.resume("shop", at: bench.now)
  }
}
