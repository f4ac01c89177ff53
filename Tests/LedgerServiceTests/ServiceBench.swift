import Entitlements
import Foundation
import HTTPTypes
import Hummingbird
import LMDB
import LedgerEvents
import LedgerImport
import LedgerStore
import Logging
import NIOCore
import NIOEmbedded
import ServiceAccess
import Testing

@testable import LedgerService

/// The service without its sockets: requests go to its router, and answers come back whole.
final class ServiceBench: Sendable {
  let path: String
  let ledger: Ledger
  let work: LedgerWork
  private let lookups: Entitlements
  let watch: LogWatch
  private let responder: RouterResponder<ServiceContext>
  private let watching: Task<Void, any Error>
  private let log: Logger
  /// What answers verdicts where a connection is read.
  let verdicts: QuickVerdicts

  /// Says nothing but what is critical, and numbers no requests: each has the same id.
  private static let quiet: Logger = {
    var logger = Logger(label: "tests") { label in
      JSONLogHandler(label: label, level: .critical, output: LogOutput())
    }
    logger[metadataKey: "hb.request.id"] = "test"
    return logger
  }()

  /// What a test may want otherwise than the service has it.
  struct Limits {
    var appendsMax = ServiceLimits.appendsMax
    var questionsMax = ServiceLimits.questionsMax
    var followersMax = ServiceLimits.followersMax
    var heldBytesMax = ServiceLimits.heldBytesMax
    /// Nobody waits for a position that does not come.
    var atLeastSeconds = 0
    /// Whether tokens are asked for.
    var hasTokens = false
    /// Where it is noted who asks what about whom; nil for nowhere.
    var audit: Logger?
    /// Where requests are logged; nil for nowhere.
    var log: Logger?
    /// How many requests are taken of whom.
    var rate: RateGate.Rate?
    /// The present of these limits, in nanoseconds, which stands still unless a test moves it.
    var uptime: @Sendable () -> UInt64 = { 0 }

    /// Tokens are asked for, and all else is as usual.
    static var guarded: Limits {
      var limits = Limits()
      limits.hasTokens = true
      return limits
    }
  }

  private init(_ limits: Limits) throws {
    var log = limits.log ?? Self.quiet
    // The server gives every request a number.
    log[metadataKey: "hb.request.id"] = "test"
    self.log = log
    path = NSTemporaryDirectory() + "daybook-service-\(UUID().uuidString)"
    // Nothing is synced, because these tests do not depend on the disk. The usual map of a ledger
    // reserves 2 TiB of addresses, of which a process has 128, and many tests run at the same time.
    ledger = try Ledger.create(
      at: path, options: Environment.Options(mapSize: 1 << 30, sync: .onRequest))
    // Many tests run at the same time: each has few threads.
    work = LedgerWork(
      ledger, appendsMax: limits.appendsMax, questionsMax: limits.questionsMax, threads: (2, 2))
    let lookups = Entitlements(ledger: ledger)
    self.lookups = lookups
    let watch = LogWatch(ledger.log, Self.quiet, followersMax: limits.followersMax)
    self.watch = watch
    let routes = ServiceRoutes(
      work: work, lookups: lookups, watch: watch,
      gate: limits.hasTokens ? .tokens(TokenKeeper(TokenStore(ledger: path))) : .open,
      rates: RateGate(limits.rate, now: limits.uptime),
      answerKeys: AnswerKeyKeeper(AnswerKeyStore(ledger: path)),
      budget: BodyBudget(bytesMax: limits.heldBytesMax, requestBytes: 1),
      atLeastSeconds: limits.atLeastSeconds,
      metrics: PrometheusRegistry(), audit: limits.audit ?? Self.quiet, version: "1",
      desk: NotificationDesk(
        intake: NotificationIntake(apps: [NotificationApp(bundleID: "com.example.tides")]),
        refused: RefusedNotifications(ledger: path)),
      webhooks: WebhookKeeper(ledger: path))
    responder = routes.router().buildResponder()
    verdicts = QuickVerdicts(routes, Self.quiet, serverName: "daybook")
    watching = Task { try await watch.run() }
  }

