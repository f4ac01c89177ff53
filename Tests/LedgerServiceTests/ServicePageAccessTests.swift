import Foundation
import HTTPTypes
import HummingbirdCore
import LedgerEvents
import LedgerStore
import ServiceAccess
import Testing

@testable import LedgerService

/// Who sees which page, and who may do what there.
@Suite("Somebody at the pages", .timeLimit(.minutes(20))) struct ServicePageAccessTests {
  private static let pages = [
    "/", "/search?q=ada", "/customer?account=ada", "/why?account=ada&name=map", "/events/1",
    "/findings", "/incident?account=ada", "/live", "/compare?account=ada", "/acts", "/acts/grant",
    "/status",
  ]

  private static func fill(_ bench: ServiceBench) throws {
    try bench.fill([
      Line.purchase("t-ada", of: "ada", app: "app.a"),
      Line.purchase("hidden-bob", of: "hidden-b", app: "app.b", product: "hidden-product"),
      Line.purchase("hidden-both-1", of: "hidden-both", app: "app.a"),
      Line.purchase("hidden-both-2", of: "hidden-both", app: "app.b"),
    ])
  }

  @Test("signs in first, and comes to what was asked for") func signIn() async throws {
    try await ServiceBench.run(.guarded) { bench in
      try Self.fill(bench)
      for address in Self.pages {
        let reply = try await bench.page(address)
        #expect(reply.status == 303, "\(address)")
        #expect(reply.header("Location")?.hasPrefix("/sign-in") == true, "\(address)")
        #expect(!reply.body.contains("ada"))
      }
      let stream = try await bench.page("/live/stream")
      #expect(stream.status == 303)
      let first = try await bench.page("/customer?account=ada")
      #expect(first.header("Location") == "/sign-in?to=%2Fcustomer%3Faccount%3Dada")
      let token = try bench.token("support", [.read])
      let form = try await bench.page(try #require(first.header("Location")))
      #expect(form.status == 200)
      #expect(form.hidden("to") == "/customer?account=ada")
      let reply = try await bench.form(
        "/sign-in", [("token", " \(token)\n"), ("to", "/customer?account=ada")])
      #expect(reply.status == 303)
      #expect(reply.header("Location") == "/customer?account=ada")
      let cookie = try #require(reply.header("Set-Cookie"))
      #expect(cookie.contains("; HttpOnly; SameSite=Strict"))
      #expect(!cookie.contains("Secure"))
      #expect(!cookie.contains(token))
      let secret = String(cookie.prefix { $0 != ";" })
      #expect(try await bench.page("/customer?account=ada", cookie: secret).status == 200)
      let others = try await bench.page("/", cookie: "a=b; \(secret); c=d")
      #expect(others.status == 200)
      #expect(others.body.contains("Ada (token support)"))
    }
  }

  @Test("gets a cookie for TLS alone where there is TLS") func secure() async throws {
    try await ServiceBench.run(.guarded) { bench in
      let token = try bench.token("support", [.read])
      let reply = try await bench.form(
        "/sign-in", [("token", token)],
        headers: ["Sec-Fetch-Site": "same-origin", "X-Forwarded-Proto": "https"])
      let cookie = try #require(reply.header("Set-Cookie"))
      #expect(cookie.hasPrefix("__Host-daybook="))
      #expect(cookie.hasSuffix("; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure"))
    }
  }

  @Test("is sent nowhere else after signing in") func redirects() async throws {
    try await ServiceBench.run(.guarded) { bench in
      let token = try bench.token("support", [.read])
      for address in [
        "//evil.example", "https://evil.example", "/\\evil.example", "evil", "javascript:x",
        "/a\r\nSet-Cookie: x=y", "",
      ] {
        let reply = try await bench.form("/sign-in", [("token", token), ("to", address)])
        #expect(reply.header("Location") == "/", "\(address)")
        let form = try await bench.page("/sign-in?to=\(PageAddress.encoded(address))")
        #expect(form.hidden("to") == nil, "\(address)")
      }
    }
  }

  @Test("is not let in by a wrong token, or from another site") func refused() async throws {
    try await ServiceBench.run(.guarded) { bench in
      let token = try bench.token("support", [.read])
      let wrong = String(token.dropLast()) + (token.hasSuffix("A") ? "E" : "A")
      for text in ["", wrong, String(repeating: "x", count: 10_000), "<script>"] {
        let reply = try await bench.form("/sign-in", [("token", text)])
        #expect(reply.status == 401, "\(text.prefix(70))")
        #expect(reply.header("Set-Cookie") == nil)
        #expect(reply.body.contains("This token is not valid"))
      }
      for headers in [
        ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
        ["Origin": "https://evil.example"], ["Origin": "http://localhost.evil.example"],
      ] {
        let reply = try await bench.form("/sign-in", [("token", token)], headers: headers)
        #expect(reply.status == 403, "\(headers)")
        #expect(reply.header("Set-Cookie") == nil)
      }
      for headers in [["Origin": "http://localhost"], ["Origin": "null"], [:]] {
        #expect(
          try await bench.form("/sign-in", [("token", token)], headers: headers).status == 303)
      }
      let plain = try await bench.form(
        "/sign-in", [("token", token)], headers: ["Content-Type": "text/plain"])
      #expect(plain.status == 415)
    }
  }

  @Test("is out with the next request after a revocation, or after signing out")
  func ends() async throws {
    try await ServiceBench.run(.guarded) { bench in
      try Self.fill(bench)
      let ada = try await bench.signIn(try bench.token("ada", [.read]))
      let bob = try await bench.signIn(try bench.token("bob", [.read, .operate]))
      try TokenStore(ledger: bench.path).revoke("ada")
      #expect(try await bench.page("/customer?account=ada", cookie: ada).status == 303)
      #expect(try await bench.page("/customer?account=ada", cookie: bob).status == 200)
      let stranger = try await bench.form("/sign-out", [("form", "x")], cookie: bob)
      #expect(stranger.status == 403)
      #expect(try await bench.page("/", cookie: bob).status == 200)
      let token = try await bench.formToken(cookie: bob)
      let out = try await bench.form("/sign-out", [("form", token)], cookie: bob)
      #expect(out.status == 303)
      #expect(out.header("Set-Cookie")?.contains("Max-Age=0") == true)
      #expect(try await bench.page("/", cookie: bob).status == 303)
    }
  }

  @Test("sees what the scopes of the token say") func scopes() async throws {
    try await ServiceBench.run(.guarded) { bench in
      try Self.fill(bench)
      let reader = try await bench.signIn(try bench.token("reader", [.read]))
      let writer = try await bench.signIn(try bench.token("writer", [.append]))
      let admin = try await bench.signIn(try bench.token("admin", [.admin]))
      for address in Self.pages {
        let isAct = address.hasPrefix("/acts")
        let statuses = (
          try await bench.page(address, cookie: reader).status,
          try await bench.page(address, cookie: writer).status,
          try await bench.page(address, cookie: admin).status
        )
        let good = address.hasPrefix("/search") ? 303 : 200
        #expect(statuses == (isAct ? 403 : good, 403, good), "\(address)")
      }
      let home = try await bench.page("/", cookie: reader)
      #expect(!home.body.contains("href=\"/acts"))
      #expect(try await bench.page("/status", cookie: reader).body.contains("scope admin"))
      #expect(try await bench.page("/status", cookie: admin).body.contains("Events by type"))
    }
  }

  @Test("with a token for one account sees nobody else") func account() async throws {
    try await ServiceBench.run(.guarded) { bench in
      try Self.fill(bench)
      let cookie = try await bench.signIn(try bench.token("ada", [.read], account: "ada"))
      let own = [
        "/", "/customer?account=ada", "/why?account=ada&name=map",
        "/live", "/live?account=ada", "/compare?account=ada&from=0", "/status",
      ]
      for address in own {
        let reply = try await bench.page(address, cookie: cookie)
        #expect(reply.status == 200, "\(address): \(reply.body)")
        #expect(!reply.body.contains("hidden-"), "\(address): \(reply.body)")
      }
      #expect(try await bench.page("/search?q=ada", cookie: cookie).status == 303)
      for address in [
        "/search?q=hidden-b", "/customer?account=hidden-b", "/customer?transaction=hidden-bob",
        "/customer?original=t-ada", "/why?account=hidden-b&name=map",
        "/why?transaction=hidden-bob", "/events/1", "/events/2", "/findings",
        "/incident?account=hidden-b", "/incident?transaction=hidden-bob", "/incident?from=1&to=4",
        "/incident?account=ada",
        "/live?account=hidden-b", "/live/stream?account=hidden-b", "/compare?from=0",
        "/compare?account=hidden-b", "/acts",
      ] {
        let reply = try await bench.page(address, cookie: cookie)
        #expect(reply.status == 403, "\(address): \(reply.status)")
        #expect(!reply.body.contains("hidden-"), "\(address): \(reply.body)")
      }
    }
  }

  @Test("with a token for one app sees its customers alone") func app() async throws {
    try await ServiceBench.run(.guarded) { bench in
      try Self.fill(bench)
      let cookie = try await bench.signIn(try bench.token("a", [.read], apps: ["app.a"]))
      for address in ["/customer?account=ada", "/customer?transaction=t-ada", "/live?account=ada"] {
        let reply = try await bench.page(address, cookie: cookie)
        #expect(reply.status == 200, "\(address): \(reply.body)")
        #expect(!reply.body.contains("hidden-"), "\(address)")
      }
      #expect(
        try await bench.page("/search?q=t-ada", cookie: cookie).header("Location")
          == "/customer?transaction=t-ada")
      for address in [
        "/search?q=hidden-b", "/customer?account=hidden-b", "/customer?account=hidden-both",
        "/why?account=hidden-both&name=map", "/compare?account=hidden-both",
      ] {
        let reply = try await bench.page(address, cookie: cookie)
        #expect(reply.status == 404, "\(address): \(reply.status)")
        #expect(!reply.body.contains("hidden-product"), "\(address)")
      }
      for address in [
        "/findings", "/compare", "/events/1", "/live?app=app.b", "/incident?account=hidden-b",
        "/incident?account=ada",
      ] {
        #expect(try await bench.page(address, cookie: cookie).status == 403, "\(address)")
      }
    }
  }

  @Test("of an open service comes by an address of this machine") func open() async throws {
    try await ServiceBench.run { bench in
      #expect(try await bench.page("/").status == 200)
      #expect(try await bench.page("/sign-in").status == 303)
      let response = try await bench.response(
        .get, "/", headers: [:], authority: "daybook.evil.example:8470")
      #expect(response.status == .forbidden)
      for authority in ["127.0.0.1:8470", "[::1]:8470", "localhost:1", "127.8.9.1"] {
        let own = try await bench.response(.get, "/", headers: [:], authority: authority)
        #expect(own.status == .ok, "\(authority)")
      }
      for authority in ["127.evil.example", "localhost.evil.example", "127.0.0.1.evil.example"] {
        let other = try await bench.response(.get, "/", headers: [:], authority: authority)
        #expect(other.status == .forbidden, "\(authority)")
      }
    }
  }

  // MARK: - Acts

  private static let grant = [
    ("account", "ada"), ("entitlement", "pro"), ("reason", "ticket <1>"), ("product", ""),
    ("until", "2030-01-01T00:00"), ("environment", "production"),
  ]

  @Test("sees the effect of an act before it is done, and does it once") func acts() async throws {
    try await ServiceBench.run(.guarded) { bench in
      try Self.fill(bench)
      let cookie = try await bench.signIn(try bench.token("ada", [.read, .operate]))
      let form = try await bench.formToken(cookie: cookie, at: "/acts/grant")
      let last = try bench.lastPosition()
      let effect = try await bench.form(
        "/acts/grant", Self.grant + [("form", form), ("step", "show")], cookie: cookie)
      #expect(effect.status == 200, "\(effect.body)")
      #expect(effect.body.contains("<strong>Gains:</strong> <span class=\"name\">pro</span>"))
      #expect(effect.body.contains("ticket &lt;1&gt;"))
      #expect(try bench.lastPosition() == last, "nothing is recorded yet")
      let id = try #require(effect.hidden("id"))
      let done = Self.grant + [("form", form), ("step", "do"), ("id", id)]
      var locations: Set<String?> = []
      for _ in 1...3 {
        let reply = try await bench.form("/acts/grant", done, cookie: cookie)
        #expect(reply.status == 303, "\(reply.body)")
        locations.insert(reply.header("Location"))
      }
      #expect(try bench.lastPosition() == last + 1, "a double click is one act")
      #expect(locations == ["/customer?account=ada&done=\(last + 1)"])
      let customer = try await bench.page("/customer?account=ada&done=\(last + 1)", cookie: cookie)
      #expect(customer.body.contains("Done: recorded as"))
      #expect(customer.body.contains("pro"))
      let event = try await bench.page("/events/\(last + 1)", cookie: cookie)
      #expect(event.body.contains("Ada granted pro until 2030-01-01T00:00:00Z"))
    }
  }

  @Test("does nothing by a form of another site or session") func forged() async throws {
    try await ServiceBench.run(.guarded) { bench in
      try Self.fill(bench)
      let cookie = try await bench.signIn(try bench.token("ada", [.read, .operate]))
      let other = try await bench.signIn(try bench.token("bob", [.read, .operate]))
      let reader = try await bench.signIn(try bench.token("reader", [.read]))
      let own = try await bench.formToken(cookie: cookie)
      let foreign = try await bench.formToken(cookie: other)
      #expect(own != foreign)
      let last = try bench.lastPosition()
      let act = Self.grant + [("step", "do"), ("id", "forged")]
      for form in [nil, "", foreign, "x"] {
        let fields = act + (form.map { [("form", $0)] } ?? [])
        let reply = try await bench.form("/acts/grant", fields, cookie: cookie)
        #expect(reply.status == 403, "\(form ?? "-")")
      }
      for site in ["cross-site", "same-site", "none"] {
        let reply = try await bench.form(
          "/acts/grant", act + [("form", own)], cookie: cookie, headers: ["Sec-Fetch-Site": site])
        #expect(reply.status == 403, "\(site)")
      }
      let origin = try await bench.form(
        "/acts/grant", act + [("form", own)], cookie: cookie,
        headers: ["Origin": "https://evil.example"])
      #expect(origin.status == 403)
      #expect(try await bench.form("/acts/grant", act + [("form", own)]).status == 401)
      #expect(
        try await bench.form("/acts/grant", act + [("form", own)], cookie: reader).status == 403)
      #expect(try bench.lastPosition() == last)
      let real = try await bench.form("/acts/grant", act + [("form", own)], cookie: cookie)
      #expect(real.status == 303, "the same, from the page itself: \(real.body)")
    }
  }

  @Test("is told what is wrong with an act, and keeps what was written") func wrong() async throws {
    try await ServiceBench.run { bench in
      try Self.fill(bench)
      let form = try await bench.formToken()
      for (kind, fields, status, words) in [
        (
          "grant", [("account", "ada"), ("reason", "r")], 400, "either an entitlement or a product"
        ),
        ("grant", [("account", "nobody"), ("entitlement", "p"), ("reason", "r")], 404, "nobody"),
        (
          "grant", [("account", "ada"), ("product", "mpa"), ("reason", "r")], 404,
          "did you mean map"
        ),
        ("grant", [("reason", "kept <b>")], 400, "account is missing"),
        ("link", [("account", "ada"), ("to", "ada"), ("reason", "r")], 400, "the same"),
        (
          "assign", [("account", "ada"), ("transaction", "hidden-bob"), ("reason", "r")], 409,
          "belongs"
        ),
        ("note", [("account", "ada")], 400, "text is missing"),
      ] {
        let reply = try await bench.form(
          "/acts/\(kind)", fields + [("form", form), ("step", "show")])
        #expect(reply.status == status, "\(kind): \(reply.body)")
        #expect(reply.body.contains(words), "\(kind): \(reply.body)")
        #expect(!reply.body.contains("<b>"))
        for (name, value) in fields where name == "account" {
          #expect(reply.body.contains("value=\"\(value)\""), "\(kind)")
        }
      }
    }
  }
}
