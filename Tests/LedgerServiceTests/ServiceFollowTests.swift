import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceAccess
import Testing

@testable import LedgerService

/// A client that follows the log: what it has received, and whether it reads at all.
actor Follower {
  private var text = ""
  private var isReading: Bool
  /// How many writes it reads before it stops for a while.
  private let readsAtFirst: Int
  /// How many writes the service has begun.
  private(set) var writes = 0
  private var waiting:
    [(isMet: @Sendable (String, Int) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
  private var stopped: [CheckedContinuation<Void, Never>] = []

  init(isReading: Bool = true, readsAtFirst: Int = 0) {
    self.isReading = isReading
    self.readsAtFirst = readsAtFirst
  }

  func receive(_ buffer: ByteBuffer) async {
    writes += 1
    text += String(buffer: buffer)
    let met = waiting.filter { $0.isMet(text, writes) }
    waiting.removeAll { $0.isMet(text, writes) }
    for item in met { item.continuation.resume() }
    if !isReading, writes > readsAtFirst { await withCheckedContinuation { stopped.append($0) } }
  }

  func read() {
    isReading = true
    for continuation in stopped { continuation.resume() }
    stopped = []
  }

  /// Waits until what was received is enough.
  func wait(until isMet: @escaping @Sendable (String, Int) -> Bool) async {
    if isMet(text, writes) { return }
    await withCheckedContinuation { waiting.append((isMet, $0)) }
  }

  /// Waits for the event at a position.
  func wait(for position: Int) async {
    await wait { text, _ in text.contains("\nid: \(position)\n") }
  }

  /// The positions that were received, in order.
  var positions: [Int] {
    text.split(separator: "\n").compactMap { line in
      line.hasPrefix("id: ") ? Int(line.dropFirst(4)) : nil
    }
  }

  var received: String { text }
}

struct FollowerWriter: ResponseBodyWriter {
  let follower: Follower

  mutating func write(_ buffer: ByteBuffer) async throws {
    try Task.checkCancellation()
    await follower.receive(buffer)
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension ServiceBench {
  /// Begins to follow. Cancelling the task ends the connection.
  func follow(
    _ follower: Follower, query: String = "", after last: Int? = nil, token: String? = nil
  ) async throws -> Task<Void, any Error> {
    let headers = last.map { ["Last-Event-ID": "\($0)"] } ?? [:]
    let answer = try await response(
      .get, "/v1/events?follow=true" + query, headers: headers, token: token)
    try #require(answer.status == .ok)
    #expect(answer.headers[.contentType] == "text/event-stream")
    return Task { try await answer.body.write(FollowerWriter(follower: follower)) }
  }

  /// Appends notes, one request each.
  fileprivate func appendNotes(_ numbers: ClosedRange<Int>, account: String? = nil) async throws {
    for number in numbers {
      let reply = try await append([Line.note("n\(number)", account: account)])
      try #require(reply.status == 200, "\(reply.body)")
    }
  }

  /// Appends notes in one request.
  fileprivate func appendTogether(_ numbers: ClosedRange<Int>) async throws {
    let reply = try await append(numbers.map { Line.note("n\($0)") })
    try #require(reply.status == 200, "\(reply.body)")
  }
}

extension Task where Success == Void, Failure == any Error {
  /// Ends the connection of a follower, from the client's side.
  fileprivate func hangUp() async throws {
    cancel()
    do { try await value } catch is CancellationError {
      return
    } catch let problem as Problem {
      // It was cancelled in the middle of a question.
      #expect(problem.kind == .unavailable)
    }
  }
}

/// Server-sent events.
@Suite("A follower of the service", .timeLimit(.minutes(20))) struct ServiceFollowTests {
  @Test("what is about an answer with an end is refused, and not ignored")
  func refused() async throws {
    try await ServiceBench.run { bench in
      for other in [
        "until=2026-05", "to=9", "limit=1", "count", "format=csv", "atLeast=1", "asOf=1",
      ] {
        let reply = try await bench.get("/v1/events?follow&\(other)")
        #expect(reply.status == 400, "\(other)")
        #expect(reply.body.contains("follow cannot be combined with"), "\(other)")
      }
    }
  }

  @Test("that comes back with the last id gets what follows, without a gap and nothing twice")
  func reconnects() async throws {
    try await ServiceBench.run { bench in
      let count = 120
      let writer = Task { try await bench.appendNotes(1...count) }
      var received: [Int] = []
      for end in [20, 21, 75, count] {
        let follower = Follower()
        let following = try await bench.follow(follower, after: received.last ?? 0)
        await follower.wait(for: end)
        try await following.hangUp()
        received += await follower.positions
      }
      try await writer.value
      #expect(received == Array(1...count))
    }
  }

  @Test("begins at the end of the log, or where it says, and gets whole events") func begins()
    async throws
  {
    try await ServiceBench.run { bench in
      try await bench.appendTogether(1...10)
      let (newest, from, all) = (Follower(), Follower(), Follower())
      let tasks = [
        try await bench.follow(newest), try await bench.follow(from, query: "&from=8"),
        try await bench.follow(all, query: "&from=1"),
      ]
      try await bench.appendTogether(11...12)
      for follower in [newest, from, all] { await follower.wait(for: 12) }
      #expect(await newest.positions == [11, 12])
      #expect(await from.positions == Array(8...12))
      #expect(await all.positions == Array(1...12))
      let text = await newest.received
      #expect(text.hasPrefix("retry: 1000\n\n"))
      let event = try await bench.get("/v1/events/11").body
      #expect(text.contains("id: 11\nevent: note.added\ndata: \(event)\n"))
      for task in tasks { try await task.hangUp() }
      #expect(bench.watch.followerCount == 0)
      for (headers, query) in [
        (["Last-Event-ID": "x"], ""), (["Last-Event-ID": "18446744073709551615"], ""),
        ([:], "&to=4"), ([:], "&until=2027-01-01T00:00:00Z"),
      ] {
        let refused = try await bench.get("/v1/events?follow" + query, headers: headers)
        #expect(refused.problem == "bad-request")
      }
    }
  }

  @Test("gets the events of its filter and no others") func filters() async throws {
    try await ServiceBench.run { bench in
      let (ada, purchases) = (Follower(), Follower())
      let tasks = [
        try await bench.follow(ada, query: "&account=ada", after: 0),
        try await bench.follow(purchases, query: "&type=transaction.*", after: 0),
      ]
      for number in 0..<30 {
        let account = number.isMultiple(of: 3) ? "ada" : "bob"
        _ = try await bench.append([
          number.isMultiple(of: 2)
            ? Line.purchase("t\(number)", of: account) : Line.note("n\(number)", account: account)
        ])
      }
      await ada.wait(for: 28)
      await purchases.wait(for: 29)
      #expect(await ada.positions == stride(from: 1, through: 28, by: 3).map { $0 })
      #expect(await purchases.positions == stride(from: 1, through: 29, by: 2).map { $0 })
      for task in tasks { try await task.hangUp() }
    }
  }

  @Test("is one of two hundred, and each gets everything") func many() async throws {
    // More than questions may wait: an event wakes all of them at once.
    var limits = ServiceBench.Limits()
    limits.questionsMax = 20
    try await ServiceBench.run(limits) { bench in
      let followers = (0..<200).map { _ in Follower() }
      var tasks: [Task<Void, any Error>] = []
      for follower in followers { tasks.append(try await bench.follow(follower, after: 0)) }
      #expect(bench.watch.followerCount == 200)
      try await bench.appendNotes(1...20)
      for follower in followers {
        await follower.wait(for: 20)
        #expect(await follower.positions == Array(1...20))
      }
      for task in tasks { try await task.hangUp() }
      #expect(bench.watch.followerCount == 0)
    }
  }

  @Test("that never reads holds one piece of text, and stops nobody") func neverReads() async throws
  {
    try await ServiceBench.run { bench in
      let count = 3 * ServiceLimits.followEvents
      let (stuck, other) = (Follower(isReading: false), Follower())
      let tasks = [
        try await bench.follow(stuck, after: 0), try await bench.follow(other, after: 0),
      ]
      await stuck.wait { _, writes in writes == 1 }
      for part in 0..<6 {
        let first = part * count / 6 + 1
        try await bench.appendTogether(first...(part + 1) * count / 6)
        await other.wait(for: (part + 1) * count / 6)
      }
      #expect(await other.positions == Array(1...count))
      #expect(await stuck.writes == 1, "what is not read is not made")
      // When it reads again, it gets everything, in pieces of a limited size.
      await stuck.read()
      await stuck.wait(for: count)
      #expect(await stuck.positions == Array(1...count))
      #expect(await stuck.writes >= 1 + 3)
      for task in tasks { try await task.hangUp() }
    }
  }

  @Test(
    "that reads a backlog gets no page more once its token was revoked, or the service stops",
    arguments: [true, false])
  func endsInBacklog(isRevoked: Bool) async throws {
    try await ServiceBench.run(.guarded) { (bench: ServiceBench) async throws in
      let pages = 3
      let lines = (1...pages * ServiceLimits.followEvents).map { Line.purchase("\($0)", of: "a") }
      let writer = try bench.token("writer", [.append])
      #expect(try await bench.append(lines, token: writer).status == 200)
      let reader = try bench.token("reader", [.read])
      // It has read how to come back, and stops in the first page.
      let follower = Follower(isReading: false, readsAtFirst: 1)
      let task = try await bench.follow(follower, query: "&from=1", token: reader)
      await follower.wait { _, writes in writes == 2 }
      if isRevoked {
        try TokenStore(ledger: bench.path).revoke("reader")
      } else {
        bench.watch.end()
      }
      await follower.read()
      try await task.value
      #expect(await follower.positions == Array(1...ServiceLimits.followEvents))
    }
  }

  @Test("that is slow is told the newest position alone") func bounded() async throws {
    try await ServiceBench.run { bench in
      let slow = try bench.watch.positions()
      let quick = Follower()
      let task = try await bench.follow(quick, after: 0)
      for number in 1...30 {
        try await bench.appendNotes(number...number)
        // Every position has been told before the next one is appended.
        await quick.wait(for: number)
      }
      bench.watch.end()
      var told: [UInt64] = []
      for await position in slow { told.append(position) }
      #expect(told == [30])
      try await task.value
    }
  }

  @Test("too many are told to come again") func tooMany() async throws {
    var limits = ServiceBench.Limits()
    limits.followersMax = 1
    try await ServiceBench.run(limits) { bench in
      let follower = Follower()
      let task = try await bench.follow(follower, after: 0)
      let refused = try await bench.get("/v1/events?follow")
      #expect(refused.status == 429)
      #expect(refused.problem == "too-many-requests")
      #expect(refused.header("Retry-After") == "30")
      // Whoever waits for a position is one of them.
      let waiting = try await bench.get("/v1/events?atLeast=9")
      #expect(waiting.status == 429)
      try await task.hangUp()
      let next = try await bench.follow(Follower(), after: 0)
      try await next.hangUp()
    }
  }
}
