import Foundation
import LedgerEvents
import LedgerHistories
import LedgerStore
import Testing

/// Pages of one answer.
@Suite("The pages of the service") struct ServicePagingTests {
  /// Items as texts that can be compared.
  private static func texts(_ items: [[String: Any]]) throws -> [String] {
    try items.map { item in
      String(
        decoding: try JSONSerialization.data(withJSONObject: item, options: .sortedKeys),
        as: UTF8.self)
    }
  }

  /// Follows `next` to the end, and calls `between` after each page.
  private static func pages(
    _ bench: ServiceBench, _ address: String, between: (Int) async throws -> Void
  ) async throws -> [[String: Any]] {
    let question = address + (address.contains("?") ? "&" : "?") + "limit=2"
    var items: [[String: Any]] = []
    var asked = question
    for number in 1... {
      let page = try await bench.get(asked)
      try #require(page.status == 200, "\(page.body)")
      let found = try page.items()
      #expect(found.count <= 2)
      items += found
      guard let next = try page.object()["next"] as? String else {
        #expect(page.header("Link") == nil)
        return items
      }
      #expect(found.count == 2, "only the last page may be short")
      let query = question.drop { $0 != "?" }
      #expect(page.header("Link") == "<\(query)&cursor=\(next)>; rel=\"next\"")
      asked = question + "&cursor=" + next
      try await between(number)
    }
    return items
  }

  /// The address of an answer on one page.
  private static func undivided(_ question: String) -> String {
    question + (question.contains("?") ? "&" : "?") + "limit=10000"
  }

  /// The items of an answer that is not divided into pages.
  private static func whole(_ bench: ServiceBench, _ question: String) async throws -> [String] {
    let whole = try await bench.get(undivided(question))
    #expect(try whole.object()["next"] as? String == nil)
    return try texts(try whole.items())
  }

  private static let questions = [
    "/v1/events", "/v1/events?reverse=true", "/v1/events?type=transaction.*",
    "/v1/events?account=account-1", "/v1/events?account=account-1&reverse=true",
    "/v1/events?from=20&to=60&reverse", "/v1/findings", "/v1/findings?reverse=true",
    "/v1/holders?product=map", "/v1/diff?from=0", "/v1/diff?from=0&to=90",
    "/v1/diff?from=40&at=2030-01-01T00:00:00Z",
  ]

  @Test("together are the whole answer, whatever is appended between them", arguments: questions)
  func together(question: String) async throws {
    try await ServiceBench.run { bench in
      let holders = (0..<6).map { Line.purchase("map-\($0)", of: "reader-\($0)") }
      #expect(try await bench.append(holders).status == 200)
      try bench.append(Histories.sparse(seed: 7, count: 160, accounts: 8))
      let expected = try await Self.whole(bench, question)
      #expect(expected.count >= 3, "the question has too few items to say anything: \(question)")
      let found = try await Self.pages(bench, question) { number in
        let more = [
          Line.purchase("new-\(number)", of: "account-0\(number)"),
          Line.purchase("more-\(number)", of: "account-1", product: "product-1"),
        ]
        let reply = try await bench.append(more)
        #expect(reply.status == 200)
      }
      #expect(try Self.texts(found) == expected)
    }
  }

