import Foundation
import HTTPTypes
import LedgerEvents
import LedgerStore
import NIOCore
import ServiceAccess
import Testing

@testable import LedgerService

/// Ways around the restrictions of a token that were open once.
@Suite("A restricted token", .timeLimit(.minutes(20))) struct ServiceSeparationTests {
  private static var guarded: ServiceBench.Limits {
    var limits = ServiceBench.Limits()
    limits.hasTokens = true
    return limits
  }

  private static func sandbox(_ transaction: String, app: String, product: String) -> String {
    Line.purchase(transaction, of: "hidden-s", app: app, product: product)
      .replacing(#""type""#, with: #""environment":"sandbox","type""#)
  }

  private static func fill(_ bench: ServiceBench) throws {
    let decoder = EventDecoder()
    let inputs = try [
      Line.purchase("t-ada", of: "ada", app: "app.a"),
      Line.purchase("hidden-bob", of: "hidden-b", app: "app.b", product: "hidden-product"),
      Line.purchase("hidden-free", of: nil, app: "app.b"),
      Line.purchase("own-free", of: nil, app: "app.a"),
      sandbox("s-1", app: "app.a", product: "map"),
      sandbox("s-2", app: "app.b", product: "hidden-product"),
      Line.purchase("any-1", of: "hidden-any", product: "hidden-product"),
    ].enumerated().map { number, line in
      try decoder.decode(line: Array(line.utf8), number: number + 1)
    }
    try bench.ledger.appendAndWait(inputs, options: AppendOptions())
  }

  private func act(
    _ bench: ServiceBench, _ kind: String, _ body: String, token: String
  ) async throws -> Reply {
    try await Reply(
      try await bench.response(
        .post, "/v1/acts/\(kind)", headers: ["Content-Type": "application/json"],
        body: ByteBuffer(string: body), token: token))
  }

  @Test("asks in no environment about a customer who has another app in it")
  func environments() async throws {
    try await ServiceBench.run(Self.guarded) { (bench: ServiceBench) async throws in
      try Self.fill(bench)
      let token = try bench.token("a", [.read], apps: ["app.a"])
      for path in ["transactions", "entitlements", "installed"] {
        for name in ["transaction", "original"] {
          let address = "/v1/\(path)?\(name)=s-1&environment=sandbox"
          let reply = try await bench.get(address, token: token)
          #expect(reply.status == 404, "\(address): \(reply.body)")
          #expect(!reply.body.contains("hidden"), "\(address)")
        }
      }
      // A purchase that nobody owns is its own app's.
      let own = try await bench.get("/v1/transactions?transaction=own-free", token: token)
      #expect(own.status == 200)
      let other = try await bench.get("/v1/transactions?transaction=hidden-free", token: token)
      #expect(other.status == 404)
    }
  }

  @Test("makes nobody a customer of its app by an event that it appends")
  func claims() async throws {
    try await ServiceBench.run(Self.guarded) { (bench: ServiceBench) async throws in
      try Self.fill(bench)
      let token = try bench.token("a", [.read, .append], apps: ["app.a"])
      let claim = Line.purchase("claim", of: "hidden-any", app: "app.a")
      #expect(try await bench.append([claim], token: token).status == 200)
      let reply = try await bench.get("/v1/transactions?account=hidden-any", token: token)
      #expect(reply.status == 404)
      #expect(!reply.body.contains("hidden-product"))
    }
  }

  @Test("names its apps by bytes") func bytes() async throws {
    try await ServiceBench.run(Self.guarded) { (bench: ServiceBench) async throws in
      let token = try bench.token("k", [.read, .append], apps: ["app.K"])
      // The Kelvin sign is K to who compares characters.
      let kelvin = Line.purchase("t1", of: "ada", app: "app.\u{212A}")
      #expect(try await bench.append([kelvin], token: token).problem == nil)
      #expect(try bench.lastPosition() == 0)
      let asked = try await bench.get("/v1/events?app=app.%E2%84%AA", token: token)
      #expect(asked.status == 403)
      let own = Line.purchase("t2", of: "ada", app: "app.K")
      #expect(try await bench.append([own], token: token).status == 200)
    }
  }

  @Test("acts on no purchase and no customer of another app, and is not told whose it is")
  func acts() async throws {
    try await ServiceBench.run(Self.guarded) { (bench: ServiceBench) async throws in
      try Self.fill(bench)
      let token = try bench.token("a", [.read, .operate], apps: ["app.a"])
      for (kind, body) in [
        ("assign", #"{"account":"ada","transaction":"hidden-bob","reason":"x"}"#),
        ("assign", #"{"account":"ada","transaction":"hidden-free","reason":"x"}"#),
        ("note", #"{"account":"ada","transaction":"hidden-bob","text":"x"}"#),
        ("grant", #"{"id":"purchase-t-ada","account":"hidden-b","product":"map","reason":"x"}"#),
        ("transfer", #"{"id":"purchase-t-ada","account":"hidden-b","to":"ada","reason":"x"}"#),
      ] {
        for query in ["", "?dryRun=true"] {
          let reply = try await act(bench, kind + query, body, token: token)
          #expect(reply.status == 404, "\(kind)\(query): \(reply.body)")
          #expect(!reply.body.contains("hidden-b"), "\(reply.body)")
        }
      }
      let own = #"{"account":"ada","transaction":"own-free","reason":"x"}"#
      #expect(try await act(bench, "assign", own, token: token).status == 200)
    }
  }

  @Test("makes no condition about a customer of another app") func conditions() async throws {
    try await ServiceBench.run(Self.guarded) { (bench: ServiceBench) async throws in
      try Self.fill(bench)
      let token = try bench.token("a", [.append], apps: ["app.a"])
      func append(_ id: String, _ query: String) async throws -> Reply {
        try await bench.append(
          [Line.purchase(id, of: "ada", app: "app.a")], query: query,
          headers: ["If-Match": "\"0\""], token: token)
      }
      // Whether there is one must not be seen.
      for name in ["account=hidden-b", "account=nobody", "transaction=hidden-bob", "original=x"] {
        #expect(try await append("n1", "?\(name)").problem == "not-found", "\(name)")
      }
      #expect(try await append("n1", "?product=hidden-product").problem == "forbidden")
      #expect(try await append("n1", "?account=ada").problem == "condition-failed")
    }
  }

  @Test("gets no replay as a page, as it gets none as an answer") func incidents() async throws {
    try await ServiceBench.run(Self.guarded) { (bench: ServiceBench) async throws in
      try Self.fill(bench)
      for token in [
        try bench.token("ada", [.read], account: "ada"),
        try bench.token("a", [.read], apps: ["app.a"]),
      ] {
        let cookie = try await bench.signIn(token)
        let page = try await bench.page("/incident?account=ada", cookie: cookie)
        #expect(page.status == 403)
        let customer = try await bench.page("/customer?account=ada", cookie: cookie)
        #expect(customer.status == 200)
        #expect(!customer.body.contains("/incident?"))
      }
    }
  }

  @Test("that is revoked ends the streams that it began") func revokedStream() async throws {
    try await ServiceBench.run(Self.guarded) { (bench: ServiceBench) async throws in
      let (gone, stays) = (try bench.token("gone", [.read]), try bench.token("stays", [.read]))
      let (one, other) = (Follower(), Follower())
      let ends = try await bench.follow(one, after: 0, token: gone)
      let goesOn = try await bench.follow(other, after: 0, token: stays)
      try Self.fill(bench)
      await one.wait(for: 7)
      try TokenStore(ledger: bench.path).revoke("gone")
      let writer = try bench.token("writer", [.admin])
      #expect(try await bench.append([Line.note("more")], token: writer).status == 200)
      try await ends.value
      await other.wait(for: 8)
      #expect(await one.positions == Array(1...7))
      goesOn.cancel()
      do { try await goesOn.value } catch is CancellationError {}
    }
  }
}
