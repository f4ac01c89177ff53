import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Testing

@testable import LedgerService
@testable import Webhooks

/// A receiver of which a test says byte for byte what it answers.
private final class RawReceiver: Sendable {
  struct Answer: Sendable {
    let text: String
    var closes = false
  }

  /// Collects a request and answers it.
  private final class Hand: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let end: String
    private let answer: @Sendable (String) -> Answer?
    private var request = ""

    init(_ end: String, _ answer: @escaping @Sendable (String) -> Answer?) {
      (self.end, self.answer) = (end, answer)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      request += String(buffer: unwrapInboundIn(data))
      guard end.isEmpty || request.hasSuffix(end) else { return }
      let found = answer(request)
      request = ""
      guard let found else { return }
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: found.text)), promise: nil)
      if found.closes { context.close(promise: nil) }
    }
  }

  let port: Int
  private let listening: any Channel

  /// - Parameters:
  ///   - tls: How it speaks TLS; nil for HTTP.
  ///   - end: What a request ends with; nothing if whatever comes is one.
  ///   - answer: Returns what a request is answered; nil for nothing.
  init(
    _ tls: NIOSSLContext? = nil, end: String = "\r\n\r\n" + MessageSenderTests.body,
    _ answer: @escaping @Sendable (String) -> Answer?
  ) async throws {
    listening = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 256)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
          try pipeline.addHandler(Hand(end, answer))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = try #require(listening.localAddress?.port)
  }

  func close() async throws { try await listening.close() }
}

@Suite("What becomes of a message that is sent", .timeLimit(.minutes(20)))
struct MessageSenderTests {
  fileprivate static let body = #"{"type":"webhook.test"}"#
  /// How long anything may take where it is not the time that is tested, in seconds.
  private static let patience: Int64 = 3_600

  private static func attempt(
    _ url: String, _ number: Int64 = 1, of receiver: Receiver = Receiver(webhook: 1, wakes: 0)
  ) -> Attempt {
    Attempt(
      key: Attempt.Key(webhook: receiver.webhook, message: number, customer: number),
      receiver: receiver, webhook: "shop", url: url, body: body,
      headers: [("content-type", "application/json")])
  }

  private static func sender(_ client: HTTPClient, seconds: Int64 = patience) -> MessageSender {
    MessageSender(
      client: client, userAgent: "t", seconds: seconds, connectSeconds: patience)
  }

  /// Sends one message, and returns how that has ended.
  ///
  /// - Parameter seconds: How long an answer may take, in seconds.
  private func send(
    _ url: String, seconds: Int64 = patience,
    _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) async throws -> AttemptResult {
    var configuration = MessageSender.configuration(connectSeconds: Self.patience)
    change(&configuration)
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let result = await Self.sender(client, seconds: seconds).send(Self.attempt(url))
    try await client.shutdown()
    return result
  }

  // MARK: - Answers

  @Test(
    "an answer that is none is a failure and ends nothing",
    arguments: [
      ("HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n", "no status"),
      ("HTTP/1.1 099 X\r\n\r\n", "no status"),
      ("no HTTP\r\n\r\n", "not well-formed"),
    ])
  func noAnswer(answer: String, words: String) async throws {
    let receiver = try await RawReceiver { _ in .init(text: answer) }
    let result = try await send("http://127.0.0.1:\(receiver.port)/")
    #expect(result.problem?.contains(words) == true, "\(result)")
    #expect(!result.isPostponed)
    try await receiver.close()
  }

  @Test("an answer whose end does not come is a failure once its time is over")
  func withoutEnd() async throws {
    let receiver = try await RawReceiver { _ in
      .init(text: "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n")
    }
    // A busy machine may need longer than the shortest for a connection alone.
    for seconds: Int64 in [1, 10, 100, 1_000] {
      let result = try await send("http://127.0.0.1:\(receiver.port)/", seconds: seconds)
      guard !result.isPostponed else { continue }
      #expect(result.problem?.contains("within \(seconds) seconds") == true, "\(result)")
      return try await receiver.close()
    }
    Issue.record("there was no connection")
  }

  @Test(
    "an answer that breaks off is a failure",
    arguments: [
      ("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc", true, "closed the connection"),
      (
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc", true,
        "closed the connection"
      ),
      (
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n", false,
        "not well-formed"
      ),
    ])
  func broken(answer: String, closes: Bool, words: String) async throws {
    let receiver = try await RawReceiver { _ in .init(text: answer, closes: closes) }
    let result = try await send("http://127.0.0.1:\(receiver.port)/")
    #expect(result.problem?.contains(words) == true, "\(result)")
    #expect(!result.isPostponed)
    try await receiver.close()
  }

