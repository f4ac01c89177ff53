import Foundation
import HTTPTypes
import LedgerEvents
import LedgerStore
import NIOCore
import ServiceAccess
import Testing

@testable import LedgerService

/// What a token for some apps is told about its customers when others' purchases have passed
/// through them.
@Suite("A token for some apps", .timeLimit(.minutes(20))) struct ServiceHandedOnTests {
  private static func transfer(_ day: Int, _ from: String, _ to: String) -> String {
    line(
      "account.transferred", "hand-\(day)", day, #""source":"operator","account":"\#(from)""#,
      data: #""to":"\#(to)","reason":"r","operator":"o""#)
  }

  private static func link(_ day: Int, _ from: String, _ to: String) -> String {
    line(
      "account.linked", "link-\(day)", day, #""source":"operator","account":"\#(from)""#,
      data: #""to":"\#(to)","reason":"r","operator":"o""#)
  }

  /// Content of another app. No transaction leads from it to whoever has it later.
  private static let installed = line(
    "content.installed", "i", 2,
    #""app":"app.b","account":"hidden-b","device":"hidden-d","product":"hidden-product""#,
    data: #""contentVersion":"1.0""#)

  private static func line(
    _ type: String, _ id: String, _ day: Int, _ more: String, data: String? = nil
  ) -> String {
    #"{"id":"\#(id)","type":"\#(type)","occurredAt":"2026-02-0\#(day)T12:00:00Z",\#(more)"#
      + (data.map { #","data":{\#($0)}"# } ?? "") + "}"
  }

  /// Ada had Bob's purchase for a day, and Kim has bought of another app since a purchase of hers
  /// was handed on.
  private static func handOn(_ bench: ServiceBench) throws {
    func later(_ purchase: String) -> String {
      purchase.replacing("2026-02-01T", with: "2026-02-05T")
    }
    try bench.fill(
      [
        Line.purchase("a-1", of: "ada", app: "app.a"),
        Line.purchase("hidden-1", of: "hidden-b", app: "app.b", product: "hidden-product"),
        transfer(2, "hidden-b", "ada"),
        transfer(3, "ada", "zoe"),
        later(Line.purchase("a-2", of: "ada", app: "app.a")),
        Line.purchase("a-3", of: "kim", app: "app.a"),
        transfer(4, "kim", "lee"),
        later(Line.purchase("hidden-2", of: "kim", app: "app.b", product: "hidden-product")),
      ])
  }

  @Test(
    "asks about no moment at which its customer had what is another app's",
    arguments: [
      ("account=ada", "asOf=3"), ("account=ada", "at=2026-02-02T18:00:00Z"),
      ("transaction=a-1", "asOf=3"),
    ])
  func earlierMoments(_ customer: String, _ moment: String) async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      try Self.handOn(bench)
      let token = try bench.token("a", [.read], apps: ["app.a"])
      let cookie = try await bench.signIn(token)
      let name = "name=hidden-product"
      for path in ["entitlements", "transactions", "installed", "findings", "explain"] {
        let reply = try await bench.get(
          "/v1/\(path)?\(customer)&\(moment)\(path == "explain" ? "&\(name)" : "")", token: token)
        #expect(reply.status == 404, "\(path): \(reply.body)")
        #expect(!reply.body.contains("hidden"), "\(path): \(reply.body)")
      }
      for path in ["customer", "why"] {
        let page = try await bench.page(
          "/\(path)?\(customer)&\(moment)\(path == "why" ? "&\(name)" : "")", cookie: cookie)
        #expect(page.status == 404, "\(path)")
      }
    }
  }

  @Test("asks about no two moments of which one is so, and about all others")
  func severalMoments() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      try Self.handOn(bench)
      let token = try bench.token("a", [.read], apps: ["app.a"])
      let cookie = try await bench.signIn(token)
      let dayTwo = "2026-02-02T18:00:00Z"
      for refused in [
        "diff?account=ada&from=1&to=3", "diff?account=ada&from=3&to=5",
        "diff?account=ada&asOf=5&from=2026-02-01T18:00:00Z&to=\(dayTwo)",
        "verdict?account=ada&product=hidden-product&at=\(dayTwo)",
        // What is known by now about a store time, and about who owned a purchase.
        "explain?account=ada&name=hidden-product&asOf=2&at=\(dayTwo)",
        "explain?transaction=a-3&name=hidden-product&asOf=6",
        "diff?transaction=a-2&from=3&to=5",
      ] {
        let reply = try await bench.get("/v1/\(refused)", token: token)
        #expect(reply.status == 404, "\(refused): \(reply.body)")
        #expect(!reply.body.contains("hidden"), "\(refused): \(reply.body)")
      }
      for answered in [
        "diff?account=ada&from=1&to=2", "diff?account=ada&from=4&to=5", "entitlements?account=ada",
        "entitlements?account=ada&asOf=2", "findings?account=ada&asOf=5",
        "explain?account=ada&name=map&asOf=2", "transactions?transaction=a-3&asOf=6",
        "verdict?account=ada&product=map&at=2026-02-01T18:00:00Z",
      ] {
        let reply = try await bench.get("/v1/\(answered)", token: token)
        #expect(reply.status == 200, "\(answered): \(reply.body)")
        #expect(!reply.body.contains("hidden"), "\(answered): \(reply.body)")
      }
      for (query, status) in [
        ("from=3&to=5", 404), ("from=1&to=3", 404), ("fromAt=\(dayTwo)", 404), ("from=4&to=5", 200),
      ] {
        let page = try await bench.page("/compare?account=ada&\(query)", cookie: cookie)
        #expect(page.status == status, "\(query)")
        #expect(!page.body.contains("hidden-product"), "\(query)")
      }
    }
  }

  /// How another app's purchase is connected with Ada or Lee, though somebody else has it now.
  private static let passing: [[String]] = [
    // It went through Ada.
    [
      Line.purchase("hidden-1", of: "hidden-b", app: "app.b", product: "hidden-product"),
      transfer(2, "hidden-b", "ada"), transfer(3, "ada", "zoe"),
    ],
    // The same, and only later is it said whose it was at first.
    [
      line(
        "transaction.purchased", "h", 1,
        #""app":"app.b","transaction":"hidden-1","product":"hidden-product""#),
      transfer(2, "hidden-b", "ada"), transfer(3, "ada", "zoe"),
      line(
        "purchase.fulfilled", "f", 5,
        #""app":"app.b","account":"hidden-b","transaction":"hidden-1","product":"hidden-product""#),
    ],
    // Its owner got all that Lee had, and so gets what Lee is given before that.
    [
      Line.purchase("hidden-1", of: "hidden-b", app: "app.b", product: "hidden-product"),
      transfer(3, "lee", "hidden-b"),
    ],
  ]

  @Test("does no act that could change what others have since then", arguments: passing)
  func acts(_ passing: [String]) async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      func later(_ purchase: String) -> String {
        purchase.replacing("2026-02-01T", with: "2026-02-04T")
      }
      try bench.fill(
        [
          Line.purchase("a-1", of: "ada", app: "app.a"),
          Line.purchase("a-9", of: "lee", app: "app.a"),
          later(Line.purchase("a-2", of: "ada", app: "app.a")),
        ] + passing)
      let token = try bench.token("a", [.read, .append, .operate], apps: ["app.a"])
      // Ada or Lee gave it all away at noon of the third day.
      for (time, status) in [("01T18", 404), ("02T18", 404), ("03T12", 404), ("06T18", 200)] {
        let body =
          #"{"account":"ada","to":"lee","reason":"r","occurredAt":"2026-02-\#(time):00:00Z"}"#
        let reply = try await bench.act("transfer?dryRun=true", body, token: token)
        #expect(reply.status == status, "\(time): \(reply.body)")
        #expect(!reply.body.contains("hidden"), "\(reply.body)")
      }
      func moved(_ day: Int) -> String {
        Self.line(
          "account.transferred", "moved-\(day)", day,
          #""source":"operator","app":"app.a","account":"ada""#,
          data: #""to":"lee","reason":"r","operator":"o""#
        ).replacing("T12:", with: "T18:")
      }
      #expect(try await bench.append([moved(1)], token: token).status == 422)
      #expect(try await bench.append([moved(2)], token: token).status == 422)
      #expect(try await bench.append([moved(6)], token: token).status == 200)
    }
  }

  @Test("is told nothing that was handed to its customer and names another, until it is given away")
  func received() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      let token = try bench.token("a", [.read], apps: ["app.a"])
      try bench.fill(
        [
          Line.purchase("a-1", of: "ada", app: "app.a"),
          Self.installed, Self.transfer(3, "hidden-b", "bo"), Self.transfer(4, "bo", "ada"),
        ])
      func asked(_ query: String) async throws -> Int {
        let reply = try await bench.get("/v1/installed?account=\(query)", token: token)
        #expect(!reply.body.contains("hidden"), "\(query): \(reply.body)")
        return reply.status
      }
      #expect(try await asked("ada") == 404)
      #expect(try await asked("ada&at=2026-02-03T18:00:00Z") == 404, "it is so at the present")
      try bench.fill(
        [
          Self.transfer(5, "ada", "zoe"),
          Line.purchase("a-2", of: "ada", app: "app.a")
            .replacing("2026-02-01T", with: "2026-02-06T"),
        ])
      #expect(try await asked("ada") == 200)
      #expect(try await asked("ada&at=2026-02-03T18:00:00Z") == 200)
      #expect(try await asked("ada&at=2026-02-04T18:00:00Z") == 404)
    }
  }

  /// What happens to content that Ada got on the third day, and has whatever it is.
  private static let keeping: [[String]] = [
    [
      line(
        "account.erased", "e", 4, #""source":"operator","account":"hidden-b""#,
        data: #""reason":"r","operator":"o""#)
    ],
    [inSandbox(transfer(4, "ada", "zoe"))],
    [transfer(4, "ada-2", "zoe"), link(5, "ada", "ada-2")],
    [inSandbox(link(1, "ada", "hidden-b"))],
  ]

  private static func inSandbox(_ line: String) -> String {
    line.replacing(#""source""#, with: #""environment":"sandbox","source""#)
  }

  @Test("is told nothing that its customer may have kept", arguments: keeping)
  func kept(_ more: [String]) async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      let token = try bench.token("a", [.read], apps: ["app.a"])
      let all = try bench.token("all", [.read])
      try bench.fill(
        [
          Line.purchase("a-1", of: "ada", app: "app.a"), Self.installed,
          Self.transfer(3, "hidden-b", "ada"),
        ] + more)
      let known = try await bench.get("/v1/installed?account=ada", token: all)
      #expect(known.body.contains("hidden-product"), "the control: \(known.body)")
      let reply = try await bench.get("/v1/installed?account=ada", token: token)
      #expect(reply.status == 404, "\(reply.body)")
    }
  }

  @Test("appends a note about its own purchase, and proposes nothing in place of a product")
  func ownPurchases() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      let token = try bench.token("a", [.read, .append, .operate], apps: ["app.a"])
      try bench.fill(
        [
          Line.purchase("a-1", of: "both", app: "app.a"),
          Line.purchase("b-1", of: "both", app: "app.b", product: "hidden-product"),
          Line.purchase("a-2", of: "ada", app: "app.a"),
        ])
      let note = Self.line(
        "note.added", "n", 6, #""source":"operator","app":"app.a","transaction":"a-1""#,
        data: #""text":"t","operator":"o""#)
      let noted = try await bench.append([note], token: token)
      #expect(noted.status == 200, "\(noted.body)")
      let body = #"{"account":"ada","product":"hidden-produc","reason":"r"}"#
      let granted = try await bench.act("grant?dryRun=true", body, token: token)
      #expect(granted.status == 404)
      #expect(!granted.body.contains("hidden-product"), "\(granted.body)")
    }
  }

  @Test("gets no explanation that rests on others' events, and no names of others")
  func explanations() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      let token = try bench.token("a", [.read], apps: ["app.a"])
      let all = try bench.token("all", [.read])
      let cookie = try await bench.signIn(token)
      let device = #""app":"app.b","device":"phone-a-1","payment":"hidden-p","#
      try bench.fill(
        [
          Line.purchase("a-1", of: "ada", app: "app.a"),
          Self.line("payment.added", "h1", 2, device + #""product":"hidden-product""#),
          Self.line(
            "transaction.failed", "h2", 3,
            device + #""transaction":"hidden-t","product":"hidden-product""#),
          Line.purchase("o-1", of: "ava", app: "app.b"),
        ])
      let attempted = "explain?account=ada&name=hidden-product"
      let known = try await bench.get("/v1/\(attempted)", token: all)
      #expect(known.body.contains("attempted"), "the control: \(known.body)")
      let refused = try await bench.get("/v1/\(attempted)", token: token)
      #expect(refused.status == 404, "\(refused.body)")
      let page = try await bench.page("/why?account=ada&name=hidden-product", cookie: cookie)
      #expect(page.status == 404)
      // Before its first event the account is unknown, and another one is near.
      let early = "explain?account=ada&name=map&at=1990-01-01T00:00:00Z"
      let near = try await bench.get("/v1/\(early)", token: all)
      #expect(near.body.contains("ava"), "the control: \(near.body)")
      let told = try await bench.get("/v1/\(early)", token: token)
      #expect(told.status == 200)
      #expect(!told.body.contains("ava"), "\(told.body)")
    }
  }
}
