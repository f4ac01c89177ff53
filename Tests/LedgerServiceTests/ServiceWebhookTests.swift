import AsyncHTTPClient
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import LedgerEvents
import LedgerStore
import Logging
import NIOCore
import ServiceAccess
import Synchronization
import Testing

@testable import LedgerService
@testable import Webhooks

/// A receiver of webhooks on this machine, which notes what it gets.
final class HookReceiver: Sendable {
  struct Message: Sendable {
    let path: String
    let headers: HTTPFields
    let body: String

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

    var id: String { header("webhook-id") ?? "-" }

    /// A member of the message, or of its data.
    func text(_ name: String) throws -> String? {
      let object = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
      let data = object?["data"] as? [String: Any]
      return (object?[name] ?? data?[name]) as? String
    }
  }

  private let held = Mutex<[Message]>([])
  /// Returns the status with which a message is answered.
  private let answer: @Sendable (Message, Int) -> HTTPResponse.Status
  let port: Int
  private let serving: Task<Void, any Error>

  var messages: [Message] { held.withLock { $0 } }

  init(
    _ answer: @escaping @Sendable (Message, Int) -> HTTPResponse.Status = { _, _ in .ok }
  ) async throws {
    self.answer = answer
    let (ports, found) = AsyncStream<Int>.makeStream()
    let router = Router()
    let hand = ReceiverHand()
    router.post("**") { request, context in
      var request = request
      let body = try await request.collectBody(upTo: 1 << 20)
      return hand.take(
        Message(path: request.uri.path, headers: request.headers, body: String(buffer: body)))
    }
    var logger = Logger(label: "receiver")
    logger.logLevel = .critical
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in found.yield(channel.localAddress?.port ?? 0) },
      logger: logger)
    serving = Task { try await application.run() }
    var iterator = ports.makeAsyncIterator()
    port = await iterator.next() ?? 0
    hand.set { [weak self] message in
      guard let self else { return .serviceUnavailable }
      let count = self.held.withLock { held in
        held.append(message)
        return held.count
      }
      return self.answer(message, count)
    }
  }

  func close() async {
    serving.cancel()
    do { try await serving.value } catch {
      // It was cancelled.
      return
    }
  }

  /// Waits until a number of messages has come.
  func wait(for count: Int) async throws -> [Message] {
    for _ in 0..<3_000 {
      if messages.count >= count { return messages }
      try await Task.sleep(for: .milliseconds(20))
    }
    return messages
  }
}

/// What takes messages, once there is somebody who does.
private final class ReceiverHand: Sendable {
  private let held = Mutex<(@Sendable (HookReceiver.Message) -> HTTPResponse.Status)?>(nil)

  func set(_ take: @escaping @Sendable (HookReceiver.Message) -> HTTPResponse.Status) {
    held.withLock { $0 = take }
  }

  func take(_ message: HookReceiver.Message) -> HTTPResponse.Status {
    held.withLock { $0 }?(message) ?? .serviceUnavailable
  }
}

extension ServiceBench {
  /// Sends a JSON document.
  fileprivate func call(
    _ address: String, _ json: String, _ method: HTTPRequest.Method = .post,
    token: String? = nil
  ) async throws -> Reply {
    let headers = json.isEmpty ? [:] : ["Content-Type": "application/json"]
    return try await Reply(
      try await response(
        method, address, headers: headers, body: ByteBuffer(string: json), token: token))
  }
}