  @Test("an answer that goes on and on is a failure") func endless() async throws {
    let receiver = try await RawReceiver { _ in
      .init(
        text: "HTTP/1.1 200 OK\r\ncontent-length: 9000000\r\n\r\n"
          + String(repeating: "a", count: ServiceLimits.webhookAnswerBytesMax + 1))
    }
    let result = try await send("http://127.0.0.1:\(receiver.port)/")
    #expect(result.problem?.contains("more than 1048576 bytes") == true, "\(result)")
    try await receiver.close()
  }

  @Test(
    "an answer with its end is taken, whatever ends it",
    arguments: [
      ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", false),
      ("HTTP/1.1 204 No Content\r\n\r\n", false),
      ("HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", false),
      ("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nok", true),
      ("HTTP/1.0 200 OK\r\n\r\nok", true),
    ])
  func whole(answer: String, closes: Bool) async throws {
    let receiver = try await RawReceiver { _ in .init(text: answer, closes: closes) }
    let result = try await send("http://127.0.0.1:\(receiver.port)/")
    #expect(result.problem == nil, "\(result)")
    try await receiver.close()
  }

  @Test("a failure that says what it is has its status, and is not read to its end")
  func refused() async throws {
    let receiver = try await RawReceiver { _ in
      .init(text: "HTTP/1.1 410 Gone\r\ncontent-length: 100\r\n\r\n")
    }
    let result = try await send("http://127.0.0.1:\(receiver.port)/")
    #expect(result.status == 410 && result.problem?.contains("410") == true)
    try await receiver.close()
  }

  // MARK: - Connections

  @Test("slow webhooks take no connection of another one with the same host and port")
  func connections() async throws {
    let slow = 2 * ServiceLimits.webhookAttemptsMax
    let waiting = Mutex(0)
    let receiver = try await RawReceiver { request in
      if request.hasPrefix("POST /fast ") {
        return .init(text: "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
      }
      waiting.withLock { $0 += 1 }
      return nil
    }
    let address = "http://127.0.0.1:\(receiver.port)"
    let client = MessageSender.client(connectSeconds: Self.patience)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...slow {
        group.addTask {
          _ = await Self.sender(client).send(Self.attempt(address + "/slow", Int64(number)))
        }
      }
      while waiting.withLock({ $0 }) < slow { try await Task.sleep(for: .milliseconds(20)) }
      let result = await Self.sender(client).send(Self.attempt(address + "/fast"))
      #expect(result.problem == nil, "\(result)")
      group.cancelAll()
    }
    try await client.shutdown()
    try await receiver.close()
    let attempts = Webhook.countMax * ServiceLimits.webhookAttemptsMax
    let pool = MessageSender.configuration(connectSeconds: 1).connectionPool
    #expect(pool.concurrentHTTP1ConnectionsPerHostSoftLimit >= attempts)
  }

  @Test("what this machine had no connection for is no failure of the receiver")
  func own() {
    func failure(_ error: any Error) -> MessageFailure {
      MessageFailure(error, seconds: 15, connectSeconds: 10)
    }
    for error in [
      HTTPClientError.getConnectionFromPoolTimeout, IOError(errnoCode: EMFILE, reason: "socket"),
      IOError(errnoCode: EADDRNOTAVAIL, reason: "connect"), CancellationError(),
      BoringSSLError.unknownError([]),
    ] as [any Error] {
      #expect(failure(error).isOwn, "\(error)")
    }
    for error in [
      HTTPClientError.connectTimeout, HTTPClientError.deadlineExceeded,
      IOError(errnoCode: ECONNREFUSED, reason: "connect"), NIOSSLError.uncleanShutdown,
    ] as [any Error] {
      #expect(!failure(error).isOwn, "\(error)")
    }
    #expect(failure(HTTPClientError.deadlineExceeded).text.contains("15 seconds"))
    #expect(failure(BoringSSLError.unknownError([])).text.contains("install ca-certificates"))
    for error in [
      HTTPClientError.connectTimeout, HTTPClientError.tlsHandshakeTimeout,
      ChannelError.connectTimeout(.seconds(10)), IOError(errnoCode: ETIMEDOUT, reason: "connect"),
    ] as [any Error] {
      let text = failure(error).text
      #expect(text.contains("10 seconds") && !text.contains("15 seconds"), "\(text)")
    }
  }