  @Test("of customers have everybody who was there, once each") func customers() async throws {
    try await ServiceBench.run { bench in
      try bench.append(Histories.sparse(seed: 7, count: 160, accounts: 8))
      func accounts(_ items: [[String: Any]]) throws -> [String] {
        try Self.texts(items).map { text in
          text.firstMatch(of: /"account":"([^"]*)"/).map { String($0.output.1) } ?? text
        }
      }
      for question in ["/v1/customers", "/v1/customers?search=account"] {
        let whole = try await bench.get(Self.undivided(question))
        let expected = try accounts(try whole.items())
        #expect(expected.count > 4)
        let found = try accounts(
          try await Self.pages(bench, question) { number in
            _ = try await bench.append([Line.purchase("z\(number)", of: "account-0\(number)")])
          })
        #expect(Set(found).count == found.count, "\(question): \(found)")
        #expect(Set(found).isSuperset(of: expected))
      }
    }
  }

  private static func link(_ account: String, to other: String, _ id: String) -> String {
    #"{"id":"\#(id)","type":"account.linked","occurredAt":"2026-02-03T00:00:00Z","#
      + #""account":"\#(account)","data":{"to":"\#(other)"}}"#
  }

  /// Answers about all customers, in the order of these.
  private static let ofEverybody = [
    "/v1/holders?product=map", "/v1/transactions/all", "/v1/transactions/ownerless",
    "/v1/diff?from=0", "/v1/diff?from=0&to=8", "/v1/transactions/all?at=2026-02-02T00:00:00Z",
  ]

  @Test("have everything once where customers become one between them", arguments: ofEverybody)
  func joined(question: String) async throws {
    try await ServiceBench.run { bench in
      let owned = (0..<6).map { Line.purchase("map-\($0)", of: "reader-\($0)") }
      let ownerless = (6..<10).map { Line.purchase("map-\($0)", of: nil) }
      #expect(try await bench.append(owned + ownerless).status == 200)
      let expected = try await Self.whole(bench, question)
      #expect(expected.count >= 4)
      let found = try await Self.pages(bench, question) { number in
        // The first one becomes a customer with the last one, who was behind everybody, and an
        // unknown purchase becomes the second one's.
        let assigned = Line.purchase("map-\(10 - number)", of: "reader-1")
          .replacing("purchase-map", with: "again-\(number)")
        let more = [Self.link("reader-0", to: "reader-\(6 - number)", "l\(number)"), assigned]
        let reply = try await bench.append(more)
        #expect(reply.status == 200)
      }
      #expect(try Self.texts(found) == expected)
    }
  }

  @Test(
    "have what a fast clock dates ahead of the question",
    arguments: ["/v1/events", "/v1/events?reverse=true", "/v1/events?by=account"] + ofEverybody)
  func ahead(question: String) async throws {
    try await ServiceBench.run { bench in
      let soon = Instant(microseconds: EventLog.systemClock().microseconds + Instant.hour).rfc3339
      let lines = (0..<8).map { number in
        Line.purchase("map-\(number)", of: number < 4 ? "reader-\(number)" : nil)
          .replacing("2026-02-01T12:00:00Z", with: number % 4 == 0 ? soon : "2026-02-01T12:00:00Z")
      }
      #expect(try await bench.append(lines).status == 200)
      let expected = try await Self.whole(bench, question)
      #expect(expected.count >= 3)
      var appended = 0
      for isAppending in [false, true] {
        let found = try await Self.pages(bench, question) { number in
          guard isAppending else { return }
          appended += 1
          let more = Line.purchase("z-\(appended)", of: "new-\(number)", product: "atlas")
          let reply = try await bench.append([more])
          #expect(reply.status == 200)
        }
        #expect(try Self.texts(found) == expected, "appending: \(isAppending)")
      }
    }
  }

  private static func erase(_ account: String, _ bench: ServiceBench) throws {
    let line =
      #"{"id":"erasure","type":"account.erased","occurredAt":"2026-02-09T00:00:00Z","#
      + #""source":"operator","account":"\#(account)","#
      + #""data":{"operator":"kim","reason":"asked"}}"#
    try bench.ledger.erase(try EventDecoder().decode(line: Array(line.utf8), number: 1).event)
  }

  /// Answers whose items are counted, in the order of names.
  private static let ordered = [
    "/v1/events?by=account", "/v1/events?by=account,product", "/v1/events?sum=quantity&by=account",
    "/v1/events?sum=price&net=true&by=account", "/v1/holders?product=map", "/v1/diff?from=0",
    "/v1/customers", "/v1/transactions/all", "/v1/events?by=account&asOf=6",
  ]

  @Test("are refused, not lost and given twice, once a customer was erased", arguments: ordered)
  func erased(question: String) async throws {
    try await ServiceBench.run { bench in
      let lines = (0..<6).map { Line.purchase("map-\($0)", of: "reader-\($0)") }
      #expect(try await bench.append(lines).status == 200)
      let asked = question + (question.contains("?") ? "&" : "?") + "limit=2"
      let first = try await bench.get(asked)
      let next = try #require(try first.object()["next"] as? String, "\(first.body)")
      // While nobody is erased, it goes on.
      #expect(try await bench.append([Line.purchase("more", of: "a")]).status == 200)
      #expect(try await bench.get("\(asked)&cursor=\(next)").items().count == 2)
      try Self.erase("reader-0", bench)
      let refused = try await bench.get("\(asked)&cursor=\(next)")
      #expect(refused.status == 412, "\(refused.body)")
      #expect(refused.problem == "condition-failed")
      #expect(refused.body.contains("from the beginning"), "\(refused.body)")
      // From the beginning, the pages are one answer again.
      let whole = try await Self.whole(bench, question)
      let found = try await Self.pages(bench, question) { _ in }
      #expect(try Self.texts(found) == whole)
    }
  }

  @Test("of events go on, whoever was erased") func erasedEvents() async throws {
    try await ServiceBench.run { bench in
      let lines = (0..<6).map { Line.purchase("map-\($0)", of: "reader-\($0)") }
      #expect(try await bench.append(lines).status == 200)
      let found = try await Self.pages(bench, "/v1/events") { number in
        guard number == 1 else { return }
        try Self.erase("reader-0", bench)
      }
      #expect(found.map { $0["position"] as? Int } == Array(1...6))
    }
  }

  @Test("of an answer at a ledger time stay there") func asOf() async throws {
    try await ServiceBench.run { bench in
      try bench.append(Histories.sparse(seed: 9, count: 120, accounts: 8))
      let question = "/v1/events?asOf=30"
      let found = try await Self.pages(bench, question) { _ in }
      #expect(found.map { $0["position"] as? Int } == Array(1...30))
    }
  }
}
