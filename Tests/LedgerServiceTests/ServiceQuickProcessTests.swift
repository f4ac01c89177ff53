import Foundation
import LedgerHistories
import Testing

/// Verdicts over real connections, where both ways share one socket.
@Suite("Verdicts over a connection", .serialized, .timeLimit(.minutes(20)))
struct ServiceQuickProcessTests {
  /// Sends a request the usual way: it states that it has no body, which changes no answer.
  private static let usual = "Content-Length: 0"

  /// An answer without what differs between two that say the same.
  private static func plain(_ answer: String) -> String {
    answer.replacing(/Daybook-Request: [0-9a-f]+/, with: "Daybook-Request: -")
      .replacing(/Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/, with: "Date: -")
  }

  private static func filled(_ accounts: Int) async throws -> MadeLedger {
    let ledger = try MadeLedger()
    let lines = (0..<accounts).map { Line.purchase("t\($0)", of: "a\($0)") }
    let file = try ledger.write("events.jsonl", lines.joined(separator: "\n"))
    let appended = try ledger.daybook("append", file)
    try #require(appended.status == 0, "\(appended.errors)")
    return ledger
  }

  private static func token(_ ledger: MadeLedger, _ words: String...) throws -> String {
    let made = try BuiltProgram.run(
      "daybook", ["token", "create"] + words + ["--ledger", ledger.path])
    try #require(made.status == 0, "\(made.errors)")
    return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func waitUntilFolded(_ served: ServedLedger, _ position: Int) async throws {
    for _ in 0..<3_000 {
      if try await served.get("/ready").object["projections"] as? Int == position { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("position \(position) was not folded")
  }

  @Test("find what other processes append stored: the service folds it") func folded() async throws
  {
    let ledger = try await Self.filled(3)
    try await ledger.served { served in
      try await Self.waitUntilFolded(served, 3)
      let file = try ledger.write("more.jsonl", Line.purchase("t9", of: "a9"))
      #expect(try ledger.daybook("append", file).status == 0)
      try await Self.waitUntilFolded(served, 4)
    }
  }

  @Test("are the same bytes as those of the usual way") func same() async throws {
    let ledger = try await Self.filled(20)
    let all = try Self.token(ledger, "all", "--scope", "read")
    let one = try Self.token(ledger, "one", "--scope", "read", "--account", "a3")
    let writer = try Self.token(ledger, "writer", "--scope", "append")
    try await ledger.served([]) { served in
      let authorized = "Authorization: Bearer \(all)"
      let targets = [
        "account=a1&product=map", "account=a1&product=none", "account=a1&entitlement=map",
        "account=nobody&product=map", "account=a%31&product=map", "account=a1&product=map&at=2020",
        "account=%22%5C%0A%F0%9F%98%80&product=%3Cb%3E", "account=a+1&product=+",
        "account=a1&product=map&environment=sandbox", "account=a1", "account=a1&product=map&x=1",
        "account=a1&product=map&atLeast=1", "account=%", "account=a1&product=map#part", "", "&&=",
        "account=" + String(repeating: "a", count: 3_000) + "&product=map",
      ].map { "/v1/verdict?\($0)" }
      var requests = targets.map { ($0, [authorized]) }
      let first = targets[0]
      requests += [
        (first, []), (first, ["Authorization: Bearer nonsense"]),
        (first, ["Authorization: bearer \(all)"]), (first, [authorized, authorized]),
        (first, ["Authorization: Bearer \(one)"]), (first, ["Authorization: Bearer \(writer)"]),
        ("/v1/verdict?account=a3&product=map", ["Authorization: Bearer \(one)"]),
        (first, [authorized, "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b71-01"]),
        (first, [authorized, "traceparent: " + String(repeating: "é", count: 200)]),
        (first, [authorized, "If-None-Match: *", "Accept: text/csv", "Range: bytes=0-1"]),
        (first, [authorized, "Connection: keep-alive"]), (first, [authorized, "Cookie: a=b; c=d"]),
      ]
      for (target, lines) in requests {
        for method in ["GET", "POST"] where method == "GET" || target == first {
          var answers: [[String]] = []
          for more in [[], [Self.usual]] {
            // Twice over each connection: the first one may open the ledger for the second.
            let text = RawConnection.request(target, lines + more, method: method)
            answers.append(
              try await RawConnection.exchange(served.address, [text, text], answers: 2)
                .map(Self.plain))
          }
          #expect(answers[0] == answers[1], "\(method) \(target) \(lines)")
          #expect(answers[0].count == 2 && answers[0][0] == answers[0][1])
        }
      }
    }
  }

  @Test(
    "come in the order of their requests, whichever way each goes",
    arguments: [1, 2, 3] as [UInt64])
  func order(seed: UInt64) async throws {
    let accounts = 40
    let ledger = try await Self.filled(accounts)
    var random = SeededRandom(seed: seed)
    try await ledger.served { served in
      var (text, expected) = ("", [String]())
      for _ in 0..<600 {
        let account = "a\(random.next() % UInt64(accounts))"
        let target = "account=\(account)&product=map"
        expected.append("\"account\":\"\(account)\"")
        switch random.next() % 8 {
        case 0: text += RawConnection.request("/v1/verdict?\(target)", [Self.usual])
        case 1: text += RawConnection.request("/v1/entitlements?account=\(account)")
        case 2: text += RawConnection.request("/v1/verdict?\(target)&at=2026-06-01")
        case 3:
          // A refusal has no account, and a smuggled request in its body is none.
          expected[expected.count - 1] = "\"status\":405"
          let body = RawConnection.request("/v1/verdict?account=smuggled&product=map")
          text +=
            RawConnection.request(
              "/v1/verdict?\(target)", ["Content-Length: \(body.utf8.count)"], method: "PUT") + body
        default: text += RawConnection.request("/v1/verdict?\(target)")
        }
      }
      // Cut anywhere: within a line, between two requests, or several of them together.
      var (parts, rest) = ([String](), Substring(text))
      while !rest.isEmpty {
        let count = Int(random.next() % 4 == 0 ? random.next() % 20 : random.next() % 900) + 1
        parts.append(String(rest.prefix(count)))
        rest = rest.dropFirst(count)
      }
      let answers = try await RawConnection.exchange(
        served.address, parts, answers: expected.count)
      #expect(answers.count == expected.count)
      for (index, (answer, words)) in zip(answers, expected).enumerated() {
        #expect(answer.contains(words), "seed \(seed), answer \(index): \(answer)")
      }
    }
  }

  @Test("end with their token, on a connection that stays") func revoked() async throws {
    let ledger = try await Self.filled(1)
    let token = try Self.token(ledger, "all", "--scope", "read")
    try await ledger.served([]) { served in
      let path = "/v1/verdict?account=a0&product=map"
      for _ in 0..<5 {
        let answer = try await served.get(path, token: token)
        #expect(answer.status == 200)
      }
      let ended = try ledger.daybook("token", "revoke", "all")
      #expect(ended.status == 0)
      let refused = try await served.get(path, token: token)
      #expect(refused.status == 401)
    }
  }

  @Test("keep nobody from ending: an idle connection is closed at SIGTERM") func ended()
    async throws
  {
    let ledger = try await Self.filled(1)
    try await ledger.served { served in
      for _ in 0..<3 {
        let answer = try await served.get("/v1/verdict?account=a0&product=map")
        #expect(answer.status == 200)
      }
      #expect(served.end() == 0)
    }
  }
}
