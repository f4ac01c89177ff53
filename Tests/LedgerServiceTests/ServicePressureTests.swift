import Dispatch
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import LedgerService

/// More than the service can do at once.
@Suite("The service under pressure", .timeLimit(.minutes(20))) struct ServicePressureTests {
  /// Holds threads of the service until it is let go.
  private final class Hold: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let begun = Atomic(0)

    /// Blocks a thread of the service.
    func take() {
      begun.add(1, ordering: .sequentiallyConsistent)
      gate.wait()
    }

    func waitUntilTaken(_ count: Int) async {
      while begun.load(ordering: .sequentiallyConsistent) < count { await Task.yield() }
    }

    func letGo(_ count: Int) { for _ in 0..<count { gate.signal() } }
  }

  @Test("refuses appends that it cannot hold, and loses none that it acknowledges")
  func appends() async throws {
    var limits = ServiceBench.Limits()
    limits.appendsMax = 2
    try await ServiceBench.run(limits) { bench in
      let hold = Hold()
      let held = (0..<2).map { _ in
        Task { try await bench.work.append { _ in hold.take() } }
      }
      await hold.waitUntilTaken(2)
      for number in 0..<20 {
        let reply = try await bench.append([Line.note("n\(number)")])
        #expect(reply.status == 429)
        #expect(reply.problem == "too-many-requests")
        #expect(reply.header("Retry-After") == "1")
      }
      #expect(try bench.lastPosition() == 0, "what was refused is not there")
      // Questions have threads of their own.
      #expect(try await bench.get("/v1/events").status == 200)
      hold.letGo(2)
      for task in held { try await task.value }
      // Clients that send again until they are answered.
      let acknowledged = try await Self.appendAll(bench, writers: 8, each: 25)
      #expect(acknowledged.count == 200)
      let events = try await bench.get("/v1/events?limit=10000").items()
      #expect(events.count == 200)
      for event in events {
        let id = try #require(event["id"] as? String)
        #expect(acknowledged[id] == event["position"] as? Int)
      }
    }
  }

  /// What was acknowledged: ids with their positions.
  private static func appendAll(
    _ bench: ServiceBench, writers: Int, each: Int
  ) async throws -> [String: Int] {
    try await withThrowingTaskGroup(of: [String: Int].self) { group in
      for writer in 0..<writers {
        group.addTask {
          var known: [String: Int] = [:]
          for number in 0..<each {
            let id = "w\(writer)-\(number)"
            var reply = try await bench.append([Line.note(id)])
            while reply.status == 429 {
              await Task.yield()
              reply = try await bench.append([Line.note(id)])
            }
            try #require(reply.status == 200)
            known[id] = try reply.objects()[0]["position"] as? Int
          }
          return known
        }
      }
      return try await group.reduce(into: [:]) { all, known in all.merge(known) { $1 } }
    }
  }

  @Test("refuses questions that it cannot hold, and appends go on") func questions() async throws {
    var limits = ServiceBench.Limits()
    limits.questionsMax = 1
    try await ServiceBench.run(limits) { bench in
      let hold = Hold()
      let held = Task { try await bench.work.run { hold.take() } }
      await hold.waitUntilTaken(1)
      let reply = try await bench.get("/v1/entitlements?account=ada")
      #expect(reply.status == 429)
      #expect(reply.header("Retry-After") == "1")
      #expect(try await bench.append([Line.note("a")]).status == 200)
      hold.letGo(1)
      try await held.value
      #expect(try await bench.get("/v1/entitlements?account=ada").status == 200)
    }
  }

  @Test("answers about one customer while questions about many take long")
  func surveys() async throws {
    var limits = ServiceBench.Limits()
    limits.questionsMax = 1
    try await ServiceBench.run(limits) { bench in
      let hold = Hold()
      let held = Task { try await bench.work.ask(isSurvey: true) { _ in hold.take() } }
      await hold.waitUntilTaken(1)
      for address in ["events?sum=quantity", "events?limit=1", "findings", "holders?product=a"] {
        #expect(try await bench.get("/v1/\(address)").status == 429, "\(address)")
      }
      for address in ["entitlements?account=ada", "events?account=ada", "findings?account=ada"] {
        #expect(try await bench.get("/v1/\(address)").status != 429, "\(address)")
      }
      hold.letGo(1)
      try await held.value
      #expect(try await bench.get("/v1/events?sum=quantity").status == 200)
    }
  }

  @Test("gives up a body that does not arrive, and its room is free again")
  func lateBody() async throws {
    let loop = NIOAsyncTestingEventLoop()
    let budget = BodyBudget(bytesMax: 10, requestBytes: 1)
    func request(_ body: RequestBody) -> Request {
      Request(
        head: HTTPRequest(
          method: .post, scheme: "http", authority: "localhost", path: "/",
          headerFields: [.contentLength: "10"]), body: body)
    }
    let (body, source) = RequestBody.makeStream()
    let hasEnded = Atomic(false)
    async let outcome: Problem? = {
      defer { hasEnded.store(true, ordering: .sequentiallyConsistent) }
      do throws(Problem) {
        try await budget.read(request(body), on: loop) { (_) async throws(Problem) in }
        return nil
      } catch { return error }
    }()
    // When its timer begins, nobody says.
    while !hasEnded.load(ordering: .sequentiallyConsistent) {
      await loop.advanceTime(by: .seconds(ServiceLimits.bodySeconds))
      await Task.yield()
    }
    #expect(await outcome?.kind == .badRequest)
    source.finish()
    let whole = RequestBody(buffer: ByteBuffer(string: "0123456789"))
    let read = try await budget.read(request(whole), on: loop) {
      (body) async throws(Problem) -> Int in body.readableBytes
    }
    #expect(read == 10)
    await loop.shutdownGracefully()
  }

  @Test("counts what a request takes, however small it says that its body is")
  func smallBodies() async throws {
    let budget = BodyBudget(bytesMax: 100, requestBytes: 50)
    let loop = NIOAsyncTestingEventLoop()
    let request = Request(
      head: HTTPRequest(
        method: .post, scheme: "http", authority: "localhost", path: "/",
        headerFields: [.contentLength: "1"]), body: RequestBody(buffer: ByteBuffer(string: "x")))
    func read(_ inside: () async throws(Problem) -> Void) async throws(Problem) {
      try await budget.read(request, on: loop) { (_) async throws(Problem) in try await inside() }
    }
    var refused: Problem.Kind?
    do throws(Problem) {
      try await read { () async throws(Problem) in
        try await read { () async throws(Problem) in try await read {} }
      }
    } catch { refused = error.kind }
    #expect(refused == .tooManyRequests)
    // Their room is free again.
    try await read { () async throws(Problem) in try await read {} }
    await loop.shutdownGracefully()
  }

  @Test(
    "refuses a Content-Length that is no number of bytes",
    arguments: [
      "9223372036854775808", "18446744073709551615", "99999999999999999999999", "-1", "+5", "5, 5",
      "5,5", "0x5", "1e3", "", "５",
    ])
  func lengths(_ text: String) async throws {
    try await ServiceBench.run { bench in
      for (method, address) in [
        (.post, "/v1/events"), (.post, "/v1/acts/note"), (.post, "/v1/notifications/apple"),
        (.get, "/v1/events"),
      ] as [(HTTPRequest.Method, String)] {
        let reply = try await Reply(
          try await bench.response(
            method, address,
            headers: ["Content-Type": "application/x-ndjson", "Content-Length": text],
            body: ByteBuffer(string: Line.note("a")), statesLength: false))
        #expect(reply.status == 400, "\(address): \(reply.body)")
        #expect(reply.problem == "bad-request")
      }
      #expect(try bench.lastPosition() == 0)
    }
  }

  @Test("refuses bodies that it cannot hold") func bodies() async throws {
    var limits = ServiceBench.Limits()
    limits.heldBytesMax = 1_000
    try await ServiceBench.run(limits) { bench in
      let notes = (0..<20).map { Line.note("n\($0)") }
      let refused = try await bench.append(notes)
      #expect(refused.status == 429)
      #expect(refused.header("Retry-After") == "1")
      #expect(try bench.lastPosition() == 0)
      // The room of a refused body is given back, and that of a taken one, too.
      for note in notes { #expect(try await bench.append([note]).status == 200) }
    }
  }
}
