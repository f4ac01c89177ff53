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
  private static func sandbox(_ transaction: String, app: String, product: String) -> String {
    Line.purchase(transaction, of: "hidden-s", app: app, product: product)
      .replacing(#""type""#, with: #""environment":"sandbox","type""#)
  }

  private static func fill(_ bench: ServiceBench) throws {
    try bench.fill([
      Line.purchase("t-ada", of: "ada", app: "app.a"),
      Line.purchase("hidden-bob", of: "hidden-b", app: "app.b", product: "hidden-product"),
      Line.purchase("hidden-free", of: nil, app: "app.b"),
      Line.purchase("own-free", of: nil, app: "app.a"),
      sandbox("s-1", app: "app.a", product: "map"),
      sandbox("s-2", app: "app.b", product: "hidden-product"),
      Line.purchase("any-1", of: "hidden-any", product: "hidden-product"),
    ])
  }

  @Test("asks in no environment about a customer who has another app in it")
  func environments() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
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
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      try Self.fill(bench)
      let token = try bench.token("a", [.read, .append], apps: ["app.a"])
      let claim = Line.purchase("claim", of: "hidden-any", app: "app.a")
      #expect(try await bench.append([claim], token: token).status == 422)
      let writer = try bench.token("all", [.admin])
      #expect(try await bench.append([claim], token: writer).status == 200)
      let reply = try await bench.get("/v1/transactions?account=hidden-any", token: token)
      #expect(reply.status == 404)
      #expect(!reply.body.contains("hidden-product"))
    }
  }

  @Test("appends nothing about a customer or a purchase of another app")
  func appends() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      try Self.fill(bench)
      let before = try bench.lastPosition()
      let token = try bench.token("a", [.append], apps: ["app.a"])
      let foreign = [
        Line.purchase("new", of: "hidden-b", app: "app.a"),
        // That states no account, and no app, can be anybody's.
        Line.purchase("new", of: "hidden-any", app: "app.a"),
        Line.purchase("hidden-free", of: "ada", app: "app.a").replacing("purchase-h", with: "h"),
        Self.refund("hidden-bob", original: nil), Self.refund("hidden-free", original: nil),
        Self.refund("any-1", original: nil), Self.refund("new", original: "hidden-bob"),
        Self.refund("s-2", original: nil),
      ]
      for line in foreign {
        let reply = try await bench.append([line], token: token)
        #expect(reply.status == 422, "\(line): \(reply.body)")
        #expect(reply.body.contains("is for some apps"), "\(reply.body)")
      }
      // One of them, and nothing of the whole is appended.
      let own = Line.purchase("t-new", of: "ada", app: "app.a")
      let whole = try await bench.append([own, foreign[0]], query: "?atomic=true", token: token)
      #expect(whole.problem == "forbidden")
      #expect(try bench.lastPosition() == before)
      // Line by line, its own is.
      let mixed = try await bench.append([foreign[0], own], token: token)
      #expect(try mixed.objects().map { $0["status"] as? String } == ["rejected", "appended"])
    }
  }

  @Test("appends about its own customers and purchases, about new ones, and the same again")
  func ownAppends() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      try Self.fill(bench)
      let token = try bench.token("a", [.append], apps: ["app.a"])
      let own = [
        Line.purchase("t-2", of: "ada", app: "app.a"),
        Line.purchase("t-3", of: "somebody new", app: "app.a"),
        Self.refund("t-ada", original: nil), Self.refund("own-free", original: nil),
        Self.refund("t-3", original: "t-2"),
      ]
      #expect(try await bench.append(own, token: token).status == 200)
      // Ada becomes a customer of the other app, too.
      let writer = try bench.token("both", [.append], apps: ["app.a", "app.b"])
      let other = Line.purchase("t-b", of: "ada", app: "app.b")
      #expect(try await bench.append([other], token: writer).status == 200)
      let repeated = try await bench.append(own, token: token)
      #expect(repeated.status == 200, "\(repeated.body)")
      let late = Line.purchase("t-4", of: "ada", app: "app.a")
      #expect(try await bench.append([late], token: token).status == 422)
      #expect(try await bench.append([late], token: writer).status == 200)
    }
  }

  @Test("links no customer of another app to one of its own") func links() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      try Self.fill(bench)
      let token = try bench.token("a", [.append, .operate], apps: ["app.a"])
      for (type, to) in [
        ("account.linked", "hidden-b"), ("account.transferred", "hidden-any"),
      ] {
        let line =
          #"{"id":"l-\#(to)","type":"\#(type)","occurredAt":"2026-02-01T12:01:00Z","#
          + #""app":"app.a","account":"ada","data":{"to":"\#(to)"}}"#
        #expect(try await bench.append([line], token: token).status == 422, "\(type)")
      }
    }
  }

  private static func refund(_ transaction: String, original: String?) -> String {
    let original = original.map { #","originalTransaction":"\#($0)""# } ?? ""
    return #"{"id":"refund-\#(transaction)\#(original.count)","type":"transaction.refunded","#
      + #""occurredAt":"2026-02-01T12:05:00Z","app":"app.a","#
      + #""transaction":"\#(transaction)"\#(original)}"#
  }

  @Test("names its apps by bytes") func bytes() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
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
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
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
          let reply = try await bench.act(kind + query, body, token: token)
          #expect(reply.status == 404, "\(kind)\(query): \(reply.body)")
          #expect(!reply.body.contains("hidden-b"), "\(reply.body)")
        }
      }
      let own = #"{"account":"ada","transaction":"own-free","reason":"x"}"#
      #expect(try await bench.act("assign", own, token: token).status == 200)
    }
  }

  @Test("makes no condition about a customer of another app") func conditions() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
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
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
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
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
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