@Suite("Webhooks of the service", .timeLimit(.minutes(20))) struct ServiceWebhookTests {
  /// How long anything may take where it is not the time that is tested, in seconds: a busy machine
  /// stops for longer than a receiver may.
  private static let patience: Int64 = 3_600

  /// A service that tells, without its sockets.
  private func telling(
    _ bench: ServiceBench, clock: @escaping @Sendable () -> Instant = EventLog.systemClock,
    _ body: () async throws -> Void
  ) async throws {
    var logger = Logger(label: "telling")
    logger.logLevel = .critical
    let keeper = WebhookKeeper(ledger: bench.path)
    let service = WebhookService(
      ledger: bench.ledger, keeper: keeper, logger: logger, version: "1", clock: clock,
      pause: .milliseconds(20), connectSeconds: Self.patience, answerSeconds: Self.patience)
    let running = Task { try await service.run() }
    do { try await body() } catch {
      running.cancel()
      try await running.value
      throw error
    }
    running.cancel()
    try await running.value
    try keeper.close()
  }

  private func create(
    _ bench: ServiceBench, _ receiver: HookReceiver, types: String = "\"entitlement.changed\""
  ) async throws -> String {
    let made = try await bench.call(
      "/v1/webhooks",
      """
      {"name":"shop","url":"http://127.0.0.1:\(receiver.port)/in","types":[\(types)]}
      """)
    #expect(made.status == 201, "\(made.body)")
    return try #require(try made.object()["secret"] as? String)
  }

  private func waitUntilTaken(_ bench: ServiceBench) async throws {
    for _ in 0..<3_000 {
      let shop = try await bench.get("/v1/webhooks/shop").object()
      if shop["since"] is Int { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("the webhook was not taken up")
  }

  private static func purchase(_ id: String, _ account: String, _ product: String) -> String {
    """
    {"id":"\(id)","type":"transaction.purchased","occurredAt":"2024-02-01T10:00:00Z",\
    "source":"server","account":"\(account)","transaction":"\(id)","product":"\(product)",\
    "environment":"production"}
    """
  }

  @Test("what ended long ago is forgotten once the service runs, and then once an hour")
  func pruned() async throws {
    let start = Instant(microseconds: 1_709_251_200_000_000)
    func isDue(_ hours: Double) -> Bool {
      let now = Instant(microseconds: start.microseconds + Int64(hours * Double(Instant.hour)))
      return WebhookService.isToPrune(at: now, after: start)
    }
    #expect(WebhookService.isToPrune(at: start, after: nil))
    #expect([-0.1, 0, 0.9, 1.1].map(isDue) == [true, false, false, true])
    func wait(_ isOver: () async throws -> Bool) async throws {
      for _ in 0..<3_000 {
        if try await isOver() { return }
        try await Task.sleep(for: .milliseconds(20))
      }
      Issue.record("it did not come")
    }
    let receiver = try await HookReceiver()
    try await ServiceBench.run { bench in
      func states() async throws -> [String?] {
        try await bench.get("/v1/webhooks/shop/deliveries").items().map { $0["state"] as? String }
      }
      try await telling(bench) {
        _ = try await create(bench, receiver)
        try await waitUntilTaken(bench)
        _ = try await bench.call("/v1/events", Self.purchase("1", "ada", "book"))
        try await wait { try await states() == ["delivered"] }
      }
      // A service that runs half a year later.
      let later = Instant(microseconds: EventLog.systemClock().microseconds + 180 * Instant.day)
      try await telling(bench, clock: { later }) {
        try await wait { try await states() == [] }
      }
    }
  }

  @Test("what is appended is told, signed, and counted as delivered") func delivered() async throws
  {
    let receiver = try await HookReceiver()
    try await ServiceBench.run { bench in
      try await telling(bench) {
        let secret = try await create(bench, receiver)
        try await waitUntilTaken(bench)
        let appended = try await bench.call(
          "/v1/events", Self.purchase("1", "ada", "book"))
        #expect(appended.status == 200, "\(appended.body)")
        let message = try #require(try await receiver.wait(for: 1).first)
        #expect(message.path == "/in")
        #expect(try message.text("type") == "entitlement.changed")
        #expect(try message.text("account") == "ada")
        #expect(message.header("content-type") == "application/json")
        #expect(message.header("user-agent") == "daybook/1")
        let seconds = try #require(message.header("webhook-timestamp"))
        let key = try #require(Data(base64Encoded: String(secret.dropFirst("whsec_".count))))
        let code = HMAC<SHA256>.authenticationCode(
          for: Data("\(message.id).\(seconds).\(message.body)".utf8),
          using: SymmetricKey(data: key))
        #expect(
          message.header("webhook-signature") == "v1," + Data(code).base64EncodedString())
        for _ in 0..<3_000 {
          let shop = try await bench.get("/v1/webhooks/shop").object()
          if shop["delivered"] as? Int == 1 { break }
          try await Task.sleep(for: .milliseconds(20))
        }
        let page = try await bench.get("/v1/webhooks/shop/deliveries?state=delivered").object()
        let items = try #require(page["items"] as? [[String: Any]])
        #expect(items.map { $0["account"] as? String } == ["ada"])
        #expect(items.first?["id"] as? String == message.id)
      }
    }
    await receiver.close()
  }

  @Test("a receiver that fails gets the same message again, and no redirect is followed")
  func again() async throws {
    let receiver = try await HookReceiver { _, count in
      count == 1 ? .init(code: 307) : .noContent
    }
    try await ServiceBench.run { bench in
      try await telling(bench) {
        _ = try await create(bench, receiver, types: "\"transaction.*\"")
        let tested = try await bench.call("/v1/webhooks/shop/test", "")
        #expect(tested.status == 200, "\(tested.body)")
        let first = try #require(try await receiver.wait(for: 1).first)
        #expect(try first.text("type") == "webhook.test")
        let keeper = WebhookKeeper(ledger: bench.path)
        let store = try #require(try keeper.store())
        for _ in 0..<3_000 {
          if try store.deliveries(of: "shop", limit: 1).first?.attempts == 1 { break }
          try await Task.sleep(for: .milliseconds(20))
        }
        let failed = try #require(try store.deliveries(of: "shop", limit: 1).first)
        #expect(failed.status == 307 && failed.state == .waiting)
        // Whoever repairs a receiver does not wait for the next try.
        let resumed = try await bench.call("/v1/webhooks/shop/resume", "")
        #expect(resumed.status == 200)
        let both = try await receiver.wait(for: 2)
        #expect(both.count == 2 && both[1].id == first.id && both[1].body == first.body)
        try keeper.close()
      }
    }
    await receiver.close()
  }

  @Test("is managed over HTTP by administrators for all apps alone") func managed() async throws {
    let receiver = try await HookReceiver()
    try await ServiceBench.run(.guarded) { bench in
      let admin = try bench.token("admin", [.admin])
      let others = [
        try bench.token("reader", [.read]), try bench.token("operator", [.operate]),
        try bench.token("one-app", [.admin], apps: ["com.example.tides"]),
      ]
      let body = """
        {"name":"shop","url":"http://127.0.0.1:\(receiver.port)/","types":["finding.*"],\
        "severities":["critical"],"apps":["com.example.tides"]}
        """
      for other in others {
        #expect(try await bench.get("/v1/webhooks", token: other).status == 403)
        #expect(
          try await bench.call("/v1/webhooks", body, token: other).status
            == 403)
      }
      #expect(try await bench.get("/v1/webhooks/shop", token: admin).status == 404)
      #expect(try await bench.get("/v1/webhooks", token: admin).body == "{\"items\":[]}\n")
      let made = try await bench.call(
        "/v1/webhooks", body, token: admin)
      #expect(made.status == 201)
      let secret = try #require(try made.object()["secret"] as? String)
      let again = try await bench.call(
        "/v1/webhooks", body, token: admin)
      #expect(again.status == 409)
      for other in others {
        #expect(try await bench.get("/v1/webhooks/shop/deliveries", token: other).status == 403)
      }
      let listed = try await bench.get("/v1/webhooks", token: admin)
      #expect(
        listed.body.contains("\"severities\":[\"critical\"],\"apps\":[\"com.example.tides\"]"))
      #expect(!listed.body.contains(secret))
      let rotated = try await bench.call("/v1/webhooks/shop/rotate", "", token: admin)
      #expect(try rotated.object()["secret"] as? String != secret)
      for wrong in [
        #"{"name":"x","url":"http://example.com/","types":["*"]}"#,
        #"{"name":"x","url":"https://example.com/","types":["nothing.ever"]}"#,
        #"{"name":"x","url":"https://example.com/"}"#,
        #"{"name":"x","url":"https://example.com/","types":["*"],"rules":["no-rule"]}"#,
        #"{"name":"x","url":"https://example.com/","types":["*"],"apps":["no app"]}"#,
        #"{"name":"x","url":"https://example.com/","types":"*"}"#,
        #"{"name":"x","link":"https://example.com/","types":["*"]}"#, "[]", "",
      ] {
        let refused = try await bench.call(
          "/v1/webhooks", wrong, token: admin)
        #expect(refused.status == 400, "\(wrong): \(refused.body)")
      }
      // Whole numbers of JSON Schema.
      for range in [#"{"from":1.0,"to":40e-1}"#, #"{"from":1970.0,"to":null}"#] {
        let resent = try await bench.call("/v1/webhooks/shop/resend", range, token: admin)
        #expect(resent.status == 200, "\(range): \(resent.body)")
      }
      for wrong in [
        #"{"dead":false}"#, #"{"from":5,"to":4}"#, #"{"from":1.5}"#, #"{"from":1e300}"#,
        #"{"message":"m","dead":true}"#,
      ] {
        let refused = try await bench.call(
          "/v1/webhooks/shop/resend", wrong, token: admin)
        #expect(refused.status == 400, "\(wrong)")
      }
      let unknown = try await bench.call(
        "/v1/webhooks/shop/resend", #"{"message":"msg_1"}"#,
        token: admin)
      #expect(unknown.status == 404)
      #expect(
        try await bench.get("/v1/webhooks/shop/deliveries?state=x", token: admin).status == 400)
      let metrics = try await bench.get("/metrics", token: admin).body
      #expect(metrics.contains("daybook_webhook_waiting{webhook=\"shop\"} 0"), "\(metrics)")
      let gone = try await bench.call("/v1/webhooks/shop", "", .delete, token: admin)
      #expect(gone.status == 200)
      #expect(try await bench.get("/v1/webhooks/shop", token: admin).status == 404)
    }
    await receiver.close()
  }

  @Test("a webhook that was removed has no metrics, and the others keep theirs") func metrics()
    async throws
  {
    try await ServiceBench.run { bench in
      for name in ["shop", "pager"] {
        let made = try await bench.call(
          "/v1/webhooks",
          #"{"name":"\#(name)","url":"http://127.0.0.1:9/","types":["finding.*"]}"#)
        #expect(made.status == 201, "\(made.body)")
      }
      let both = try await bench.get("/metrics").body
      #expect(both.contains(#"daybook_webhook_waiting{webhook="shop"} 0"#))
      #expect(try await bench.call("/v1/webhooks/shop", "", .delete).status == 200)
      let left = try await bench.get("/metrics").body
      #expect(!left.contains(#"webhook="shop""#), "\(left)")
      #expect(left.contains(#"daybook_webhook_dead{webhook="pager"} 0"#))
    }
  }

  @Test("what was counted of a webhook is forgotten with it, and nothing else") func forgotten() {
    let registry = PrometheusRegistry()
    for name in ["shop", "pager"] {
      registry.count(.init("daybook.webhook.attempts", [("webhook", name)], suffix: "_total"), 1)
      registry.count(.init("hb.requests", [("webhook", name)], suffix: "_total"), 1)
    }
    registry.set(.init("daybook.webhook.all", []), 2)
    registry.forget("daybook.webhook", label: "webhook", except: ["pager"])
    let text = registry.text
    #expect(!text.contains(#"daybook_webhook_attempts_total{webhook="shop"}"#), "\(text)")
    #expect(text.contains(#"daybook_webhook_attempts_total{webhook="pager"} 1"#))
    #expect(text.contains(#"hb_requests_total{webhook="shop"} 1"#))
    #expect(text.contains("daybook_webhook_all 2"))
  }

  @Test("the page of deliveries shows what became of messages, and sends them again")
  func page() async throws {
    try await ServiceBench.run { bench in
      let empty = try await bench.page("/deliveries")
      #expect(empty.status == 200 && empty.body.contains("No webhook yet"))
      let store = try WebhookStore(creatingIn: bench.path)
      _ = try store.create(
        Webhook(
          name: "shop", url: "http://127.0.0.1:9/a&b",
          filter: MessageFilter(types: ["entitlement.changed"]), createdAt: Instant(microseconds: 0)
        ), after: 0)
      let teller = Teller(bench.ledger, store)
      while try teller.step() == .more {}
      let name = "<b>ada&co"
      try await bench.ledger.append([
        EventInput(
          event: Event(
            id: "1", type: EventType(.transactionPurchased),
            occurredAt: Instant(microseconds: 1_700_000_000_000_000), account: Name(name),
            product: "book", transaction: "1"))
      ])
      try bench.ledger.fold()
      while try teller.step() == .more {}
      let outbox = Outbox(bench.ledger, store)
      var now = EventLog.systemClock()
      let attempts = try outbox.due(at: now, except: []) { _ in 9 }
      #expect(attempts.count == 1)
      // Three days later it is given up.
      try outbox.note(
        attempts.map { AttemptResult($0, status: 500, problem: "<i>no</i>") }, at: now)
      now = Instant(microseconds: now.microseconds + 4 * Instant.day)
      try outbox.note(
        attempts.map { AttemptResult($0, status: 500, problem: "<i>no</i>") }, at: now)
      let page = try await bench.page("/deliveries?webhook=shop&state=dead")
      #expect(page.body.contains("&lt;b&gt;ada&amp;co") && !page.body.contains("<b>ada"))
      #expect(page.body.contains("dead: &lt;i&gt;no&lt;/i&gt;"), "\(page.body)")
      #expect(page.body.contains("Send all dead letters again"))
      let token = try await bench.formToken(at: "/deliveries?webhook=shop&state=dead")
      let forged = try await bench.form(
        "/deliveries/resend", [("form", "x"), ("webhook", "shop"), ("dead", "true")])
      #expect(forged.status == 403)
      #expect(try store.deliveries(of: "shop", in: .dead, limit: 5).count == 1)
      let sent = try await bench.form(
        "/deliveries/resend", [("form", token), ("webhook", "shop"), ("dead", "true")])
      #expect(sent.status == 303)
      let after = try await bench.page(try #require(sent.header("Location")))
      #expect(after.body.contains("1 message will be sent again"))
      // Anybody can write an address.
      let address = try #require(sent.header("Location"))
      for spoofed in [
        "/deliveries?webhook=shop&resent=7", "/deliveries?resent=1",
        address.replacing("resent=1", with: "resent=9"),
        address.replacing("webhook=shop", with: "webhook=other"), address + "x",
      ] {
        let shown = try await bench.page(spoofed)
        #expect(!shown.body.contains("sent again."), "\(spoofed)")
      }
      #expect(try store.deliveries(of: "shop", in: .waiting, limit: 5).count == 1)
      try store.close()
    }
  }
}