  @Test("a connection that is refused is said to be") func nobody() async throws {
    // The port for what is thrown away, which only a privileged program could open.
    let result = try await send("http://127.0.0.1:9/")
    #expect(result.problem?.contains("the connection was refused") == true, "\(result)")
  }

  // MARK: - TLS

  private static func tls(
    _ identity: HeavyServiceTLSTests.Identity, upTo version: TLSVersion = .tlsv13
  ) throws -> NIOSSLContext {
    var tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(identity.certificate.utf8))
        .map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.key.utf8), format: .pem)))
    tls.minimumTLSVersion = .tlsv1
    tls.maximumTLSVersion = version
    return try NIOSSLContext(configuration: tls)
  }

  /// Sends a message to a receiver with a certificate.
  private func send(
    to identity: HeavyServiceTLSTests.Identity, isTrusted: Bool, upTo version: TLSVersion = .tlsv13
  ) async throws -> AttemptResult {
    let receiver = try await RawReceiver(try Self.tls(identity, upTo: version)) { _ in
      .init(text: "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
    }
    let roots = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificate.utf8))
    let result = try await send("https://127.0.0.1:\(receiver.port)/") { configuration in
      if isTrusted { configuration.tlsConfiguration?.trustRoots = .certificates(roots) }
    }
    try await receiver.close()
    return result
  }

  @Test("nothing is sent by a TLS before 1.2") func oldVersions() async throws {
    let identity = try HeavyServiceTLSTests.Identity("Shop")
    let current = try await send(to: identity, isTrusted: true, upTo: .tlsv12)
    #expect(current.problem == nil, "\(current)")
    let old = try await send(to: identity, isTrusted: true, upTo: .tlsv11)
    #expect(old.problem?.contains("no TLS of version 1.2") == true, "\(old)")
  }

  @Test("a certificate that is not trusted is said to be, in plain words") func certificates()
    async throws
  {
    let unknown = try await send(to: try .init("Shop"), isTrusted: false)
    let expired = try await send(to: try .init("Shop", validFor: -60), isTrusted: true)
    for result in [unknown, expired] {
      let problem = try #require(result.problem)
      #expect(problem.contains("certificate is not trusted"), "\(problem)")
      #expect(problem.contains("openssl s_client"))
      for place in ["BoringSSL", "OPENSSL", "/", "26843"] {
        #expect(!problem.contains(place), "\(problem)")
      }
    }
  }

  @Test("a port without TLS is said to be one, and reasons of TLS have no places in the source")
  func noTLS() async throws {
    let receiver = try await RawReceiver(end: "") { _ in
      .init(text: "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
    }
    let result = try await send("https://127.0.0.1:\(receiver.port)/")
    #expect(result.problem?.contains("does not speak TLS") == true, "\(result)")
    try await receiver.close()
    #expect(
      MessageFailure.plain(
        "sslError([Error: 268435612 error:1000009c:SSL routines:OPENSSL_internal:HTTP_REQUEST at "
          + "/build/ssl/tls_record.cc:153])") == "http request")
  }

  // MARK: - The line

  @Test("failures in a row pause a receiver, until somebody asks to send at once") func line() {
    var line = SendingLine()
    func end(_ number: Int, _ receiver: Receiver, _ result: (Attempt) -> AttemptResult) {
      let attempt = Self.attempt("http://127.0.0.1/", Int64(number), of: receiver)
      line.begin(attempt)
      line.end(result(attempt))
    }
    let receiver = Receiver(webhook: 1, wakes: 0)
    let most = ServiceLimits.webhookFailuresMax
    for number in 0..<2 * most { end(number, receiver) { .init($0, postponed: "no connection") } }
    #expect(line.limits().isEmpty, "what did not come to the receiver is no failure of it")
    for number in 0..<2 * most { end(number, receiver) { .init($0, status: 500, problem: "no") } }
    #expect(line.limits() == [receiver: 0])
    let later = ContinuousClock.now + .seconds(ServiceLimits.webhookPauseSecondsMax + 1)
    #expect(line.limits(at: later) == [receiver: 1])
    let awake = Receiver(webhook: 1, wakes: 1)
    #expect(line.limits()[awake] == nil, "nothing holds it back")
    end(1, awake) { .init($0, status: 500, problem: "no") }
    #expect(line.limits().isEmpty, "what was before is forgotten")
  }
}
