import Foundation
import HTTPTypes
import LedgerEvents
import LedgerHistories
import Testing

/// What the service and the command line are both asked about one history.
private struct AskedHistory {
  let events: [RecordedEvent]
  let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
    events = Histories.dense(seed: seed)
  }

  private var middle: RecordedEvent { events[events.count / 2] }

  /// The present, a store time, and a ledger time.
  var clocks: [TwiceAsked.Clocks] {
    let at = middle.event.occurredAt.rfc3339
    let position = "\(middle.position)"
    return [
      .init(), .init(query: ["at=\(at)"], words: ["--at", at]),
      .init(
        query: ["asOf=\(position)", "at=\(at)"], words: ["--as-of", position, "--at", at]),
    ]
  }

  static func spelled(_ name: String) -> String {
    name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
  }

  var account: String { events.compactMap(\.event.account).first?.text ?? "A" }
  var product: String { events.compactMap(\.event.product).first?.text ?? "non" }
  var transaction: String { events.compactMap(\.event.transaction).first?.text ?? "t1" }

  var documents: [TwiceAsked] {
    let (account, product) = (Self.spelled(account), Self.spelled(product))
    return [
      TwiceAsked(
        address: "/v1/entitlements?account=\(account)", words: ["entitlements", self.account]),
      TwiceAsked(
        address: "/v1/entitlements?transaction=\(transaction)&environment=sandbox",
        words: ["entitlements", "--transaction", transaction, "--environment", "sandbox"]),
      TwiceAsked(
        address: "/v1/transactions?account=\(account)", words: ["transactions", self.account]),
      TwiceAsked(
        address: "/v1/transactions?account=\(account)&open",
        words: ["transactions", self.account, "--open"]),
      TwiceAsked(address: "/v1/installed?account=\(account)", words: ["installed", self.account]),
      TwiceAsked(
        address: "/v1/explain?account=\(account)&name=\(product)",
        words: ["explain", self.account, self.product]),
      TwiceAsked(address: "/v1/customer?id=\(account)", words: ["customer", self.account]),
    ]
  }

  var lists: [TwiceAsked] {
    let (account, product) = (Self.spelled(account), Self.spelled(product))
    return [
      TwiceAsked(
        address: "/v1/holders?product=\(product)", words: ["holders", self.product], isList: true),
      TwiceAsked(address: "/v1/findings", words: ["findings"], isList: true),
      TwiceAsked(
        address: "/v1/findings?account=\(account)&explain&reverse",
        words: ["findings", "--account", self.account, "--explain", "--reverse"], isList: true),
    ]
  }

  var streams: [TwiceAsked] {
    let account = Self.spelled(account)
    return [
      TwiceAsked(address: "/v1/events", words: ["events"], isList: true),
      TwiceAsked(
        address: "/v1/events?account=\(account)&reverse=true",
        words: ["events", "--account", self.account, "--reverse"], isList: true),
      TwiceAsked(
        address: "/v1/events?type=transaction.*&from=3",
        words: ["events", "--type", "transaction.*", "--from", "3"], isList: true),
    ]
  }

  /// Differences have clocks of their own.
  var differences: [TwiceAsked] {
    let (from, at) = ("\(events.count / 3)", middle.event.occurredAt.rfc3339)
    return [
      TwiceAsked(
        address: "/v1/diff?from=\(from)", words: ["diff", "--from", from], isList: true),
      TwiceAsked(
        address: "/v1/diff?from=0&to=\(middle.position)&at=\(at)",
        words: ["diff", "--from", "0", "--to", "\(middle.position)", "--at", at], isList: true),
      TwiceAsked(
        address:
          "/v1/diff?from=\(events[0].event.occurredAt.rfc3339)&to=\(at)&asOf=\(events.count)",
        words: [
          "diff", "--from", events[0].event.occurredAt.rfc3339, "--to", at, "--as-of",
          "\(events.count)",
        ], isList: true),
    ]
  }
}

/// The service and the command line are two voices of one ledger.
@Suite("The service's answers") struct ServiceAnswersTests {
  @Test(
    "are those of the command line, at present and with both clocks",
    arguments: [3, 11] as [UInt64])
  func same(seed: UInt64) async throws {
    try await ServiceBench.run { bench in
      let history = AskedHistory(seed: seed)
      try bench.append(history.events)
      for clocks in history.clocks {
        for asked in history.documents + history.lists + history.streams {
          try await asked.expectSame(bench, clocks, seed: seed)
        }
      }
      for asked in history.differences { try await asked.expectSame(bench, .init(), seed: seed) }
    }
  }

