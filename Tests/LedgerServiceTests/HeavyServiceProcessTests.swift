import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing

/// What clients were told is in the ledger.
private struct AcknowledgementAudit {
  struct Item: Hashable {
    let id: String
    let position: Int
  }

  /// Returns what is wrong: an acknowledged event that is not where it was said to be, or that is
  /// there more than once.
  static func breaches(_ acknowledged: [Item], in lines: [String]) throws -> [String] {
    var there: [String: [Int]] = [:]
    for line in lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let id = try #require(object?["id"] as? String)
      there[id, default: []].append(try #require(object?["position"] as? Int))
    }
    return acknowledged.compactMap { item in
      there[item.id] == [item.position]
        ? nil : "\(item.id) is at \(there[item.id] ?? []), and was acknowledged at \(item.position)"
    }
  }
}

/// The items that several writers have been told, and somebody who waits for enough of them.
private actor Acknowledged {
  private(set) var items: [AcknowledgementAudit.Item] = []
  private var waiting: [(Int, CheckedContinuation<Void, Never>)] = []

  func add(_ more: [AcknowledgementAudit.Item]) {
    items += more
    for (count, continuation) in waiting where items.count >= count { continuation.resume() }
    waiting.removeAll { items.count >= $0.0 }
  }

  func wait(for count: Int) async {
    if items.count >= count { return }
    await withCheckedContinuation { waiting.append((count, $0)) }
  }
}

