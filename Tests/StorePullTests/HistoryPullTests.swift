import Foundation
import LedgerEvents
import SignedDataSamples
import Testing

@testable import StorePull

/// Lists of a customer, without a network and without waiting.
@Suite("A pulled list") struct HistoryPullTests {
  private let bench = PullBench()

  @Test("has all pages, and the next pull continues behind them") func pages() async throws {
    bench.fill(5)
    let first = try await bench.history()
    #expect(first.pages == 3 && first.signed == 5 && first.appended == 5)
    #expect(bench.importer.texts == PullBench.texts(5))
    #expect(bench.store.requests.map(\.request.query["revision"]) == [nil, "g1-2", "g1-4"])
    bench.fill(6)
    let second = try await bench.history()
    #expect(second.pages == 1 && second.appended == 1)
    #expect(bench.store.requests.last?.request.query["revision"] == "g1-5")
    #expect(bench.importer.texts == PullBench.texts(6))
    #expect(bench.files(in: "answers").isEmpty)
  }

  @Test("an empty page is noted and not imported") func empty() async throws {
    bench.store.change { $0.history[PullBench.customer.text] = [] }
    let pulled = try await bench.history()
    #expect(pulled.pages == 1 && pulled.signed == 0)
    #expect(bench.importer.count == 0)
  }

  @Test("answers are kept with keep, as they came") func kept() async throws {
    bench.fill(3)
    var run = try bench.run(keeps: true)
    _ = try await run.pull(.history, PullBench.customer)
    let names = [
      "history.production.2000000001.000001.json", "history.production.2000000001.000002.json",
    ]
    #expect(bench.files(in: "kept") == names)
    let text = try String(contentsOfFile: bench.path + "/kept/" + names[1], encoding: .utf8)
    #expect(text.hasPrefix(#"{"revision":"g1-3","hasMore":false,"#))
  }

  @Test("a refused import moves nothing, and the saved answer is imported without asking again")
  func refusedImport() async throws {
    bench.fill(5)
    bench.importer.next(.imported, .refused)
    let error = await failure { () throws(PullError) in try await bench.history() }
    #expect(error?.kind == .daybook(65))
    #expect(bench.importer.texts == PullBench.texts(2))
    #expect(bench.files(in: "answers") == ["history.production.2000000001.000002.json"])
    let asked = bench.store.requests.count
    try await bench.history()
    #expect(bench.importer.texts == PullBench.texts(5))
    // The third page, and nothing of the first two.
    #expect(bench.store.requests.dropFirst(asked).map(\.request.query["revision"]) == ["g1-4"])
  }

  @Test(
    "a pull that ends before or after any import has everything in the end",
    arguments: 0..<4, [NotingImporter.Outcome.killedBefore, .killedAfter])
  func killed(_ page: Int, _ outcome: NotingImporter.Outcome) async throws {
    bench.fill(7)
    for _ in 0..<page { bench.importer.next(.imported) }
    bench.importer.next(outcome)
    _ = await failure { () throws(PullError) in try await bench.history() }
    try await bench.history()
    #expect(bench.importer.texts == PullBench.texts(7))
    #expect(bench.store.requests.count <= 5)
  }

  @Test("a cursor that moves before the import loses a page: the control of the test above")
  func control() async throws {
    bench.fill(7)
    bench.importer.next(.imported, .killedBefore)
    _ = await failure { () throws(PullError) in try await bench.history() }
    // What a pull would leave that notes a page before it is imported.
    let folder = try PullFolder(path: bench.path, keeps: false)
    let name = "history.production.2000000001"
    let file = PullFolder.answerName(name, page: 2)
    let page = try StorePage(
      try #require(try folder.answer(file)), of: .history, app: SigningSamples.bundleID)
    try folder.save(try #require(try folder.state(name)).after(page), name)
    #expect(throws: PullError.self) { try PullFolder(path: bench.path, keeps: false) }
    _ = consume folder
    try await bench.history()
    #expect(bench.importer.texts == ["text-1", "text-2", "text-5", "text-6", "text-7"])
  }

  @Test("a revision that the store refuses leads back, and nothing is lost or doubled")
  func refusedRevision() async throws {
    bench.fill(6)
    let store = bench.store
    bench.store.fail(
      .meanwhile {}, .meanwhile {},
      // The list is built anew under way: no revision of before is good.
      .meanwhile { store.change { $0.generation = 2 } })
    try await bench.history()
    #expect(Set(bench.importer.texts) == Set(PullBench.texts(6)))
    #expect(
      bench.store.requests.map(\.request.query["revision"])
        == [nil, "g1-2", "g1-4", "g1-2", nil, "g2-2", "g2-4"])
    bench.fill(7)
    try await bench.history()
    #expect(bench.store.requests.last?.request.query["revision"] == "g2-6")
    #expect(Set(bench.importer.texts) == Set(PullBench.texts(7)))
  }

  @Test("a transaction that production does not know is looked for in the sandbox, and found again")
  func otherEnvironment() async throws {
    bench.fill(3, .sandbox)
    let first = try await bench.history()
    #expect(first.environment == .sandbox)
    #expect(bench.store.requests.map(\.environment) == [.production, .sandbox, .sandbox])
    try await bench.history()
    #expect(bench.store.requests.last?.environment == .sandbox)
    #expect(bench.store.requests.count == 4)
    var run = try bench.run([.production])
    let error = await failure { () throws(PullError) in
      try await run.pull(.history, PullBench.customer)
    }
    #expect(error?.kind == .notFound)
    #expect(error?.message.contains("in production.") == true)
  }

  @Test("refunds and statuses are asked for at their addresses") func lists() async throws {
    bench.store.change {
      $0.refunds[PullBench.customer.text] = PullBench.texts(3)
      $0.statuses[PullBench.customer.text] =
        #"{"data":[{"subscriptionGroupIdentifier":"1","lastTransactions":[{"status":1,"signedTransactionInfo":"text-9"}]}]}"#
    }
    var run = try bench.run()
    #expect(try await run.pull(.refunds, PullBench.customer).pages == 2)
    #expect(try await run.pull(.statuses, PullBench.customer).signed == 1)
    #expect(try await run.pull(.statuses, PullBench.customer).signed == 1)
    #expect(bench.importer.texts == PullBench.texts(3) + ["text-9"])
    #expect(
      bench.store.requests.map(\.request.path) == [
        "/inApps/v2/refund/lookup/2000000001", "/inApps/v2/refund/lookup/2000000001",
        "/inApps/v1/subscriptions/2000000001", "/inApps/v1/subscriptions/2000000001",
      ])
  }