  @Test("are the command line's tables in CSV") func csv() async throws {
    try await ServiceBench.run { bench in
      let history = AskedHistory(seed: 5)
      try bench.append(history.events)
      for asked in history.documents + history.lists {
        try await asked.expectSame(bench, history.clocks[1], seed: 5, form: "csv")
      }
    }
  }

  @Test("have no cell in CSV that a spreadsheet takes for a formula") func formulas() async throws {
    try await ServiceBench.run { bench in
      let texts = ["=1+1", "+1", "-1+1", "@SUM(A1)", "\u{FF1D}1", "\u{FF20}SUM(A1)"]
      let lines = texts.enumerated().map { Line.purchase("\($1)", of: $1, product: $1 + "\($0)") }
      #expect(try await bench.append(lines).status == 200)
      for address in [
        "/v1/events", "/v1/transactions/all", "/v1/events?by=product",
      ] {
        let separator = address.contains("?") ? "&" : "?"
        let table = try await bench.get(address + separator + "format=csv").body
        for text in texts {
          #expect(table.contains("'\(text)"), "\(address) \(text): \(table)")
          #expect(!table.contains(",\(text)") && !table.contains("\n\(text)"), "\(address) \(text)")
        }
      }
    }
  }

  @Test("have the form that Accept names, and else none") func accept() async throws {
    try await ServiceBench.run { bench in
      _ = try await bench.append([Line.purchase("t1", of: "ada"), Line.purchase("t2", of: "bob")])
      let forms = [
        ("", "application/json"), ("*/*", "application/json"),
        ("application/json", "application/json"), ("application/x-ndjson", "application/x-ndjson"),
        ("text/csv", "text/csv"), ("text/html, text/csv;q=0.5", "text/csv"),
        ("application/json;q=0, application/jsonl", "application/x-ndjson"),
      ]
      for (accepted, type) in forms {
        let reply = try await bench.get("/v1/events", headers: ["Accept": accepted])
        #expect(reply.status == 200)
        #expect(reply.headers[.contentType]?.hasPrefix(type) == true, "\(accepted)")
      }
      let refused = try await bench.get("/v1/events", headers: ["Accept": "text/html, image/png"])
      #expect(refused.status == 406)
      #expect(refused.problem == "not-acceptable")
      let asked = try await bench.get("/v1/events?format=csv", headers: ["Accept": "text/html"])
      #expect(asked.headers[.contentType]?.hasPrefix("text/csv") == true)
      let lines = try await bench.get("/v1/events?format=jsonl")
      #expect(try lines.objects().map { $0["position"] as? Int } == [1, 2])
    }
  }

  @Test("name what a request has wrong") func wrong() async throws {
    try await ServiceBench.run { bench in
      let wrong = [
        "/v1/entitlements", "/v1/entitlements?acount=ada", "/v1/entitlements?account=",
        "/v1/entitlements?account=a&account=b", "/v1/entitlements?account=a&transaction=b",
        "/v1/events?limit=0", "/v1/events?limit=10001", "/v1/events?cursor=x", "/v1/events?from=0",
        "/v1/events?from=3&to=2", "/v1/events?type=x", "/v1/events?reverse=maybe", "/v1/diff",
        "/v1/events?format=xml", "/v1/holders", "/v1/findings?rule=none",
        "/v1/events?at=yesterdayish",
        "/v1/entitlements?account=%zz", "/v1/events?follow=true&to=9",
      ]
      for address in wrong {
        let reply = try await bench.get(address)
        #expect(reply.status == 400, "\(address)")
        #expect(reply.problem == "bad-request", "\(address)")
      }
      #expect(try await bench.get("/v1/events/1").problem == "not-found")
      #expect(try await bench.get("/v1/nothing").problem == "not-found")
      let deleted = try await Reply(try await bench.response(.delete, "/v1/events"))
      #expect(deleted.problem == "method-not-allowed")
      #expect(deleted.headers[.allow] == "GET, HEAD, POST")
    }
  }
}
