import Foundation
import HTTPTypes
import LedgerEvents
import LedgerStore
import ServiceAccess
import Testing

@testable import LedgerService

/// What `events` tells a token for some apps, if other apps have events about the same transactions
/// and devices.
@Suite("Events of some apps", .timeLimit(.minutes(20))) struct ServiceAppEventsTests {
  /// What the token may not learn.
  private static let secrets = ["user-7", "prod.x", "CHE", "CHF", "12.34", "9.9-theirs"]

  /// A purchase by another app, or by none, and its refund by the app of the token.
  private static func sold(app: String?) -> [String] {
    let app = app.map { #","app":"\#($0)""# } ?? ""
    return [
      #"{"id":"n1","type":"transaction.purchased","occurredAt":"2026-03-01T10:00:00Z","#
        + #""source":"storekit2","environment":"production"\#(app),"account":"user-7","#
        + #""product":"prod.x","transaction":"U1","#
        + #""data":{"price":"12.34","currency":"CHF","storefront":"CHE","quantity":2}}"#,
      #"{"id":"n2","type":"transaction.refunded","occurredAt":"2026-03-02T11:00:00Z","#
        + #""source":"notification","environment":"production","app":"com.a.one","#
        + #""transaction":"U1","data":{}}"#,
    ]
  }

  /// The items as they are written, without the moment of the answer, whose digits can be any.
  private static func items(_ reply: Reply) throws -> String {
    String(
      decoding: try JSONSerialization.data(withJSONObject: try reply.items()), as: UTF8.self)
  }

  private static func expectNoSecret(_ reply: Reply, _ address: String) throws {
    let items = try items(reply)
    for secret in secrets {
      #expect(!items.contains(secret), "\(address): \(reply.body)")
    }
  }

  @Test(
    "are added up without what only others state", arguments: [nil, "com.a.two"] as [String?])
  func sums(app: String?) async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      try bench.fill(Self.sold(app: app))
      let token = try bench.token("one", [.read], apps: ["com.a.one"])
      let all = try bench.token("all", [.read])
      let by = "by=account,product,storefront"
      for question in ["sum=price,quantity&\(by)", "sum=price&net=true&\(by)"] {
        let address = "/v1/events?app=com.a.one&\(question)"
        try Self.expectNoSecret(try await bench.get(address, token: token), address)
        // Who may know of all events is told what they say.
        let whole = try Self.items(try await bench.get(address, token: all))
        for known in ["user-7", "prod.x", "CHE", "CHF", "12.34"] {
          #expect(whole.contains(known), "\(address): \(whole)")
        }
      }
      let sums = try await bench.get("/v1/events?app=com.a.one&sum=price", token: token)
      let items = try sums.items()
      #expect(items.count == 1)
      #expect(items.first?["posting"] as? String == "refund")
      #expect(items.first?["amount"] is NSNull)
      #expect(items.first?["withoutAmount"] as? Int == 1)
      // A filter by what only the others state finds nothing.
      let product = "/v1/events?app=com.a.one&sum=price&product=prod.x"
      #expect(try await bench.get(product, token: token).items().isEmpty)
      #expect(try await bench.get(product, token: all).items().count == 1)
    }
  }

  @Test("are added up with what any of the token's apps states") func several() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      try bench.fill(Self.sold(app: "com.a.two"))
      let token = try bench.token("both", [.read], apps: ["com.a.one", "com.a.two"])
      let sums = try await bench.get(
        "/v1/events?app=com.a.one&sum=price&by=account", token: token)
      #expect(try sums.items().first?["amount"] as? String == "12.34")
      #expect(try sums.items().first?["account"] as? String == "user-7")
    }
  }

  @Test("do not say whose a transaction is that only others call somebody's")
  func accounts() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      try bench.fill(Self.sold(app: nil))
      let token = try bench.token("one", [.read], apps: ["com.a.one"])
      let cookie = try await bench.signIn(token)
      for account in ["user-7", "user-8"] {
        let address = "/v1/events?app=com.a.one&account=\(account)"
        #expect(try await bench.get(address, token: token).items().isEmpty, "\(account)")
        let count = try await bench.get(address + "&count=true", token: token)
        #expect(try count.object()["count"] as? Int == 0, "\(account)")
        let page = try await bench.page("/live?account=\(account)", cookie: cookie)
        #expect(page.body.contains("No event matches yet."), "\(account)")
      }
      let all = try bench.token("all", [.read])
      let whole = try await bench.get("/v1/events?app=com.a.one&account=user-7", token: all)
      #expect(try whole.items().map { $0["id"] as? String } == ["n2"])
    }
  }

  @Test("that are followed are those that are an account's by them alone")
  func follows() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      try bench.fill(Self.sold(app: nil))
      let token = try bench.token("one", [.read], apps: ["com.a.one"])
      let follower = Follower()
      let following = try await bench.follow(
        follower, query: "&app=com.a.one&account=user-7", after: 0, token: token)
      try bench.fill([Line.purchase("own", of: "user-7", app: "com.a.one")])
      await follower.wait(for: 3)
      #expect(await follower.positions == [3])
      following.cancel()
      do { try await following.value } catch is CancellationError {}
    }
  }

  @Test("and findings and devices have no version of another app's session")
  func sessions() async throws {
    func start(_ session: String, app: String, version: String, storefront: String) -> String {
      #"{"id":"start-\#(session)","type":"session.started","occurredAt":"2026-03-01T09:00:00Z","#
        + #""app":"\#(app)","device":"pad","session":"\#(session)","data":{"#
        + #""appVersion":"\#(version)","systemVersion":"18.1","storefront":"\#(storefront)"}}"#
    }
    func finish(_ session: String) -> String {
      #"{"id":"finish-\#(session)","type":"transaction.finished","app":"com.a.one","#
        + #""occurredAt":"2026-03-01T10:00:00Z","account":"ada","device":"pad","#
        + #""session":"\#(session)","transaction":"unknown-\#(session)"}"#
    }
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      try bench.fill(
        [
          start("theirs", app: "com.a.two", version: "9.9-theirs", storefront: "CHE"),
          finish("theirs"),
          Line.purchase("sold", of: "ada", app: "com.a.one").replacing(
            "phone-sold", with: #"pad","session":"theirs"#),
        ])
      let token = try bench.token("one", [.read], apps: ["com.a.one"])
      let all = try bench.token("all", [.read])
      let by = "by=appVersion,systemVersion,storefront"
      let addresses = [
        "/v1/events?app=com.a.one&\(by)", "/v1/events?app=com.a.one&sum=quantity&\(by)",
        "/v1/findings?account=ada&\(by)",
      ]
      for address in addresses {
        try Self.expectNoSecret(try await bench.get(address, token: token), address)
        let whole = try Self.items(try await bench.get(address, token: all))
        #expect(whole.contains("9.9-theirs") && whole.contains("CHE"), "\(address): \(whole)")
      }
      let page = "/customer?account=ada"
      let seen = try await bench.page(page, cookie: try await bench.signIn(token))
      #expect(seen.status == 200 && !seen.body.contains("9.9-theirs"), "\(seen.body)")
      let known = try await bench.page(page, cookie: try await bench.signIn(all))
      #expect(known.body.contains("9.9-theirs"), "\(known.body)")
      // What its own sessions ran, it is told.
      try bench.fill(
        [start("own", app: "com.a.one", version: "1.5", storefront: "DEU"), finish("own")])
      for address in [addresses[0], addresses[2]] {
        let own = try Self.items(try await bench.get(address, token: token))
        #expect(own.contains("1.5") && own.contains("DEU"), "\(address): \(own)")
      }
    }
  }

  @Test("are all that a token with restrictions sees, whatever its scope")
  func administration() async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      try bench.fill(Self.sold(app: nil))
      // One for an account can have no scope but to read.
      let restricted = try bench.token("one", [.admin], apps: ["com.a.one"])
      let all = try bench.token("all", [.admin])
      for address in ["/v1/stats", "/metrics", "/v1/stats?format=csv"] {
        let reply = try await bench.get(address, token: restricted)
        #expect(reply.problem == "forbidden", "\(address): \(reply.body)")
        #expect(try await bench.get(address, token: all).status == 200, "\(address)")
      }
    }
  }
}
