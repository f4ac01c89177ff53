import HTTPTypes
import Hummingbird
import LedgerEvents
import Logging
import NIOCore
import Synchronization
import Testing
import Webhooks

@testable import LedgerService

/// Keeps what is logged.
final class KeptLines: Sendable {
  struct Line: Sendable {
    let message: String
    let metadata: [String: String]
  }

  private let kept = Mutex<[Line]>([])

  var all: [Line] { kept.withLock { $0 } }

  func add(_ line: Line) { kept.withLock { $0.append(line) } }

  var logger: Logger { Logger(label: "tests") { _ in Handler(lines: self) } }

  private struct Handler: LogHandler {
    let lines: KeptLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let all = metadata.merging(event.metadata ?? [:]) { $1 }
      lines.add(Line(message: "\(event.message)", metadata: all.mapValues { "\($0)" }))
    }
  }
}

/// What the log says of those who change where customers' data goes.
@Suite("The log of changes of webhooks", .timeLimit(.minutes(20))) struct ServiceAuditTests {
  private static func post(
    _ bench: ServiceBench, _ path: String, _ body: String = "{}"
  ) async throws -> Reply {
    try await Reply(
      try await bench.response(
        .post, path, headers: ["Content-Type": "application/json"], body: .init(string: body)))
  }

  @Test("says which webhook it was, what was done, and where messages go from then on")
  func changes() async throws {
    let lines = KeptLines()
    var limits = ServiceBench.Limits()
    limits.audit = lines.logger
    try await ServiceBench.run(limits) { (bench: ServiceBench) async throws in
      let made = #"{"name":"shop","url":"https://a.example/secret","types":["*"]}"#
      #expect(try await Self.post(bench, "/v1/webhooks", made).status == 201)
      for act in ["pause", "resume", "test", "rotate"] {
        #expect(try await Self.post(bench, "/v1/webhooks/shop/\(act)").status == 200, "\(act)")
      }
      let moved = try await Reply(
        try await bench.response(
          .patch, "/v1/webhooks/shop", headers: ["Content-Type": "application/json"],
          body: .init(string: #"{"url":"https://b.example/secret"}"#), statesLength: false))
      #expect(moved.status == 200, "\(moved.body)")
      let resent = try await Self.post(bench, "/v1/webhooks/shop/resend", #"{"dead":true}"#)
      #expect(resent.status == 200, "\(resent.body)")
      #expect(try await Reply(try await bench.response(.delete, "/v1/webhooks/shop")).status == 200)
    }
    let changes = lines.all.filter { $0.message == "webhook changed" }
    #expect(
      changes.map { $0.metadata["change"] } == [
        "create", "pause", "resume", "test", "rotate", "move", "resend", "remove",
      ])
    #expect(changes.allSatisfy { $0.metadata["webhook"] == "shop" })
    #expect(changes.compactMap { $0.metadata["to"] } == ["a.example", "b.example"])
    #expect(!lines.all.contains { "\($0)".contains("secret") })
  }
}