  @Test("behind a last page that was saved, what came since is asked for at once")
  func behindSaved() async throws {
    bench.fill(2)
    bench.importer.next(.killedAfter)
    _ = await failure { () throws(PullError) in try await bench.history() }
    bench.fill(3)
    try await bench.history()
    #expect(bench.importer.texts == PullBench.texts(3))
  }

  @Test("a page that is refused twice is asked for again, and the refused one is kept beside it")
  func refusedTwice() async throws {
    bench.fill(4)
    let (good, bad) = ("history.production.2000000001.000002.json", "text-forged")
    bench.importer.refuse([bad])
    let page =
      #"{"revision":"g1-4","hasMore":false,"signedTransactions":["text-3","\#(bad)"]}"#
    bench.store.fail(.meanwhile {}, .answer(.whole(status: 200, body: page)))
    let error = try #require(
      await failure { () throws(PullError) in try await bench.history() })
    #expect(error.kind == .daybook(65))
    #expect(error.message.contains("/answers/" + good) && error.message.contains("--claim"))
    // As bad as before: one request, and one file beside the page, however often.
    for run in 1...3 {
      let count = bench.store.requests.count
      if run < 3 {
        bench.store.fail(.answer(.whole(status: 200, body: page)))
        let again = await failure { () throws(PullError) in try await bench.history() }
        #expect(again?.kind == .daybook(65))
        #expect(bench.files(in: "answers") == [good, good + ".refused"])
      } else {
        try await bench.history()
      }
      #expect(
        bench.store.requests.dropFirst(count).map(\.request.query["revision"]) == ["g1-2"])
    }
    #expect(bench.importer.texts == PullBench.texts(4))
    #expect(bench.files(in: "answers").isEmpty)
  }

  @Test("an answer without a revision and without more moves no cursor") func noRevision()
    async throws
  {
    bench.fill(2)
    try await bench.history()
    let page = #"{"hasMore":false,"signedTransactions":[]}"#
    bench.store.fail(.answer(.whole(status: 200, body: page)))
    #expect(try await bench.history().pages == 1)
    var run = try bench.run()
    let state = try run.folder.state("history.production.2000000001")
    #expect(state?.cursor == "g1-2" && state?.previous == nil && state?.pages == 2)
    bench.fill(3)
    #expect(try await run.pull(.history, PullBench.customer).appended == 1)
  }

  @Test(
    "a state whose numbers no pull writes is damaged",
    arguments: [
      #""pages":9223372036854775807"#, #""pages":-3"#,
      #""pages":1,"completeUntil":-9223372036854775808"#,
      #""pages":1,"completeUntil":9223372036854775807"#,
      #""pages":1,"question":{"start":0,"end":9223372036854775807,"onlyFailures":false}"#,
      #""pages":1,"question":{"start":-9223372036854775808,"end":0,"onlyFailures":false}"#,
      #""pages":1,"question":{"start":2,"end":1,"onlyFailures":false}"#,
    ])
  func damaged(_ members: String) throws {
    do throws(PullError) {
      _ = try PullState(json: Array("{\"version\":1,\(members)}".utf8), name: "a.json")
      Issue.record("no pull writes that")
    } catch {
      #expect(error.kind == .damagedState)
      #expect(error.message.contains("a.json") && error.message.contains("Remove it"))
    }
  }

  @Test("two pulls do not share a folder") func busy() throws {
    let first = try PullFolder(path: bench.path, keeps: false)
    do throws(PullError) {
      _ = try PullFolder(path: bench.path, keeps: false)
      Issue.record("the folder is locked")
    } catch { #expect(error.kind == .busy) }
    _ = consume first
    _ = try PullFolder(path: bench.path, keeps: false)
  }
}
