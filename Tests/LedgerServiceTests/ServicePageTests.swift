import Foundation
import HTTPTypes
import LedgerAnswers
import LedgerEvents
import LedgerQueries
import LedgerStore
import ServiceAccess
import Testing

@testable import LedgerService

@Suite("The pages of the service", .timeLimit(.minutes(20))) struct ServicePageTests {
  /// Every page about an account, and about nobody.
  private static func addresses(_ name: String) -> [String] {
    let text = PageAddress.encoded(name)
    return [
      "/", "/search?q=\(text)", "/customer?account=\(text)", "/customer?transaction=\(text)",
      "/customer?original=\(text)", "/customer?account=\(text)&at=2026-02-02&asOf=3",
      "/why?account=\(text)&name=\(text)", "/why?transaction=\(text)",
      "/findings", "/findings?release=\(text)", "/findings?page=2",
      "/incident?account=\(text)", "/incident?transaction=\(text)", "/live",
      "/live?account=\(text)", "/live?product=\(text)&type=transaction.*", "/live?to=3",
      "/compare", "/compare?account=\(text)", "/compare?account=\(text)&from=0&to=5",
      "/compare?from=0", "/acts", "/acts?account=\(text)", "/acts/grant?account=\(text)",
      "/acts/note?account=\(text)", "/status", "/sign-in?to=\(text)",
    ]
  }

  @Test("show texts as texts", arguments: Hostile.texts) func hostile(_ text: String) async throws {
    try await ServiceBench.run { bench in
      try bench.appendSamples()
      for address in Self.addresses(text) {
        let reply = try await bench.page(address)
        #expect([200, 303, 404].contains(reply.status), "\(address): \(reply.status)")
        guard !address.hasPrefix("/incident") else { continue }
        // What a tag can begin with: nothing of the ledger may be one.
        for tag in ["<script>", "<img", "<svg/", "</textarea", "onerror=alert(1)>"] {
          #expect(!reply.body.contains(tag), "\(address): \(tag)")
        }
        for hidden in ["\u{202E}", "\u{200B}"] {
          let isInField = reply.body.contains("value=\"\(text)\"")
          #expect(isInField || !reply.body.contains(hidden), "\(address)")
        }
        #expect(!reply.body.contains("\u{0}"), "\(address)")
      }
    }
  }

  @Test("say the same as the questions over HTTP") func same() async throws {
    try await ServiceBench.run { bench in
      try bench.appendSamples()
      let customers = try await bench.get("/v1/customers?limit=100").items()
      #expect(customers.count > 5)
      for customer in customers {
        let account = try #require((customer["accounts"] as? [String])?.first)
        let name = PageAddress.encoded(account)
        let answer = try await bench.get("/v1/entitlements?account=\(name)").object()
        let page = try await bench.page("/customer?account=\(name)")
        #expect(page.status == 200, "\(account)")
        for active in answer["active"] as? [String] ?? [] {
          let shown: HTML = "\(active)"
          #expect(page.body.contains(shown.markup), "\(account): \(active)")
        }
        let findings = try await bench.get("/v1/findings?account=\(name)&environment=production")
        for finding in try findings.items() {
          let rule = try #require(finding["rule"] as? String)
          #expect(page.body.contains(rule), "\(account): \(rule)")
        }
      }
    }
  }

  @Test("say what was wrong with an address, with its status") func wrong() async throws {
    try await ServiceBench.run { bench in
      try bench.appendSamples()
      let expected = [
        ("/customer", 400, "Name an account"),
        ("/customer?accounts=x", 400, "did you mean account?"),
        ("/customer?account=x&transaction=y", 400, "Name one of"),
        ("/customer?account=nobody", 404, "No event states account nobody"),
        ("/customer?account=x&at=lunch", 400, "at: expected"),
        ("/customer?account=x&asOf=-1", 400, "asOf: expected"),
        ("/customer?account=x&environment=moon", 400, "environment: expected"),
        ("/customer?account=%ff", 400, "UTF-8"), ("/customer?account=x&events=0", 400, "events"),
        ("/search", 400, "q is missing"), ("/search?q=", 400, "q is missing"),
        ("/search?q=qqqqqqqqqq", 404, "Nothing in the ledger has this id"),
        ("/why?account=x", 400, "Name a product"),
        ("/why?account=nobody&name=pro", 200, "no event of the ledger states this account"),
        ("/why?transaction=nobody", 404, "nobody"),
        ("/events/0", 404, "There is no position 0"), ("/events/x", 404, "a whole number"),
        ("/events/18446744073709551615", 404, "There is no position"),
        ("/findings?severity=loud", 400, "severity: expected"),
        ("/findings?rule=none", 400, "rule: expected"), ("/findings?page=0", 400, "page"),
        ("/incident", 400, "Name an account"), ("/incident?account=nobody", 404, "no event"),
        ("/incident?from=3", 400, "from and to"), ("/incident?from=3&to=1", 400, "later than"),
        ("/live?type=%3Cx%3E", 400, "type: expected"), ("/live?from=x", 400, "from: expected"),
        ("/compare?from=99999999", 404, "no position"), ("/compare?to=lunch", 400, "to: expected"),
        ("/acts/grant?x=1", 400, "no parameter"), ("/status?x=1", 400, "no parameter"),
      ]
      for (address, status, words) in expected {
        let reply = try await bench.page(address)
        #expect(reply.status == status, "\(address): \(reply.status)")
        #expect(reply.body.contains(words), "\(address): \(reply.body)")
        #expect(reply.header("Content-Type") == "text/html; charset=utf-8", "\(address)")
      }
    }
  }

  @Test("lead from a search to the only thing that it finds") func search() async throws {
    try await ServiceBench.run { bench in
      _ = try await bench.append([
        Line.purchase("t-1", of: "ada"), Line.purchase("t-2", of: "adalbert"), Line.note("n-1"),
      ])
      for (text, address) in [
        ("t-1", "/customer?transaction=t-1"), ("ada", "/customer?account=ada"),
        ("phone-t-2", "/customer?account=adalbert"), ("n-1", "/events/3"), ("2", "/events/2"),
        ("purchase-t-1", "/events/1"),
      ] {
        let reply = try await bench.page("/search?q=\(text)")
        #expect(reply.status == 303, "\(text): \(reply.body)")
        let location = try #require(reply.header("Location"))
        let isSame = location == address
        // A transaction leads to whom it is.
        let isHolder = location == "/customer?account=ada"
        #expect(isSame || isHolder, "\(text): \(location)")
      }
      let several = try await bench.page("/search?q=adal")
      #expect(several.status == 200)
      #expect(several.body.contains("a part of it"))
    }
  }

  @Test("mark what arrived after later events") func late() async throws {
    try await ServiceBench.run { bench in
      try bench.appendSamples()
      let account = "5ad4f4f0-7f38-4347-a521-1354b64bb8b9"
      let page = try await bench.page("/customer?account=\(account)")
      #expect(page.body.components(separatedBy: "class=\"late\"").count - 1 == 2, "row and drawing")
      #expect(page.body.contains("1 later event was known"))
      let why = try await bench.page("/why?account=\(account)&name=example.trailmaps.offline")
      #expect(why.body.contains("is entitled to example.trailmaps.offline"))
      #expect(why.body.contains("hashes to the fingerprint"))
      let size = try bench.lastPosition()
      let root = try bench.ledger.log.read { (view) throws(LedgerError) in try view.root(at: size) }
      #expect(why.body.contains(root.hexadecimal))
    }
  }

  @Test("compare two moments on either clock") func compare() async throws {
    try await ServiceBench.run { bench in
      _ = try await bench.append([Line.purchase("t-1", of: "ada")])
      let page = try await bench.page("/compare?account=ada&from=0&to=1")
      #expect(page.body.contains("<strong>Gains:</strong> <span class=\"name\">map</span>"))
      let same = try await bench.page("/compare?account=ada&from=1&to=1")
      #expect(same.body.contains("Nothing: both moments"))
      let times = try await bench.page(
        "/compare?account=ada&from=1&to=1&fromAt=2026-01-01T00:00&toAt=2026-03-01T00:00")
      #expect(times.body.contains("<strong>Gains:</strong>"))
      let all = try await bench.page("/compare?from=0")
      #expect(all.body.contains("/customer?account=ada"))
    }
  }

  @Test("send what may be done with them, and are kept nowhere") func headers() async throws {
    try await ServiceBench.run { bench in
      try bench.appendSamples()
      for address in Self.addresses("ada") {
        let reply = try await bench.page(address)
        #expect(reply.header("Cache-Control") == "no-store", "\(address)")
        #expect(reply.header("X-Content-Type-Options") == "nosniff", "\(address)")
        #expect(reply.header("Referrer-Policy") == "no-referrer", "\(address)")
        guard reply.status != 303 else { continue }
        let policy = try #require(reply.header("Content-Security-Policy"), "\(address)")
        for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"] {
          #expect(policy.contains(part), "\(address)")
        }
        #expect(!policy.contains("unsafe"), "\(address)")
        guard !address.hasPrefix("/incident") else { continue }
        #expect(!reply.body.contains(" style="), "\(address)")
        #expect(!reply.body.contains("<script>"), "\(address)")
        #expect(!reply.body.contains(" onclick"), "\(address)")
      }
      for file in PageFile.all {
        let reply = try await bench.page(file.path)
        #expect(reply.status == 200)
        #expect(reply.header("Content-Type") == file.contentType)
        #expect(reply.body == file.text)
      }
    }
  }

  @Test("open the replay of an incident with the page's own policy") func incident() async throws {
    try await ServiceBench.run { bench in
      try bench.appendSamples()
      let inbox = try await bench.page("/findings")
      let start = try #require(inbox.body.range(of: "class=\"button\" href=\""))
      let link = inbox.body[start.upperBound...].prefix { $0 != "\"" }
      let address = link.prefix { $0 != "#" }.replacing("&amp;", with: "&")
      let replay = try await bench.page(String(address))
      #expect(replay.status == 200)
      #expect(replay.body.contains("Daybook replay"))
      let policy = try #require(replay.header("Content-Security-Policy"))
      #expect(policy.contains("script-src 'sha256-"))
    }
  }

  @Test("are not the JSON questions: those take no cookie") func cookies() async throws {
    try await ServiceBench.run(.guarded) { bench in
      let cookie = try await bench.signIn(try bench.token("ada", [.admin]))
      #expect(try await bench.page("/status", cookie: cookie).status == 200)
      for address in ["/v1/events", "/v1/customers", "/v1/stats", "/metrics"] {
        #expect(try await bench.page(address, cookie: cookie).status == 401, "\(address)")
      }
    }
  }
}