  /// Runs a test with a new ledger and a service for it.
  static func run(
    _ limits: Limits = Limits(), _ body: (ServiceBench) async throws -> Void
  ) async throws {
    let bench = try ServiceBench(limits)
    do { try await body(bench) } catch {
      try await bench.close()
      throw error
    }
    try await bench.close()
  }

  private func close() async throws {
    watching.cancel()
    try await watching.value
    try await work.end()
    try await closeLedger()
    try FileManager.default.removeItem(atPath: path)
  }

  /// Takes the ledger from the service, which cannot read it any more.
  func closeLedger() async throws {
    watching.cancel()
    try await watching.value
    lookups.release()
    try ledger.close()
  }

  func lastPosition() throws -> UInt64 { try ledger.log.lastPosition() }

  // MARK: - Requests

  /// Sends a request, and returns its response, whose body has not been written yet.
  func response(
    _ method: HTTPRequest.Method = .get, _ address: String, headers: [String: String] = [:],
    body: ByteBuffer = ByteBuffer(), statesLength: Bool = true, token: String? = nil,
    authority: String = "localhost", from client: String? = nil
  ) async throws -> Response {
    var head = try Self.head(method, address, headers, token, authority)
    if statesLength, method == .post {
      head.headerFields[.contentLength] = "\(body.readableBytes)"
    }
    let context = ServiceContext(
      source: ApplicationRequestContextSource(
        channel: try Self.channel(from: client), logger: log))
    return try await responder.respond(
      to: Request(head: head, body: RequestBody(buffer: body)), context: context)
  }

  static func head(
    _ method: HTTPRequest.Method, _ address: String, _ headers: [String: String] = [:],
    _ token: String? = nil, _ authority: String = "localhost"
  ) throws -> HTTPRequest {
    var fields = HTTPFields()
    for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
    if let token { fields[.authorization] = "Bearer \(token)" }
    return HTTPRequest(
      method: method, scheme: "http", authority: authority, path: address, headerFields: fields)
  }

  private static func channel(from client: String?) throws -> NIOAsyncTestingChannel {
    let channel = NIOAsyncTestingChannel()
    if let client { channel.remoteAddress = try SocketAddress(ipAddress: client, port: 1) }
    return channel
  }

  /// What is answered where the connection is read; nil if the request goes the usual way.
  func quickly(
    _ address: String, _ method: HTTPRequest.Method = .get, headers: [String: String] = [:],
    token: String? = nil, from client: String? = nil
  ) async throws -> Reply? {
    let head = try Self.head(method, address, headers, token)
    guard verdicts.takes(head),
      let plain = verdicts.answer(head, on: try Self.channel(from: client))
    else { return nil }
    let reply = try await Reply(plain.response)
    #expect(reply.body == String(buffer: plain.body))
    return reply
  }

  func get(
    _ address: String, headers: [String: String] = [:], token: String? = nil,
    from client: String? = nil
  ) async throws -> Reply {
    try await Reply(
      try await response(.get, address, headers: headers, token: token, from: client))
  }

  /// Appends lines of JSON.
  func append(
    _ lines: [String], query: String = "", headers: [String: String] = [:], token: String? = nil
  ) async throws -> Reply {
    try await post(
      lines.joined(separator: "\n"), as: "application/x-ndjson", query: query, headers: headers,
      token: token)
  }

  /// Sends a body of a type to the address that appends.
  func post(
    _ body: String, as type: String?, query: String = "", headers: [String: String] = [:],
    token: String? = nil
  ) async throws -> Reply {
    var headers = headers
    if let type { headers["Content-Type"] = type }
    return try await Reply(
      try await response(
        .post, "/v1/events" + query, headers: headers, body: ByteBuffer(string: body), token: token)
    )
  }

