import Foundation
import LedgerEvents
import LedgerHistories
import Testing

/// The incidents of the samples, and an event of every type.
private enum Sampled {
  static func lines() throws -> [String] {
    let root = try #require(packageRoot())
    let folder = root.appending(path: "Tools/samples/incidents")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".jsonl") }.sorted().map { folder.appending(path: $0) }
    // A purchase that no account has.
    return try [Line.purchase("nobodys", of: nil)]
      + ([root.appending(path: "Tests/Samples/every-type.jsonl")] + names).flatMap { file in
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
      }
  }

  static func run(_ body: (ServiceBench) async throws -> Void) async throws {
    try await ServiceBench.run { bench in
      let reply = try await bench.append(try lines(), query: "?allowUnknown=true")
      #expect(reply.status == 200, "\(reply.body.prefix(1000))")
      try await body(bench)
    }
  }

  /// A question whose words are those of its address.
  private static func list(_ address: String, _ words: String) -> TwiceAsked {
    TwiceAsked(
      address: address, words: words.split(separator: " ").map(String.init), isList: true,
      hasContent: true)
  }

  static let product = "example.songbook.volume1"

  static let groups = [
    list("/v1/events?by=type,product", "events --by type,product"),
    list("/v1/events?by=appVersion", "events --by appVersion"),
    list("/v1/events?by=day&type=transaction.*", "events --by day --type transaction.*"),
    list("/v1/events?sum=price&by=product", "events --sum price --by product"),
    list("/v1/events?sum=quantity", "events --sum quantity"),
    list(
      "/v1/events?sum=price,quantity&by=month,storefront",
      "events --sum price,quantity --by month,storefront"),
    list(
      "/v1/events?sum=price&net&by=storefront&environment=production",
      "events --sum price --net --by storefront --environment production"),
    list("/v1/findings?by=rule,severity", "findings --by rule,severity"),
    list(
      "/v1/findings?by=appVersion&rule=clock-ahead", "findings --by appVersion --rule clock-ahead"),
    list("/v1/findings?incidents", "findings --incidents"),
    list("/v1/findings?incidents&explain&reverse", "findings --incidents --explain --reverse"),
    list(
      "/v1/findings?threshold=never-finished%3DPT1H&rule=never-finished",
      "findings --threshold never-finished=PT1H --rule never-finished"),
    list("/v1/health", "health"),
    list("/v1/transactions/all", "transactions --all"),
    list(
      "/v1/transactions/all?open&environment=sandbox&environment=production",
      "transactions --all --open --environment sandbox --environment production"),
    list("/v1/transactions/ownerless", "transactions --ownerless"),
    list("/v1/installed/outdated", "installed --outdated"),
    list(
      "/v1/health?by=systemVersion&since=2016-01", "health --by systemVersion --since 2016-01-01"),
  ]

  static let counts = [
    TwiceAsked(address: "/v1/events?count", words: ["events", "--count"]),
    TwiceAsked(address: "/v1/findings?count", words: ["findings", "--count"]),
    TwiceAsked(
      address: "/v1/findings?count&incidents", words: ["findings", "--count", "--incidents"]),
    TwiceAsked(
      address: "/v1/content/updates?count", words: ["content", "updates", "--count"]),
  ]

  static let catalogue = [
    list("/v1/catalog", "catalog"),
    list(
      "/v1/catalog?storefront=USA&app=example.birdguides",
      "catalog --storefront USA --app example.birdguides"),
    list("/v1/catalog?environment=sandbox", "catalog --environment sandbox"),
    list("/v1/catalog/payments", "catalog --payments"),
    TwiceAsked(address: "/v1/catalog/invalid", words: ["catalog", "--invalid"]),
  ]

  /// The command line prints counts before the devices that are behind.
  static let updates = TwiceAsked(
    address: "/v1/content/updates?product=\(product)",
    words: ["content", "updates", "--product", product], isList: true, hasContent: true,
    part: { output in
      output.split(separator: "\n").filter { !$0.contains("\"notOwned\":") }
        .map { $0 + "\n" }.joined()
    })
}

/// What is asked about everybody, by both voices of one ledger.
@Suite("The service's answers about everybody") struct ServiceLedgerAnswersTests {
  private let clocks: [TwiceAsked.Clocks] = [
    .init(), .init(query: ["asOf=600"], words: ["--as-of", "600"]),
  ]

  @Test("are grouped, counted and added up as by the command line") func groups() async throws {
    try await Sampled.run { bench in
      for clocks in clocks {
        for asked in Sampled.groups + Sampled.counts {
          try await asked.expectSame(bench, clocks, seed: 0)
        }
      }
      for asked in Sampled.groups {
        try await asked.expectSame(bench, clocks[0], seed: 0, form: "csv")
      }
    }
  }

  @Test("about products are those of the command line") func catalogue() async throws {
    try await Sampled.run { bench in
      for asked in Sampled.catalogue + [Sampled.updates] {
        try await asked.expectSame(bench, clocks[0], seed: 0)
      }
      try await Sampled.catalogue[0].expectSame(bench, clocks[1], seed: 0)
      try await Sampled.catalogue[0].expectSame(bench, clocks[0], seed: 0, form: "csv")
      let listed = try await bench.get("/v1/catalog?limit=10000").items()
      let priced = try #require(
        listed.first { ($0["prices"] as? [Any])?.isEmpty == false }?["product"] as? String)
      let history = TwiceAsked(
        address: "/v1/catalog/history?product=\(priced)",
        words: ["catalog", "--history", "--product", priced], isList: true)
      try await history.expectSame(bench, clocks[0], seed: 0)
    }
  }

  @Test("come in pages of one answer, whatever is appended meanwhile") func pages() async throws {
    try await Sampled.run { bench in
      let addresses = [
        "/v1/events?by=type", "/v1/events?sum=price&by=product", "/v1/health", "/v1/catalog",
        "/v1/findings?incidents", "/v1/transactions/all",
      ]
      for (number, address) in addresses.enumerated() {
        let mark = address.contains("?") ? "&" : "?"
        let whole = try await bench.get(address + mark + "format=jsonl&limit=10000").lines
        try #require(whole.count > 4)
        var read: [String] = []
        var next: String? = "limit=4"
        while let query = next {
          let page = try await bench.get(address + mark + query)
          let lines = try await bench.get(address + mark + query + "&format=jsonl").lines
          read += lines
          next = try (page.object()["next"] as? String).map { "limit=4&cursor=\($0)" }
          _ = try await bench.append([Line.purchase("page-\(number)-\(read.count)", of: "ada")])
        }
        #expect(read == whole, "\(address)")
      }
    }
  }

  @Test("say what contradicts itself in a question") func wrong() async throws {
    try await ServiceBench.run { bench in
      for address in [
        "/v1/events?by=colour", "/v1/events?by=day,day", "/v1/events?sum=tax",
        "/v1/events?net", "/v1/events?sum=quantity&net", "/v1/events?by=day&reverse",
        "/v1/events?sum=price&count", "/v1/events?follow&by=day", "/v1/events?follow&sum=price",
        "/v1/findings?by=rule&count", "/v1/findings?by=rule&incidents",
        "/v1/findings?count&explain", "/v1/findings?threshold=never-finished",
        "/v1/health?by=device", "/v1/catalog/history", "/v1/catalog/payments?product=a",
        "/v1/events?storeItem=ibooks",
      ] {
        let reply = try await bench.get(address)
        #expect(reply.problem == "bad-request", "\(address)")
      }
    }
  }
}
