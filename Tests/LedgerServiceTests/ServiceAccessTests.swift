import Foundation
import LedgerEvents
import LedgerQueries
import LedgerStore
import ServiceAccess
import Testing

@testable import LedgerService

/// Who is told what.
// A token that is let in where it must not be would read a stream without an end.
@Suite("A token at the service", .timeLimit(.minutes(20))) struct ServiceTokenTests {
  /// Customers of two apps. Whatever belongs to anybody but Ada has a name with `hidden` in it.
  private static func events(app: String?) -> [String] {
    [
      Line.purchase("t-ada", of: "ada", app: app),
      Line.purchase("hidden-bob", of: "hidden-b", app: "app.b", product: "hidden-product"),
      Line.purchase("hidden-both-1", of: "hidden-both", app: app),
      Line.purchase("hidden-both-2", of: "hidden-both", app: "app.b"),
      Line.purchase("hidden-linked", of: "hidden-linked", app: app),
      #"{"id":"link","type":"account.linked","occurredAt":"2026-02-01T12:01:00Z","#
        + #""account":"hidden-linked","data":{"to":"hidden-b"}}"#,
      Line.purchase("hidden-nobody", of: nil, app: "app.b"),
    ]
  }

  /// Every way to ask about customers, with somebody's names.
  private static func questions(account: String, transaction: String) -> [String] {
    let named = ["account=\(account)", "transaction=\(transaction)", "original=\(transaction)"]
    let paths = [
      "/v1/entitlements?", "/v1/transactions?", "/v1/installed?", "/v1/findings?",
      "/v1/diff?from=0&", "/v1/explain?name=map&", "/v1/explain?name=hidden-product&",
    ]
    return paths.flatMap { path in named.map { path + $0 } }
  }

  /// Every way to ask about somebody unnamed.
  private static let broad = [
    "/v1/customer?id=ada", "/v1/customer?id=hidden-b", "/v1/customer?id=hidden-bob",
    "/v1/customer?id=phone-hidden-bob", "/v1/customer?id=hidden", "/v1/customers",
    "/v1/customers?search=hidden-b", "/v1/customers?search=phone-hidden-bob",
    "/v1/holders?product=map", "/v1/holders?product=hidden-product", "/v1/findings",
    "/v1/findings?explain", "/v1/diff?from=0", "/v1/events", "/v1/events?reverse",
    "/v1/events?count", "/v1/events?follow", "/v1/events?follow&from=1",
    "/v1/events?transaction=hidden-bob", "/v1/events?original=hidden-bob",
    "/v1/events?product=map", "/v1/events?device=phone-hidden-bob",
    "/v1/events?type=transaction.*", "/v1/events?source=app", "/v1/events?from=2&to=2",
    "/v1/events/1", "/v1/events/2", "/v1/events?cursor=7-1770000000000000-0",
    "/v1/events?by=account", "/v1/events?by=product,device&product=map",
    "/v1/events?sum=quantity&by=account", "/v1/findings?by=account", "/v1/findings?count",
    "/v1/findings?incidents", "/v1/health", "/v1/catalog", "/v1/catalog/history?product=map",
    "/v1/catalog/invalid", "/v1/catalog/payments", "/v1/content/updates",
    "/v1/content/updates?count&device=phone-hidden-bob", "/v1/replay?from=1",
    "/v1/transactions/all", "/v1/transactions/ownerless", "/v1/installed/outdated",
    "/v1/replay?transaction=hidden-bob", "/v1/replay?account=hidden-b&format=html",
  ]

  private static let byAdmins = ["/metrics", "/v1/stats"]

  @Test("is needed, and has to be one of the ledger's") func unknown() async throws {
    try await ServiceBench.run(.guarded) { bench in
      let real = try bench.token("real", [.admin])
      let guarded = Self.broad + Self.byAdmins + ["/v1/rules", "/v1/types"]
      for address in guarded {
        let none = try await bench.get(address)
        #expect(none.status == 401, "\(address)")
        #expect(none.problem == "unauthenticated")
        #expect(none.header("WWW-Authenticate") == "Bearer realm=\"daybook\"")
        let other = String(real.dropLast()) + (real.hasSuffix("A") ? "E" : "A")
        let wrong = try await bench.get(address, token: other)
        #expect(wrong.status == 401, "\(address)")
      }
      for value in ["Basic \(real)", real, "Bearer", "Bearer  ", "Bearer \(real) x"] {
        let reply = try await bench.get("/v1/rules", headers: ["Authorization": value])
        #expect(reply.status == 401, "\(value)")
      }
      #expect(try await bench.append([Line.note("a")]).status == 401)
      #expect(try bench.lastPosition() == 0)
      for open in ["/health", "/ready", "/version"] {
        #expect(try await bench.get(open).status == 200)
      }
      #expect(try await bench.get("/v1/rules", token: real).status == 200)
      let lower = try await bench.get("/v1/rules", headers: ["Authorization": "bearer \(real)"])
      #expect(lower.status == 200)
    }
  }

  @Test("does what its scopes say and nothing else") func scopes() async throws {
    try await ServiceBench.run(.guarded) { bench in
      try bench.fill(Self.events(app: "app.a"))
      let reader = try bench.token("reader", [.read])
      let writer = try bench.token("writer", [.append])
      let admin = try bench.token("admin", [.admin])
      for address in ["/v1/events", "/v1/customers", "/v1/entitlements?account=ada"] {
        #expect(try await bench.get(address, token: reader).status == 200)
        #expect(try await bench.get(address, token: writer).problem == "forbidden")
        #expect(try await bench.get(address, token: admin).status == 200)
      }
      for address in Self.byAdmins {
        #expect(try await bench.get(address, token: reader).problem == "forbidden")
        #expect(try await bench.get(address, token: writer).problem == "forbidden")
        #expect(try await bench.get(address, token: admin).status == 200)
      }
      let line = [Line.purchase("t9", of: "ada")]
      #expect(try await bench.append(line, token: reader).problem == "forbidden")
      #expect(try await bench.append(line, token: writer).status == 200)
      #expect(try await bench.append(line, token: admin).status == 200)
    }
  }

  @Test("for one account gets nobody else's answer") func account() async throws {
    try await ServiceBench.run(.guarded) { bench in
      try bench.fill(Self.events(app: "app.a"))
      let token = try bench.token("ada", [.read], account: "ada")
      let others = Self.questions(account: "hidden-b", transaction: "hidden-bob")
      // Whose transaction it is, only the ledger knows: not even her own is answered.
      let own = Self.questions(account: "ada", transaction: "t-ada")
      let refused =
        Self.broad + Self.byAdmins + others + own.filter { !$0.contains("account=ada") } + [
          "/v1/events?account=hidden-b", "/v1/events?%61ccount=hidden-b", "/v1/events?account=Ada",
          "/v1/events?account=ada%00", "/v1/entitlements?account=ada%20",
        ]
      for address in refused {
        let reply = try await bench.get(address, token: token)
        #expect([400, 403].contains(reply.status), "\(address): \(reply.status)")
        #expect(!reply.body.contains("hidden"), "\(address): \(reply.body)")
      }
      for address in [
        "/v1/entitlements?account=ada&account=hidden-b", "/v1/events?account=hidden-b&account=ada",
        "/v1/entitlements?account=ada&transaction=hidden-bob",
        "/v1/findings?account=ada&original=hidden-bob",
      ] {
        #expect(try await bench.get(address, token: token).status == 400, "\(address)")
      }
      let answered =
        own.filter { $0.contains("account=ada") && !$0.contains("hidden") } + [
          "/v1/events?account=ada", "/v1/events?account=ada&count",
          "/v1/events?account=ada&transaction=hidden-bob", "/v1/events?account=ada&by=account",
          "/v1/events?account=ada&sum=quantity&by=product", "/v1/findings?account=ada&by=account",
        ]
      for address in answered {
        let reply = try await bench.get(address, token: token)
        #expect(reply.status == 200, "\(address): \(reply.body)")
        #expect(!reply.body.contains("hidden"), "\(address): \(reply.body)")
      }
      #expect(try await bench.get("/v1/events?account=ada", token: token).items().count == 1)
      let append = try await bench.append([Line.purchase("t9", of: "ada")], token: token)
      #expect(append.problem == "forbidden")
    }
  }

  @Test("for one app gets no answer about a customer of another app") func app() async throws {
    try await ServiceBench.run(.guarded) { bench in
      try bench.fill(Self.events(app: "app.a"))
      let token = try bench.token("a", [.read, .append], apps: ["app.a"])
      for (account, transaction) in [
        ("hidden-b", "hidden-bob"), ("hidden-both", "hidden-both-1"),
        ("hidden-both", "hidden-both-2"), ("hidden-linked", "hidden-linked"),
        ("hidden-none", "hidden-nobody"), ("hidden-none", "hidden-none"),
      ] {
        for address in Self.questions(account: account, transaction: transaction) {
          let reply = try await bench.get(address, token: token)
          #expect(reply.status == 404, "\(address): \(reply.body)")
          #expect(!reply.body.contains("hidden"), "\(address): \(reply.body)")
        }
      }
      for address in Self.broad + Self.byAdmins + ["/v1/events?app=app.b", "/v1/events?app=app.A"] {
        let reply = try await bench.get(address, token: token)
        #expect(reply.status == 403, "\(address): \(reply.body)")
        #expect(!reply.body.contains("hidden"), "\(address): \(reply.body)")
      }
      for address in Self.questions(account: "ada", transaction: "t-ada")
      where !address.contains("hidden") {
        let reply = try await bench.get(address, token: token)
        #expect(reply.status == 200, "\(address): \(reply.body)")
        #expect(!reply.body.contains("hidden"), "\(address): \(reply.body)")
      }
      let events = try await bench.get("/v1/events?app=app.a", token: token)
      #expect(try events.items().map { $0["position"] as? Int } == [1, 3, 5])
    }
  }

  @Test("for one app appends that app's events alone") func appAppends() async throws {
    try await ServiceBench.run(.guarded) { bench in
      let token = try bench.token("a", [.append], apps: ["app.a"])
      let reply = try await bench.append(
        [
          Line.purchase("t1", of: "ada", app: "app.b"),
          Line.purchase("t2", of: "ada", app: "app.a"),
          Line.purchase("t3", of: "ada"),
        ], token: token)
      #expect(reply.status == 422)
      #expect(
        try reply.objects().map { $0["status"] as? String } == ["rejected", "appended", "rejected"])
      let whole = try await bench.append(
        [Line.purchase("t4", of: "ada", app: "app.a"), Line.purchase("t5", of: "ada")],
        query: "?atomic", token: token)
      #expect(whole.problem == "forbidden")
      #expect(try bench.lastPosition() == 1)
    }
  }

  @Test("needs the scope operate for what operators decide") func operate() async throws {
    try await ServiceBench.run(.guarded) { bench in
      let writer = try bench.token("writer", [.append])
      let both = try bench.token("both", [.append, .operate])
      var lines: [String] = []
      for kind in EventKind.allCases where kind.isOperators {
        lines.append(try #require(kind.example, "\(kind)"))
      }
      #expect(lines.count > 5)
      let refused = try await bench.append(lines, token: writer)
      #expect(refused.status == 422)
      for answer in try refused.objects() {
        #expect((answer["refused"] as? String)?.contains("operate") == true, "\(answer)")
      }
      #expect(try bench.lastPosition() == 0)
      let taken = try await bench.append(lines, token: both)
      #expect(taken.status == 200, "\(taken.body)")
    }
  }

  @Test("that was revoked, or has expired, is refused at the next request") func revoked()
    async throws
  {
    try await ServiceBench.run(.guarded) { bench in
      let store = TokenStore(ledger: bench.path)
      let text = try bench.token("gone", [.admin])
      let other = try bench.token("other", [.admin])
      for address in ["/v1/events", "/v1/stats", "/v1/rules"] {
        #expect(try await bench.get(address, token: text).status == 200)
      }
      try store.revoke("gone")
      for address in ["/v1/events", "/v1/stats", "/v1/rules"] {
        #expect(try await bench.get(address, token: text).status == 401)
      }
      #expect(try await bench.append([Line.purchase("t", of: "a")], token: text).status == 401)
      #expect(try await bench.get("/v1/events", token: other).status == 200)
      let old = try store.create(
        AccessToken(
          name: "old", scopes: [.read], createdAt: Instant(microseconds: 1),
          expiresAt: Instant(microseconds: 2)))
      #expect(try await bench.get("/v1/events", token: old).status == 401)
      // A list that cannot be read lets nobody in.
      try Data("{".utf8).write(to: URL(filePath: store.path))
      #expect(try await bench.get("/v1/events", token: other).status == 503)
    }
  }
}