  /// Does an act; with `?dryRun=true` after its kind it is not done.
  func act(
    _ kind: String, _ body: String, key: String? = nil, token: String? = nil
  ) async throws -> Reply {
    var headers = ["Content-Type": "application/json"]
    if let key { headers["Idempotency-Key"] = key }
    return try await Reply(
      try await response(
        .post, "/v1/acts/\(kind)", headers: headers, body: ByteBuffer(string: body), token: token))
  }

  /// Appends lines of JSON to the ledger itself, whatever the service allows.
  func fill(_ lines: [String]) throws {
    let decoder = EventDecoder()
    let inputs = try lines.enumerated().map { number, line in
      try decoder.decode(line: Array(line.utf8), number: number + 1)
    }
    try ledger.appendAndWait(inputs, options: AppendOptions())
  }

  /// Appends events as they are, with their own recorded times.
  func append(_ history: some Sequence<RecordedEvent>) throws {
    let batch = history.map { recorded in
      EventInput(event: recorded.event, position: 1, recordedAt: recorded.recordedAt)
    }
    try ledger.appendAndWait(batch, options: AppendOptions(trustsRecordedAt: true))
  }

  /// Makes a token, and returns its text.
  func token(
    _ name: String, _ scopes: Set<TokenScope>, account: Name? = nil, apps: [String] = []
  ) throws -> String {
    try TokenStore(ledger: path).create(
      AccessToken(
        name: name, scopes: scopes, account: account, apps: apps, operatorName: "Ada",
        createdAt: EventLog.systemClock()))
  }
}

/// A whole answer.
struct Reply {
  let status: Int
  let headers: HTTPFields
  let body: String

  init(_ response: Response) async throws {
    status = response.status.code
    headers = response.headers
    let written = WrittenBody()
    try await response.body.write(BodyCollector(written: written))
    body = await written.text
  }

  var lines: [String] { body.split(separator: "\n").map(String.init) }

  func object() throws -> [String: Any] { try Self.object(body) }

  /// The objects of the lines, or of the member `items`, or of `events`.
  func objects() throws -> [[String: Any]] { try lines.map(Self.object) }

  func items() throws -> [[String: Any]] {
    try #require(try object()["items"] as? [[String: Any]], "\(body)")
  }

  /// What a problem document has after `urn:daybook:problem:`.
  var problem: String? {
    do {
      guard headers[.contentType] == "application/problem+json" else { return nil }
      let object = try object()
      guard object["status"] as? Int == status else { return nil }
      return (object["type"] as? String)?.replacing("urn:daybook:problem:", with: "")
    } catch {
      return nil
    }
  }

  func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

  private static func object(_ text: String) throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
  }
}

/// What has been written of a body.
actor WrittenBody {
  private(set) var text = ""

  func add(_ buffer: ByteBuffer) { text += String(buffer: buffer) }
}

private struct BodyCollector: ResponseBodyWriter {
  let written: WrittenBody

  mutating func write(_ buffer: ByteBuffer) async throws { await written.add(buffer) }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// Events for tests, as lines of JSON.
enum Line {
  static func note(_ id: String, account: String? = nil, more: String = "") -> String {
    let account = account.map { #""account":"\#($0)","# } ?? ""
    return #"{"id":"\#(id)","type":"note.added","occurredAt":"2026-02-01T12:00:00Z","#
      + #"\#(account)\#(more)"data":{"text":"seen"}}"#
  }

  static func purchase(
    _ transaction: String, of account: String?, app: String? = nil, product: String = "map"
  ) -> String {
    let account = account.map { #","account":"\#($0)""# } ?? ""
    let app = app.map { #","app":"\#($0)""# } ?? ""
    return #"{"id":"purchase-\#(transaction)","type":"transaction.purchased","#
      + #""occurredAt":"2026-02-01T12:00:00Z","transaction":"\#(transaction)","#
      + #""product":"\#(product)","device":"phone-\#(transaction)"\#(account)\#(app)}"#
  }
}
