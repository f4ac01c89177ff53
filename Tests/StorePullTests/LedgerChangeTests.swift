import Foundation
import SignedDataSamples
import Testing
import TracedProcesses

@testable import StorePull

/// What a pull does when the ledger is not the one of the last pull.
@Suite("A pull into another ledger", .serialized) struct LedgerChangeTests {
  private let bench = PullBench()

  @Test("begins the lists again, and says so", arguments: [0, 2])
  func replaced(_ kept: Int) async throws {
    bench.fill(5)
    bench.store.change { $0.notifications = PullBench.texts(5) }
    try await bench.history()
    try await bench.notifications()
    #expect(bench.notices.all.isEmpty)
    bench.importer.replaceLedger(keeping: kept)
    try await bench.history()
    #expect(bench.importer.texts == PullBench.texts(5))
    #expect(bench.notices.all.count == 1)
    #expect(bench.notices.all.first?.contains("all lists are pulled from their beginning") == true)
    #expect(bench.store.requests.suffix(3).first?.request.query["revision"] == nil)
    #expect(!bench.files(in: "state").contains("notifications.production.all.json"))
    let count = bench.store.requests.count
    try await bench.history()
    #expect(bench.notices.all.count == 1 && bench.store.requests.count == count + 1)
  }

  @Test(
    "begins again though the last page appended nothing: the ledger had it already",
    arguments: [true, false])
  func known(_ isKilled: Bool) async throws {
    bench.fill(2)
    try await bench.history()
    bench.fill(4)
    if isKilled {
      bench.importer.next(.killedAfter)
      _ = await failure { () throws(PullError) in try await bench.history() }
    } else {
      for text in ["text-3", "text-4"] { bench.importer.append(text) }
    }
    #expect(try await bench.history().appended == 0)
    bench.importer.replaceLedger(keeping: 2)
    try await bench.history()
    #expect(bench.importer.texts == PullBench.texts(4))
    #expect(bench.notices.all.count == 1)
  }

  @Test("forgets what it noted last, so that an end under way begins again, too")
  func underWay() async throws {
    bench.fill(3)
    try await bench.history()
    bench.importer.replaceLedger()
    // The first name in the folder, which is no file: forgetting ends there.
    let obstacle = bench.path + "/state/a"
    try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
    let error = await failure { () throws(PullError) in try await bench.history() }
    #expect(error?.kind == .disk)
    try FileManager.default.removeItem(atPath: obstacle)
    try await bench.history()
    #expect(bench.importer.texts == PullBench.texts(3))
  }

  @Test("refuses again what the other one settled") func settled() async throws {
    bench.store.change { $0.notifications = ["text-1"] }
    bench.importer.refuse(["text-1"])
    #expect(try await bench.notifications().refused == 1)
    bench.importer.refuse([])
    bench.store.change { $0.notifications = [] }
    #expect(try await bench.notifications().appended == 1)
    #expect(bench.files(in: "settled").count == 1)
    bench.importer.replaceLedger()
    bench.importer.refuse(["text-1"])
    bench.store.change { $0.notifications = ["text-1"] }
    #expect(try await bench.notifications().refused == 1)
    #expect(bench.files(in: "refused").count == 1 && bench.files(in: "settled").isEmpty)
  }

  @Test("is noticed by a comparison that imports") func compared() async throws {
    bench.fill(3)
    try await bench.history()
    bench.importer.replaceLedger()
    bench.importer.append("other")
    var run = try bench.run()
    _ = try await run.reconcile(PullRun.NotificationFilter(), known: [], imports: true)
    #expect(bench.notices.all.count == 1)
    #expect(bench.files(in: "state") == ["ledger.json"])
  }

  @Test("keeps who was revoked") func revoked() async throws {
    bench.fill(3)
    try await bench.history()
    let revoked = URL(fileURLWithPath: bench.path + "/state/revoked.json")
    try Data("{}".utf8).write(to: revoked)
    bench.importer.replaceLedger()
    try await bench.history()
    #expect(bench.files(in: "state").contains("revoked.json"))
  }

  @Test("takes no answer that was saved for another one out of turn") func saved() async throws {
    bench.fill(5)
    bench.importer.next(.imported, .refused)
    _ = await failure { () throws(PullError) in try await bench.history() }
    #expect(bench.files(in: "answers").count == 1)
    bench.importer.replaceLedger()
    bench.importer.append("other")
    try await bench.history()
    #expect(bench.importer.texts == ["other"] + PullBench.texts(5))
    #expect(bench.files(in: "answers").isEmpty)
  }

  @Test("does not mistake a ledger that somebody appends to") func appended() async throws {
    bench.fill(5)
    try await bench.history()
    bench.importer.append("other")
    bench.fill(6)
    #expect(try await bench.history().pages == 1)
    #expect(bench.notices.all.isEmpty)
  }

  @Test(
    "begins again if it cannot tell which ledger it was",
    arguments: ["{", #"{"position":-1,"recordedAt":"1","type":"test"}"#])
  func damaged(_ text: String) async throws {
    bench.fill(3)
    try await bench.history()
    let note = URL(fileURLWithPath: bench.path + "/state/ledger.json")
    try Data(text.utf8).write(to: note)
    #expect(try await bench.history().pages == 2)
    #expect(bench.notices.all.count == 1)
  }

  @Test("forgets nothing if there is no ledger") func gone() async throws {
    bench.fill(5)
    bench.importer.next(.imported, .refused)
    _ = await failure { () throws(PullError) in try await bench.history() }
    let (states, answers) = (bench.files(in: "state"), bench.files(in: "answers"))
    #expect(answers.count == 1)
    bench.importer.moveLedger(isThere: false)
    let error = await failure { () throws(PullError) in try await bench.history() }
    #expect(error?.kind == .daybook(66))
    #expect(bench.files(in: "state") == states && bench.files(in: "answers") == answers)
    bench.importer.moveLedger(isThere: true)
    try await bench.history()
    #expect(bench.importer.texts == PullBench.texts(5) && bench.notices.all.isEmpty)
  }

  @Test("overwrites no answers that were kept") func keeps() async throws {
    bench.fill(2)
    for _ in 1...3 {
      var run = try bench.run(keeps: true)
      _ = try await run.pull(.history, PullBench.customer)
      bench.importer.replaceLedger()
    }
    let name = "history.production.2000000001.000001.json"
    #expect(bench.files(in: "kept") == [name, name + ".2", name + ".3"])
  }

  @Test("fills a ledger that was made anew, by the programs") func program() throws {
    let customer = "2000000001"
    let program = try PullProgram()
    program.store.change { $0.history[customer] = try! PullProgram.purchases(5) }
    #expect(try program.pull("history", "--transaction", customer).status == 0)
    let events = try program.events()
    let backup = program.folder.appending(path: "moved").path
    try FileManager.default.moveItem(atPath: program.ledger, toPath: backup)
    let gone = try program.pull("history", "--transaction", customer)
    #expect(gone.status == 66 && gone.errors.contains("nothing was forgotten"), "\(gone.errors)")
    #expect(try program.daybook("init").status == 0)
    let pulled = try program.pull("history", "--transaction", customer)
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(pulled.errors.contains("the ledger is another one"), "\(pulled.errors)")
    #expect(try program.events() == events)
    // The first ledger is another one again, and lacks nothing.
    try FileManager.default.removeItem(atPath: program.ledger)
    try FileManager.default.moveItem(atPath: backup, toPath: program.ledger)
    let back = try program.pull("history", "--transaction", customer)
    #expect(back.errors.contains("the ledger is another one"), "\(back.errors)")
    #expect(try program.events() == events)
  }
}
