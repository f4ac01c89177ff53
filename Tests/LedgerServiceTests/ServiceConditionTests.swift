import Foundation
import HTTPTypes
import Testing

@testable import LedgerService

/// What a client has read, and what it does on the strength of that.
@Suite("A condition of the service") struct ServiceConditionTests {
  private static let ada = "/v1/entitlements?account=ada"

  private static func tag(_ reply: Reply) throws -> String {
    try #require(reply.headers[.eTag])
  }

  @Test("an answer that has not changed is not sent again") func notModified() async throws {
    try await ServiceBench.run { bench in
      _ = try await bench.append([Line.purchase("t1", of: "ada")])
      for question in [Self.ada, "/v1/events", "/v1/holders?product=map", "/v1/customer?id=ada"] {
        let tag = try Self.tag(try await bench.get(question))
        for known in [tag, "\"else\", W/\(tag)", "*"] {
          let again = try await bench.get(question, headers: ["If-None-Match": known])
          #expect(again.status == 304, "\(question)")
          #expect(again.body.isEmpty)
          #expect(again.headers[.eTag] == tag)
        }
      }
      let tag = try Self.tag(try await bench.get(Self.ada))
      _ = try await bench.append([Line.purchase("t2", of: "ada", product: "atlas")])
      let changed = try await bench.get(Self.ada, headers: ["If-None-Match": tag])
      #expect(changed.status == 200)
      #expect(try Self.tag(changed) != tag)
      #expect(changed.body.contains("atlas"))
    }
  }

  @Test("each answer, and each form of one, has a tag of its own at one position") func tags()
    async throws
  {
    try await ServiceBench.run { bench in
      _ = try await bench.append([Line.purchase("t1", of: "ada"), Line.purchase("t2", of: "bob")])
      let questions = [
        Self.ada, "/v1/entitlements?account=bob", Self.ada + "&format=csv",
        Self.ada + "&environment=sandbox", "/v1/events", "/v1/events?limit=1",
      ]
      var tags: Set<String> = []
      for question in questions { tags.insert(try Self.tag(try await bench.get(question))) }
      #expect(tags.count == questions.count)
    }
  }

  @Test("holds while nothing of the customer is appended, and not after that")
  func ifMatch() async throws {
    try await ServiceBench.run { bench in
      _ = try await bench.append([Line.purchase("t1", of: "ada")])
      let tag = try Self.tag(try await bench.get(Self.ada))
      _ = try await bench.append([Line.purchase("t2", of: "bob")])
      let headers = ["If-Match": tag]
      let taken = try await bench.append(
        [Line.purchase("t3", of: "ada")], query: "?account=ada", headers: headers)
      #expect(taken.status == 200)
      // The append itself was one of the customer's.
      let refused = try await bench.append(
        [Line.purchase("t4", of: "carl"), Line.purchase("t5", of: "dora")], query: "?account=ada",
        headers: headers)
      #expect(refused.status == 412)
      #expect(refused.problem == "condition-failed")
      #expect(try bench.lastPosition() == 3, "nothing of it is appended")
      // Without a filter, every event counts.
      let newest = try Self.tag(try await bench.get(Self.ada))
      let first = try await bench.append([Line.note("n1")], headers: ["If-Match": newest])
      #expect(first.status == 200)
      let second = try await bench.append([Line.note("n2")], headers: ["If-Match": newest])
      #expect(second.status == 412)
    }
  }

  @Test("is refused if it cannot be read, or has nothing to be about") func unreadable()
    async throws
  {
    try await ServiceBench.run { bench in
      let unreadable = try await bench.append([Line.note("n1")], headers: ["If-Match": "\"x\""])
      #expect(unreadable.problem == "bad-request")
      let alone = try await bench.append([Line.note("n1")], query: "?account=ada")
      #expect(alone.problem == "bad-request")
      #expect(try bench.lastPosition() == 0)
    }
  }

  @Test("If-Match: a position that the log has not reached is another ledger's") func ahead()
    async throws
  {
    try await ServiceBench.run { bench in
      let reply = try await bench.append([Line.note("n1")], headers: ["If-Match": "\"1\""])
      #expect(reply.status == 412)
      #expect(try bench.lastPosition() == 0)
      #expect(
        try await bench.append([Line.note("n1")], headers: ["If-Match": "\"0\""]).status == 200)
    }
  }

  @Test("atLeast: an answer knows the append whose position it names") func atLeast() async throws {
    var limits = ServiceBench.Limits()
    limits.atLeastSeconds = 3_600
    try await ServiceBench.run(limits) { bench in
      let appended = try await bench.append([Line.purchase("t1", of: "ada")])
      let position = try #require(appended.header("Daybook-Position"))
      let reply = try await bench.get(Self.ada + "&atLeast=\(position)")
      #expect(reply.body.contains("\"map\""))
      #expect(reply.header("Daybook-Position") == position)
      // One that is not there yet is waited for.
      async let waiting = bench.get(Self.ada + "&atLeast=2")
      while bench.watch.followerCount == 0 { await Task.yield() }
      _ = try await bench.append([Line.purchase("t2", of: "ada", product: "atlas")])
      let later = try await waiting
      #expect(later.status == 200)
      #expect(later.header("Daybook-Position") == "2")
      #expect(later.body.contains("atlas"))
      #expect(bench.watch.followerCount == 0)
    }
  }

  @Test("atLeast: a position that does not come is an error that says so") func beyond()
    async throws
  {
    try await ServiceBench.run { bench in
      _ = try await bench.append([Line.purchase("t1", of: "ada")])
      for question in [Self.ada, "/v1/events?count=true", "/v1/holders?product=map"] {
        let reply = try await bench.get(question + "&atLeast=2")
        #expect(reply.status == 503)
        #expect(reply.problem == "position-not-reached")
        #expect(reply.header("Retry-After") == "1")
      }
      #expect(try await bench.get(Self.ada + "&atLeast=0").problem == "bad-request")
    }
  }
}
