import Foundation
import SignedDataSamples
import Testing

@testable import StorePull

/// What one customer's list does to those of others.
@Suite("Lists of many customers") struct ManyListsTests {
  private let bench = PullBench()
  private static let ids = (1...5).map { StoreTransactionID("200000000\($0)")! }

  /// What was pulled of five customers, what was told of the others, and how the run ended.
  private func pull() async throws -> (
    pulled: [String], failed: [PullError.Kind], end: PullError?
  ) {
    var run = try bench.run([.production])
    var (pulled, failed): ([String], [PullError.Kind]) = ([], [])
    let end = await failure { () throws(PullError) in
      try await run.pull(.history, Self.ids) {
        pulled.append($0.transaction ?? "-")
      } failed: {
        failed.append($0.kind)
        #expect($0.message.hasPrefix("200000000"))
      }
    }
    return (pulled.map { String($0.suffix(1)) }, failed, end)
  }

  private func fill() {
    bench.store.change { contents in
      for id in Self.ids { contents.history[id.text] = ["text-\(id.text)"] }
    }
  }

  /// The second customer's answers.
  private func fail(_ answers: [FakeStore.Answer]) {
    bench.store.fail(.meanwhile {})
    for answer in answers { bench.store.fail(.answer(answer)) }
  }

  private static let again = #"{"revision":"a","hasMore":true,"signedTransactions":[]}"#

  @Test(
    "go on after one customer's error",
    arguments: [
      (PullError.Kind.unavailable, FakeStore.Answer.whole(status: 500, body: "<html>"), 6),
      (.unavailable, FakeStore.error(4_040_006), 6), (.unavailable, .cut("{"), 6),
      (.malformed, .whole(status: 200, body: "{}"), 6),
      (.refused, FakeStore.error(4_000_006, status: 400), 1),
      (.cursorRefused, FakeStore.error(4_000_005, status: 400), 1),
      (.notFound, FakeStore.error(4_040_010), 1),
      (.endless, .whole(status: 200, body: again), 2),
    ])
  func goOn(_ kind: PullError.Kind, _ answer: FakeStore.Answer, _ times: Int) async throws {
    fill()
    fail([FakeStore.Answer](repeating: answer, count: times))
    let outcome = try await pull()
    #expect(outcome.pulled == ["1", "3", "4", "5"])
    #expect(outcome.failed == [kind] && outcome.end == nil)
  }

  @Test("go on after a page that is refused, whoever refuses it")
  func refused() async throws {
    fill()
    bench.importer.next(.imported, .refused, .revoked)
    let outcome = try await pull()
    #expect(outcome.pulled == ["1", "4", "5"])
    #expect(outcome.failed == [.daybook(65), .revoked] && outcome.end == nil)
  }

  @Test("go on after a damaged state") func damaged() async throws {
    fill()
    let state = bench.path + "/state/"
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    try Data("{".utf8).write(
      to: URL(fileURLWithPath: state + "history.production.2000000002.json"))
    let outcome = try await pull()
    #expect(outcome.pulled == ["1", "3", "4", "5"])
    #expect(outcome.failed == [.damagedState] && outcome.end == nil)
  }

  @Test("end after several in a row without an answer, and not before") func silence() async throws
  {
    fill()
    let silent = FakeStore.Answer.whole(status: 500, body: "")
    let once = [FakeStore.Answer](repeating: silent, count: StoreClient.attemptsMax)
    let unknown = FakeStore.error(4_040_010)
    fail(once + once + [unknown] + once)
    var outcome = try await pull()
    // The store answered for the fourth.
    #expect(outcome.failed == [.unavailable, .unavailable, .notFound, .unavailable])
    #expect(outcome.end == nil)
    fail(once + once + once)
    outcome = try await pull()
    #expect(outcome.pulled == ["1"] && outcome.failed.count == PullRun.silentListsMax)
    #expect(outcome.end?.kind == .unavailable)
    #expect(outcome.end?.message.contains("for 3 transactions in a row, so 1 more") == true)
  }

  @Test("end at once if the store takes no token, or asks to wait for hours") func ended()
    async throws
  {
    fill()
    for (answer, kind) in [
      (FakeStore.Answer.whole(status: 401, body: ""), PullError.Kind.unauthorized),
      (.whole(status: 429, retryAfter: "7200", body: ""), .throttled),
    ] {
      fail([answer])
      let outcome = try await pull()
      #expect(outcome.pulled == ["1"] && outcome.failed.isEmpty)
      #expect(outcome.end?.kind == kind)
      #expect(outcome.end?.message.hasPrefix("2000000002: ") == true)
    }
  }
}
