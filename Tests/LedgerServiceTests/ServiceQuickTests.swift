import Foundation
import HTTPTypes
import LedgerEvents
import LedgerHistories
import LedgerStore
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import ServiceAccess
import Testing

@testable import LedgerService

/// Verdicts that are answered where the connection is read, beside those of the usual way.
@Suite("Verdicts that are answered at once", .timeLimit(.minutes(20))) struct ServiceQuickTests {
  /// The headers that a request of its own has, and those that only the server adds.
  private static let own = ["daybook-request", "date", "server"]

  /// The headers of an answer, but for those of the request alone.
  private static func headers(_ reply: Reply) -> [String] {
    reply.headers.map { "\($0.name.canonicalName): \($0.value)" }.filter { line in
      !own.contains { line.hasPrefix($0 + ":") }
    }
  }

  /// Compares both ways, and returns whether the request was answered at once.
  private static func compare(
    _ bench: ServiceBench, _ address: String, headers: [String: String] = [:],
    token: String? = nil
  ) async throws -> Bool {
    let usual = try await bench.get(address, headers: headers, token: token)
    let quick = try await bench.quickly(address, headers: headers, token: token)
    guard let quick else { return false }
    #expect(quick.status == usual.status, "\(address)")
    #expect(quick.body == usual.body, "\(address)")
    #expect(Self.headers(quick) == Self.headers(usual), "\(address)")
    #expect(quick.header("Server") == "daybook" && quick.header("Date")?.hasSuffix("GMT") == true)
    #expect(quick.header("Daybook-Request") != nil)
    return true
  }

  @Test("say word for word what the usual way says", arguments: [1, 2, 3] as [UInt64])
  func same(seed: UInt64) async throws {
    try await ServiceBench.run { bench in
      let events = Histories.dense(seed: seed)
      try bench.append(events)
      try bench.ledger.fold()
      let accounts = Set(events.compactMap(\.event.account?.text)).sorted()
      let products = Set(events.compactMap(\.event.product?.text)).sorted()
      // The first question opens the ledger for those that follow.
      _ = try await bench.get("/v1/verdict?account=\(accounts.count)&product=none")
      for account in accounts {
        let name = account.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? account
        for product in products + ["none"] {
          for more in ["", "&environment=sandbox", "&environment=production&environment=xcode"] {
            let item = product.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            let address = "/v1/verdict?account=\(name)&product=\(item ?? product)\(more)"
            #expect(
              try await Self.compare(bench, address, headers: ["traceparent": "00-a-b-01"]),
              "seed \(seed): \(address)")
          }
        }
        #expect(try await Self.compare(bench, "/v1/verdict?entitlement=gold&account=\(name)"))
      }
      #expect(try await Self.compare(bench, "/v1/verdict?account=nobody+%2B+%22%00&product=x"))
    }
  }

  @Test("are none where more than a lookup is needed, or something is wrong") func others()
    async throws
  {
    try await ServiceBench.run { bench in
      #expect(try await bench.append([Line.purchase("t1", of: "ada")]).status == 200)
      let plain = "/v1/verdict?account=ada&product=map"
      // What is not folded yet may take longer than a lookup.
      #expect(try await bench.quickly(plain) == nil)
      try bench.ledger.fold()
      _ = try await bench.get(plain)
      #expect(try await Self.compare(bench, plain))
      let queries = [
        "&at=2026-03-01", "&atLeast=1", "&signed=true&audience=a", "&nonce=a", "&product=other",
        "&entitlement=x", "&environment=none", "&account=b", "&x=1", "&at=", "&%zz=1", "&=",
      ]
      for query in queries {
        #expect(try await bench.quickly(plain + query) == nil, "\(query)")
      }
      for path in [
        "/v1/verdict", "/v1/verdict?", "/v1/verdict?account=ada", "/v1/verdict?product=map",
        "/v1/verdict/?account=ada&product=map", "//v1/verdict?account=ada&product=map",
        "/v1/verdicts?account=ada&product=map", "/v1/entitlements?account=ada",
        "http://localhost/v1/verdict?account=ada&product=map", "*", "",
      ] {
        #expect(try await bench.quickly(path) == nil, "\(path)")
      }
      for method in [HTTPRequest.Method.head, .post, .options, .put, .delete] {
        #expect(try await bench.quickly(plain, method) == nil, "\(method)")
      }
      for header in [
        ["Content-Length": "0"], ["Content-Length": "5"], ["Transfer-Encoding": "chunked"],
        ["Expect": "100-continue"], ["Upgrade": "h2c"], ["Connection": "close"],
        ["Connection": "Upgrade"], ["Connection": "keep-alive, close"],
        // Without tokens, another site's page is refused.
        ["Origin": "https://evil.example"], ["Sec-Fetch-Site": "cross-site"],
      ] {
        #expect(try await bench.quickly(plain, headers: header) == nil, "\(header)")
      }
      #expect(try await Self.compare(bench, plain, headers: ["Connection": "keep-alive"]))
      #expect(try await Self.compare(bench, plain, headers: ["If-None-Match": "*", "Accept": "a"]))
    }
  }

  @Test("are for those alone who may ask about everybody, until the token is revoked")
  func access() async throws {
    try await ServiceBench.run(.init(hasTokens: true)) { bench in
      let all = try bench.token("all", [.read, .append])
      let line = Line.purchase("t1", of: "ada", app: "com.example.tides")
      #expect(try await bench.append([line], token: all).status == 200)
      try bench.ledger.fold()
      let plain = "/v1/verdict?account=ada&product=map"
      _ = try await bench.get(plain, token: all)
      #expect(try await Self.compare(bench, plain, token: all))
      let others = [
        nil, "nonsense", all + "x", String(all.dropLast()) + (all.hasSuffix("A") ? "B" : "A"),
        try bench.token("writer", [.append]), try bench.token("ada", [.read], account: "ada"),
        try bench.token("eve", [.read], account: "eve"),
        try bench.token("tides", [.read], apps: ["com.example.tides"]),
        try bench.token("other", [.read], apps: ["com.example.other"]),
      ]
      for token in others { #expect(try await bench.quickly(plain, token: token) == nil) }
      try TokenStore(ledger: bench.path).revoke("all")
      #expect(try await bench.quickly(plain, token: all) == nil)
      #expect(try await bench.get(plain, token: all).status == 401)
    }
  }

  @Test("count for the rate of their token, and are noted like others") func counted()
    async throws
  {
    let lines = KeptLines()
    try await ServiceBench.run(
      .init(hasTokens: true, audit: lines.logger, rate: .init(perSecond: 1, burst: 6))
    ) { bench in
      let token = try bench.token("all", [.read, .append])
      #expect(try await bench.append([Line.purchase("t1", of: "ada")], token: token).status == 200)
      try bench.ledger.fold()
      let plain = "/v1/verdict?account=ada&product=map"
      _ = try await bench.get(plain, token: token)
      #expect(try await Self.compare(bench, plain, token: token))
      // A refusal counts nothing, here and there: after six, there is none.
      #expect(try await bench.quickly(plain + "&x=1", token: token) == nil)
      for _ in 0..<2 { #expect(try await bench.quickly(plain, token: token) != nil) }
      for _ in 0..<3 { #expect(try await bench.quickly(plain, token: token) == nil) }
      #expect(try await bench.get(plain, token: token).status == 429)
      let notes = lines.all.map { line in
        var metadata = line.metadata
        metadata["request"] = nil
        metadata["hb.request.id"] = nil
        return metadata
      }
      #expect(notes.count == 5 && Set(notes).count == 1, "\(notes)")
      #expect(notes.first?["about"] == "account ada" && notes.first?["route"] == "/v1/verdict")
      #expect(notes.first?["token"] == "all" && notes.first?["position"] == "1")
    }
  }

  // MARK: - Order

  private static let plain = "/v1/verdict?account=ada&product=map"

  private static func run(
    _ body: (NIOAsyncTestingChannel) async throws -> Void
  ) async throws {
    try await ServiceBench.run { bench in
      #expect(try await bench.append([Line.purchase("t1", of: "ada")]).status == 200)
      try bench.ledger.fold()
      _ = try await bench.get(plain)
      let channel = NIOAsyncTestingChannel()
      try await channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
      try await channel.testingEventLoop.executeInContext {
        try channel.pipeline.syncOperations.addHandler(QuickAnswerHandler(bench.verdicts))
      }
      try await body(channel)
    }
  }

  private static func ask(
    _ channel: NIOAsyncTestingChannel, _ method: HTTPRequest.Method = .get,
    _ address: String = plain, _ headers: [String: String] = [:]
  ) async throws {
    let head = try ServiceBench.head(method, address, headers)
    // Both are read at once, as they come from a socket.
    try await channel.testingEventLoop.executeInContext {
      let pipeline = channel.pipeline.syncOperations
      pipeline.fireChannelRead(NIOAny(HTTPRequestPart.head(head)))
      pipeline.fireChannelRead(NIOAny(HTTPRequestPart.end(nil)))
      pipeline.fireChannelReadComplete()
    }
  }

  private static func answer(_ channel: NIOAsyncTestingChannel, _ status: Int) async throws {
    try await channel.writeOutbound(HTTPResponsePart.head(.init(status: .init(code: status))))
    try await channel.writeOutbound(HTTPResponsePart.end(nil))
  }

  /// The status of each whole answer that has been written.
  private static func answers(_ channel: NIOAsyncTestingChannel) async throws -> [Int] {
    var (found, open) = ([Int](), [Int]())
    while let part = try await channel.readOutbound(as: HTTPResponsePart.self) {
      switch part {
      case .head(let head): open.append(head.status.code)
      case .body: break
      case .end: found.append(open.removeFirst())
      }
    }
    #expect(open.isEmpty)
    return found
  }

  /// How many requests were passed on, each of which has its end.
  private static func passed(_ channel: NIOAsyncTestingChannel) async throws -> Int {
    var (heads, ends) = (0, 0)
    while let part = try await channel.readInbound(as: HTTPRequestPart.self) {
      switch part {
      case .head:
        heads += 1
        #expect(heads == ends + 1)
      case .body: break
      case .end: ends += 1
      }
    }
    #expect(heads == ends)
    return heads
  }

  @Test("never overtake an answer that is under way") func order() async throws {
    try await Self.run { channel in
      try await Self.ask(channel)
      #expect(try await Self.answers(channel) == [200])
      #expect(try await Self.passed(channel) == 0)
      try await Self.ask(channel, .post, "/v1/events", ["Content-Length": "0"])
      for _ in 0..<3 { try await Self.ask(channel) }
      #expect(try await Self.answers(channel) == [])
      #expect(try await Self.passed(channel) == 4)
      for status in [201, 202, 203] { try await Self.answer(channel, status) }
      try await Self.ask(channel)
      #expect(try await Self.passed(channel) == 1, "one of four is still under way")
      for status in [204, 205] { try await Self.answer(channel, status) }
      try await Self.ask(channel)
      #expect(try await Self.answers(channel) == [201, 202, 203, 204, 205, 200])
      #expect(try await Self.passed(channel) == 0)
    }
  }

  @Test("wait for the whole of a request, and leave what has more to the usual way")
  func parts() async throws {
    try await Self.run { channel in
      let head = try ServiceBench.head(.get, Self.plain)
      try await channel.writeInbound(HTTPRequestPart.head(head))
      // What was read ends here, so that nobody waits for what may not come.
      #expect(try await Self.answers(channel) == [])
      try await channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "smuggled")))
      try await channel.writeInbound(HTTPRequestPart.end([.contentType: "text/plain"]))
      #expect(try await Self.passed(channel) == 1)
      #expect(try await Self.answers(channel) == [])
    }
  }

  @Test(
    "are none after a request that ends the connection, or makes another of it",
    arguments: [["Connection": "close"], ["Connection": "Upgrade", "Upgrade": "websocket"]])
  func over(_ headers: [String: String]) async throws {
    try await Self.run { channel in
      try await Self.ask(channel, .get, Self.plain, headers)
      try await Self.answer(channel, 200)
      try await Self.ask(channel)
      #expect(try await Self.passed(channel) == 2)
      #expect(try await Self.answers(channel) == [200])
    }
  }

  private struct Broken: Error {}

  @Test("are none after what is no HTTP") func broken() async throws {
    try await Self.run { channel in
      try await channel.testingEventLoop.executeInContext {
        channel.pipeline.fireErrorCaught(Broken())
      }
      await #expect(throws: Broken.self) { try await channel.throwIfErrorCaught() }
      try await Self.ask(channel)
      #expect(try await Self.answers(channel) == [])
      #expect(try await Self.passed(channel) == 1)
    }
  }

  @Test("are none while the client does not take what it was sent") func stalled() async throws {
    try await Self.run { channel in
      channel.isWritable = false
      try await Self.ask(channel)
      #expect(try await Self.answers(channel) == [])
      #expect(try await Self.passed(channel) == 1)
    }
  }
}
