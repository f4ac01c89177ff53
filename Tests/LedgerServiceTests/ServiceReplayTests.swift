import Foundation
import HTTPTypes
import LedgerEvents
import LedgerHistories
import NIOCore
import ServiceAccess
import Testing

@testable import LedgerService

/// A replay over HTTP is the command's, and changes nothing.
@Suite("A replay at the service") struct ServiceReplayTests {
  /// What the command line prints of a replay.
  private static func printed(_ bench: ServiceBench, _ words: [String]) throws -> String {
    let ended = try BuiltProgram.run("daybook", ["replay", "--ledger", bench.path] + words)
    #expect(ended.status == 0, "\(ended.errors)")
    return ended.output
  }

  private static func post(
    _ bench: ServiceBench, _ query: String, _ body: String, token: String? = nil
  ) async throws -> Reply {
    try await Reply(
      try await bench.response(
        .post, "/v1/replay?\(query)", headers: ["Content-Type": "application/json"],
        body: ByteBuffer(string: body), token: token))
  }

  private static func fill(_ bench: ServiceBench) throws -> String {
    let events = Histories.dense(seed: 7)
    try bench.append(events)
    return try #require(events.compactMap(\.event.account).first).text
  }

  @Test("is what the command prints, in each form") func same() async throws {
    try await ServiceBench.run { bench in
      let account = try Self.fill(bench)
      let spelled = account.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? account
      let asked = [
        ("account=\(spelled)", ["--account", account]),
        ("account=\(spelled)&until=finding", ["--account", account, "--until", "finding"]),
        ("from=5&to=40&until=30", ["--from", "5", "--to", "40", "--until", "30"]),
        (
          "to=40&threshold=never-finished%3DPT1H",
          ["--to", "40", "--threshold", "never-finished=PT1H"]
        ),
      ]
      for (query, words) in asked {
        for form in ["json", "jsonl", "csv"] {
          let reply = try await bench.get("/v1/replay?\(query)&format=\(form)")
          #expect(reply.status == 200, "\(reply.body)")
          let printed = try Self.printed(bench, words + ["--format", form])
          #expect(reply.body == printed, "\(query) \(form)")
        }
        let page = try await bench.get("/v1/replay?\(query)", headers: ["Accept": "text/html"])
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        let file = bench.path + "-page.html"
        _ = try Self.printed(bench, words + ["--html", file])
        let written = try String(contentsOfFile: file, encoding: .utf8)
        try FileManager.default.removeItem(atPath: file)
        #expect(page.body == written, "\(query)")
      }
    }
  }

  @Test("of edited events is what the command prints") func edited() async throws {
    try await ServiceBench.run { bench in
      _ = try Self.fill(bench)
      let position = try bench.lastPosition()
      let event =
        #"{"id":"new","type":"note.added","occurredAt":"2026-02-01T12:00:00Z","data":{"text":"x"}}"#
      let file = bench.path + "-inserted.jsonl"
      try Data((event + "\n").utf8).write(to: URL(fileURLWithPath: file))
      defer {
        do { try FileManager.default.removeItem(atPath: file) } catch { print("left \(file)") }
      }
      let body = """
        {"edits": [{"drop": 3}, {"move": 5, "after": 9}, {"repeat": 7},
          {"insert": [\(event)], "after": 12}]}
        """
      let words = [
        "--from", "1", "--to", "30", "--drop", "3", "--move", "5", "after", "9", "--repeat", "7",
        "--insert", file, "after", "12",
      ]
      for form in ["json", "jsonl"] {
        let reply = try await Self.post(bench, "from=1&to=30&format=\(form)", body)
        #expect(reply.status == 200, "\(reply.body)")
        let printed = try Self.printed(bench, words + ["--format", form])
        #expect(reply.body == printed)
        #expect(reply.body.contains("3 dropped"))
      }
      let page = try await Self.post(bench, "from=1&to=30&format=html", body)
      #expect(page.body.contains("positions 1 to 30, 3 dropped, 5 moved after 9, 7 repeated"))
      #expect(try bench.lastPosition() == position)
    }
  }

  @Test("says what is wrong with it") func wrong() async throws {
    try await ServiceBench.run { bench in
      _ = try Self.fill(bench)
      for query in [
        "", "from=9&to=8", "until=soon", "until=0&from=1", "from=1&format=xml", "from=1&asOf=3",
        "storeItem=x", "from=1&threshold=x",
      ] {
        #expect(try await bench.get("/v1/replay?\(query)").problem == "bad-request", "\(query)")
      }
      let many = (0...100).map { _ in #"{"repeat":3}"# }.joined(separator: ",")
      for body in [
        "", "[]", "{}", #"{"edits":[]}"#, #"{"edits":[{"drop":0}]}"#, #"{"edits":[{"drop":9999}]}"#,
        #"{"edits":[{"drop":3,"move":4}]}"#, #"{"edits":[{"move":4}]}"#,
        #"{"edits":[{"drop":3},{"drop":3}]}"#, #"{"edits":[{"insert":[]}]}"#,
        #"{"edits":[{"drop":3}],"more":1}"#, "{\"edits\":[\(many)]}",
      ] {
        let reply = try await Self.post(bench, "from=1&to=30", body)
        #expect(reply.problem == "bad-request", "\(body): \(reply.body)")
      }
      let broken = try await Self.post(bench, "from=1", #"{"edits":[{"insert":[{"id":"a"}]}]}"#)
      #expect(broken.problem == "invalid-event")
      let reply = try await bench.get("/v1/rules", headers: ["Accept": "text/html"])
      #expect(reply.status == 200)
    }
  }

  @Test("of more events than it takes is refused, and told what to do") func many() async throws {
    try await ServiceBench.run { bench in
      let lines = (0..<ServiceLimits.replayEventsMax).map { Line.note("n\($0)") }
      #expect(try await bench.append(lines).status == 200)
      #expect(try await bench.append([Line.note("last")]).status == 200)
      let reply = try await bench.get("/v1/replay?from=1")
      #expect(reply.problem == "bad-request", "\(reply.body.prefix(200))")
      #expect(reply.body.contains("daybook replay"))
      #expect(try await bench.get("/v1/replay?from=9001&format=jsonl").lines.count == 1_001)
    }
  }

  @Test("is nothing for a token of one account or of some apps") func restricted() async throws {
    try await ServiceBench.run(.guarded) { bench in
      let account = try Self.fill(bench)
      let reader = try bench.token("reader", [.read])
      let own = try bench.token("own", [.read], account: Name(account))
      let app = try bench.token("app", [.read], apps: ["app.a"])
      let writer = try bench.token("writer", [.append])
      let body = #"{"edits":[{"drop":3}]}"#
      for token in [own, app, writer] {
        for query in ["account=\(account)", "from=1&to=9", "transaction=t1"] {
          let reply = try await bench.get("/v1/replay?\(query)", token: token)
          #expect(reply.problem == "forbidden", "\(reply.body)")
          #expect(try await Self.post(bench, query, body, token: token).problem == "forbidden")
        }
      }
      #expect(try await bench.get("/v1/replay?from=1&to=9", token: reader).status == 200)
      #expect(try await Self.post(bench, "from=1&to=9", body, token: reader).status == 200)
    }
  }
}