/// `daybook-serve` as a process among others.
@Suite("The process of the service", .serialized, .timeLimit(.minutes(20)))
struct HeavyServiceProcessTests {
  /// Appends until the connection is lost.
  private static func write(
    _ writer: Int, to served: ServedLedger, _ acknowledged: Acknowledged
  ) async {
    do {
      for round in 0... {
        let ids = (0..<5).map { "w\(writer)-\(round)-\($0)" }
        let answer = try await served.append(ids.map { Line.note($0) })
        guard answer.status == 200 else { return }
        let items = try answer.body.split(separator: "\n").map { line in
          let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
          return AcknowledgementAudit.Item(
            id: try #require(object?["id"] as? String),
            position: try #require(object?["position"] as? Int))
        }
        await acknowledged.add(items)
      }
    } catch {
      // The process was killed: what it answered before that is known.
      return
    }
  }

  @Test("killed while four clients append, has everything that it acknowledged, once")
  func killed() async throws {
    let ledger = try MadeLedger()
    let acknowledged = Acknowledged()
    for round in 1...2 {
      try await ledger.served { served in
        await withTaskGroup(of: Void.self) { group in
          for writer in 0..<4 {
            group.addTask { await Self.write(round * 10 + writer, to: served, acknowledged) }
          }
          await acknowledged.wait(for: round * 200)
          #expect(served.end(SIGKILL) == -SIGKILL)
        }
      }
      let items = await acknowledged.items
      let lines = try ledger.daybook("events").output.split(separator: "\n").map(String.init)
      #expect(lines.count >= items.count)
      #expect(try AcknowledgementAudit.breaches(items, in: lines).isEmpty)
      // The auditor must see what is missing, what is elsewhere, and what is there twice.
      let one = try #require(items.first)
      for wrong in [
        AcknowledgementAudit.Item(id: "never-sent", position: lines.count + 1),
        AcknowledgementAudit.Item(id: one.id, position: one.position + 1),
      ] {
        #expect(try AcknowledgementAudit.breaches(items + [wrong], in: lines).count == 1)
      }
      #expect(try AcknowledgementAudit.breaches([one], in: lines + lines).count == 1)
      let verified = try ledger.daybook("verify")
      #expect(verified.status == 0, "\(verified.output) \(verified.errors)")
    }
  }

  @Test("goes on after SIGHUP, by which it would read nothing again") func hangup() async throws {
    let ledger = try MadeLedger()
    try await ledger.served { served in
      for _ in 1...3 {
        served.send(SIGHUP)
        let answer = try await served.get("/health")
        #expect(answer.status == 200)
      }
      #expect(served.end() == 0)
    }
  }

  @Test("does not wait for a follower who does not read after SIGTERM") func followed() async throws
  {
    let ledger = try MadeLedger()
    try await ledger.served(["--open", "--stop-seconds", "3600"]) { served in
      // More than the buffers of a connection take.
      let text = String(repeating: "x", count: 4_000)
      for batch in 0..<8 {
        let lines = (0..<1_000).map { number in
          #"{"id":"\#(batch)-\#(number)","type":"note.added","occurredAt":"2026-02-01T12:00:00Z","#
            + #""data":{"text":"\#(text)"}}"#
        }
        #expect(try await served.append(lines).status == 200)
      }
      let request = served.request("/v1/events?follow&from=1")
      let response = try await served.client.execute(request, deadline: .distantFuture)
      var received = ""
      for try await part in response.body {
        received += String(buffer: part)
        guard received.contains("id: 1\n") else { continue }
        #expect(served.end() == 0)
        break
      }
    }
  }

  @Test(
    "answers what is under way after SIGTERM, and then ends with 0", arguments: [SIGTERM, SIGINT])
  func terminated(_ signal: Int32) async throws {
    let ledger = try MadeLedger()
    try await ledger.served(["--open", "--stop-seconds", "3600"]) { served in
      let lines = [Line.note("a") + "\n", Line.note("b")]
      let (parts, more) = AsyncStream<ByteBuffer>.makeStream()
      more.yield(ByteBuffer(string: lines[0]))
      var request = served.request("/v1/events")
      request.method = .POST
      request.headers.add(name: "Content-Type", value: "application/x-ndjson")
      request.body = .stream(parts, length: .known(Int64(lines.joined().utf8.count)))
      let asked = request
      async let answer = served.send(asked)
      try await served.waitUntil(
        "http_server_active_requests{http_request_method=\"POST\"}", is: 1)
      served.send(signal)
      // The service no longer takes connections once it has seen the signal.
      await Self.waitUntilClosed(served)
      more.yield(ByteBuffer(string: lines[1]))
      more.finish()
      let answered = try await answer
      #expect(answered.status == 200)
      #expect(answered.body.contains("\"position\":2"))
      #expect(served.end(0) == 0)
    }
    #expect(try ledger.daybook("events", "--count").output == "2\n")
    #expect(try ledger.daybook("verify").status == 0)
  }

  /// Tries connections until none is taken.
  private static func waitUntilClosed(_ served: ServedLedger) async {
    while true {
      var request = served.request("/health")
      request.headers.add(name: "Connection", value: "close")
      do { _ = try await served.send(request) } catch { return }
    }
  }

  @Test("ends the streams of followers and those who wait for a position when it is told to stop")
  func followersEnd() async throws {
    let ledger = try MadeLedger()
    try await ledger.served(["--open", "--stop-seconds", "3600"]) { served in
      async let positions = served.follow("", after: 0, until: .max)
      async let waiting = served.get("/v1/events?atLeast=5")
      try await served.waitUntil("daybook_followers", is: 2)
      served.send(SIGTERM)
      #expect(try await positions == [])
      #expect(try await waiting.status == 503)
      #expect(served.end(0) == 0)
    }
  }

  @Test("works beside another one on the same ledger, and beside the command line")
  func several() async throws {
    let ledger = try MadeLedger()
    try await ledger.served { first in
      try await ledger.served { second in
        async let followed = second.follow("", after: 0, until: 9)
        for round in 0..<3 {
          let one = try await first.append([Line.note("first-\(round)", account: "ada")])
          let two = try await second.append([Line.note("second-\(round)", account: "ada")])
          let file = try ledger.write("\(round).jsonl", Line.note("third-\(round)", account: "ada"))
          #expect(try ledger.daybook("append", file).status == 0)
          #expect(one.headers["Daybook-Position"] == ["\(round * 3 + 1)"])
          #expect(two.headers["Daybook-Position"] == ["\(round * 3 + 2)"])
          for served in [first, second] {
            let events = try await served.get(
              "/v1/events?account=ada&count&atLeast=\(round * 3 + 3)")
            #expect(events.body == "{\"count\":\(round * 3 + 3)}\n")
          }
        }
        #expect(try await followed == Array(1...9))
        #expect(first.end() == 0)
        #expect(try await second.append([Line.note("last")]).status == 200)
        #expect(second.end() == 0)
      }
    }
    #expect(try ledger.daybook("events", "--count").output == "10\n")
    #expect(try ledger.daybook("verify").status == 0)
  }

  @Test("lets followers go and come back over its sockets, without a gap and nothing twice")
  func followers() async throws {
    let ledger = try MadeLedger()
    try await ledger.served { served in
      let count = 60
      async let writing: Void = {
        for number in 1...count { _ = try await served.append([Line.note("n\(number)")]) }
      }()
      let received = try await withThrowingTaskGroup(of: [Int].self) { group in
        for follower in 0..<20 {
          group.addTask {
            var received: [Int] = []
            for end in [10 + follower, 40, count] where end > received.last ?? 0 {
              received += try await served.follow("", after: received.last ?? 0, until: end)
            }
            return received
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      try await writing
      #expect(received.count == 20)
      for positions in received { #expect(positions == Array(1...count)) }
      // Whoever has gone is forgotten, at the latest with the next event.
      _ = try await served.append([Line.note("last")])
      try await served.waitUntil("daybook_followers", is: 0)
      #expect(served.end() == 0)
    }
  }
}
