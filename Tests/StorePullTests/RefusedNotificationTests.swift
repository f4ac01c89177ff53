import Foundation
import LedgerEvents
import SignedDataSamples
import Testing
import TracedProcesses

@testable import StorePull

/// Notifications that the ledger refuses, and those that cannot be read.
@Suite("A refused notification", .serialized) struct RefusedNotificationTests {
  private let bench = PullBench()

  @Test("is set aside, holds nothing up, and is tried again") func setAside() async throws {
    bench.store.change { $0.notifications = PullBench.texts(5) }
    bench.importer.refuse(["text-1", "text-5"])
    let first = try await bench.notifications()
    #expect(first.refused == 2 && first.appended == 3)
    #expect(bench.importer.texts == ["text-2", "text-3", "text-4"])
    #expect(bench.files(in: "refused").count == 2 && bench.files(in: "answers").isEmpty)
    #expect(bench.notices.all.count == 2)
    #expect(bench.notices.all.first?.contains("--claim") == true)
    bench.store.change { $0.notifications = [] }
    bench.importer.refuse(["text-5"])
    let second = try await bench.notifications()
    #expect(second.refused == 0 && second.stillRefused == 1 && second.appended == 1)
    #expect(bench.files(in: "refused").count == 1)
    bench.importer.refuse([])
    #expect(try await bench.notifications().stillRefused == 0)
    #expect(Set(bench.importer.texts) == Set(PullBench.texts(5)))
    #expect(bench.files(in: "refused").isEmpty)
  }

  @Test("ends the pull if there are too many: something else is wrong") func tooMany() async throws
  {
    let all = PullBench.texts(PullRun.refusedMax + 4)
    bench.store.change { $0.notifications = all }
    bench.importer.refuse(Set(all))
    let error = await failure { () throws(PullError) in try await bench.notifications() }
    #expect(error?.kind == .daybook(65))
    #expect(error?.message.contains("--app-apple-id") == true)
    #expect(error?.message.contains("/refused") == true)
    // Those of the first run count no more, though the store lists them again.
    let second = try await bench.notifications()
    #expect(second.refused == 4 && second.stillRefused == PullRun.refusedMax)
    #expect(bench.files(in: "refused").count == all.count)
    bench.importer.refuse([])
    try await bench.notifications()
    #expect(Set(bench.importer.texts) == Set(all))
  }

  @Test("with another owner is told, and recorded with --claim") func claimed() throws {
    let program = try PullProgram()
    let appleID = ["--app-apple-id", "\(SigningSamples.appAppleID)"]
    let purchase = try program.transaction(1)
    program.store.change { $0.history["2000000001"] = [purchase] }
    #expect(try program.pull("history", "--transaction", "2000000001").status == 0)
    let payloads = [
      try program.notification(1, account: "bob"), try program.notification(2),
      try program.notification(3),
    ]
    program.store.change { $0.notifications = payloads }
    let refused = try program.pull("notifications", "--format", "jsonl", with: appleID)
    #expect(refused.status == 65, "\(refused.errors)")
    #expect(refused.output.contains(#""refused":1"#))
    #expect(refused.errors.contains("refused/production.019cb2ec-f680-7000-8000-000000000001.json"))
    #expect(try program.daybook("entitlements", "ada").output.contains("map-3"))
    let compared = try program.pull("reconcile", "--import", with: appleID)
    #expect(compared.status == 65 && compared.output.contains("1 were refused"))
    let claimed = try program.pull("notifications", "--claim", with: appleID)
    #expect(claimed.status == 0, "\(claimed.errors)")
    #expect(try program.pull("notifications", with: appleID).status == 0)
    let stray = try program.pull("notifications", "--account", "ada", with: appleID)
    #expect(stray.status == 64 && stray.errors.contains("--transaction"), "\(stray.errors)")
    #expect(
      try program.pull("notifications", "--account-over-token", with: appleID).status == 64)
  }

  @Test("an account is given to a customer's notifications") func account() throws {
    let program = try PullProgram()
    let payload = try program.notification(1, account: nil)
    program.store.change { $0.notifications = [payload] }
    let pulled = try program.pull(
      "notifications", "--transaction", "2000000001", "--account", "kim", "--app-apple-id",
      "\(SigningSamples.appAppleID)")
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(try program.daybook("entitlements", "kim").output.contains("map-1"))
  }

  @Test("is not given to the customer of another pull") func filtered() async throws {
    bench.store.change { $0.notifications = ["text-1"] }
    bench.importer.refuse(["text-1"])
    #expect(try await bench.notifications().refused == 1)
    bench.importer.refuse([])
    bench.store.change { $0.notifications = ["text-2"] }
    var filter = PullRun.NotificationFilter()
    filter.transaction = PullBench.customer
    let pulled = try await bench.notifications(filter)
    #expect(pulled.appended == 1 && pulled.stillRefused == 0)
    // What a stopped comparison with a filter left is given to nobody: whose it was is not known.
    let left = "reconcile.production.some.000001.json"
    try Data(#"{"notificationHistory":[{"signedPayload":"text-3"}]}"#.utf8)
      .write(to: URL(fileURLWithPath: bench.path + "/answers/" + left))
    bench.store.change { $0.notifications = [] }
    var run = try bench.run()
    let found = try await run.reconcile(filter, known: [], imports: true)
    #expect(found.appended == 0 && found.stillRefused == 0)
    #expect(bench.files(in: "answers").isEmpty)
    #expect(bench.importer.texts == ["text-2"])
    #expect(bench.files(in: "refused").count == 1)
  }

  @Test("is settled by the pull of its own customer") func settled() async throws {
    bench.store.change { $0.notifications = ["text-1"] }
    bench.importer.refuse(["text-1"])
    #expect(try await bench.notifications().refused == 1)
    bench.importer.refuse([])
    var filter = PullRun.NotificationFilter()
    filter.transaction = PullBench.customer
    #expect(try await bench.notifications(filter).appended == 1)
    #expect(bench.files(in: "refused").isEmpty && bench.files(in: "settled").count == 1)
    // Without the customer's options, the ledger would refuse it again.
    bench.importer.refuse(["text-1"])
    let pulled = try await bench.notifications()
    #expect(pulled.refused == 0 && pulled.stillRefused == 0)
  }

  @Test("is settled though its page has another that is refused") func settledAlone() async throws {
    bench.store.change { $0.notifications = ["text-1"] }
    bench.importer.refuse(["text-1"])
    #expect(try await bench.notifications().refused == 1)
    bench.importer.refuse(["text-2"])
    bench.store.change { $0.notifications = ["text-1", "text-2"] }
    var filter = PullRun.NotificationFilter()
    filter.transaction = PullBench.customer
    let pulled = try await bench.notifications(filter)
    #expect(pulled.appended == 1 && pulled.refused == 1)
    #expect(bench.files(in: "refused").count == 1 && bench.files(in: "settled").count == 1)
  }

  @Test("counts once, and not as a new one in the next pull of its customer's")
  func counted() async throws {
    bench.store.change { $0.notifications = ["text-1", "text-2", "text-1", "text-3"] }
    bench.importer.refuse(["text-1"])
    let first = try await bench.notifications()
    #expect(first.refused == 1 && first.stillRefused == 0)
    var filter = PullRun.NotificationFilter()
    filter.transaction = PullBench.customer
    for _ in 0..<2 {
      let count = bench.notices.all.count
      let again = try await bench.notifications(filter)
      #expect(again.refused == 0 && again.stillRefused == 1)
      #expect(bench.notices.all.count == count)
    }
  }

  @Test("keeps its file though the store tried to send it again") func attempts() async throws {
    bench.importer.refuse(["text-1"])
    for attempt in 1...2 {
      let page =
        #"{"hasMore":false,"notificationHistory":[{"signedPayload":"text-1","sendAttempts":["#
        + #"{"attemptDate":\#(attempt),"sendAttemptResult":"TIMED_OUT"}]}]}"#
      bench.store.fail(.answer(.whole(status: 200, body: page)))
      try await bench.notifications()
    }
    #expect(bench.files(in: "refused").count == 1)
  }

  @Test("of a revoked signer is set aside like others, and its file is named where it is")
  func revoked() async throws {
    bench.store.change { $0.notifications = ["text-1", "text-2"] }
    bench.importer.next(.revoked, .revoked)
    let pulled = try await bench.notifications()
    #expect(pulled.refused == 1 && pulled.appended == 1)
    let file = try #require(bench.files(in: "refused").first)
    #expect(bench.notices.all.contains { $0.contains("/refused/" + file) })
    #expect(bench.notices.all.allSatisfy { !$0.contains("/answers/") })
  }

  @Test("of one environment is not tried by a pull of the other") func environments() async throws {
    bench.store.change(.sandbox) { $0.notifications = ["text-1"] }
    bench.importer.refuse(["text-1"])
    var sandbox = try bench.run([.sandbox])
    #expect(try await sandbox.notifications(PullRun.NotificationFilter()).refused == 1)
    _ = consume sandbox
    bench.importer.refuse([])
    #expect(try await bench.notifications().appended == 0)
    #expect(bench.files(in: "refused").count == 1 && bench.importer.texts.isEmpty)
  }

  @Test("that a killed pull was at leaves nothing behind") func single() async throws {
    try await bench.notifications()
    let single = bench.path + "/answers/single.notifications.production.all.000001.json"
    try Data("{}".utf8).write(to: URL(fileURLWithPath: single))
    try await bench.notifications()
    #expect(bench.files(in: "answers").isEmpty)
  }

  @Test("that cannot be read is told, and holds nothing up") func unreadable() async throws {
    bench.store.change { $0.notifications = ["text-1"] }
    bench.importer.refuse(["text-1"])
    try await bench.notifications()
    bench.importer.refuse([])
    let refused = bench.path + "/refused/"
    try FileManager.default.createDirectory(
      atPath: refused + "production.a", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: refused + "production.b", withDestinationPath: "/nowhere")
    let long = URL(fileURLWithPath: refused + "production.c")
    try Data(count: PullFolder.answerBytesMax + 1).write(to: long)
    bench.store.change { $0.notifications = ["text-2"] }
    let pulled = try await bench.notifications()
    #expect(pulled.appended == 2 && pulled.stillRefused == 0)
    for name in ["production.a", "production.b", "production.c"] {
      #expect(
        bench.notices.all.contains { $0.contains(name) && $0.contains("left out") }, "\(name)")
    }
  }

  @Test("from before counts for a comparison that imports") func stillRefused() async throws {
    bench.store.change { $0.notifications = ["text-1"] }
    bench.importer.refuse(["text-1"])
    #expect(try await bench.notifications().refused == 1)
    bench.store.change { $0.notifications = [] }
    var run = try bench.run()
    let found = try await run.reconcile(PullRun.NotificationFilter(), known: [], imports: true)
    #expect(found.missed.isEmpty && found.refused == 0 && found.stillRefused == 1)
  }

  private func payload(_ id: String, at milliseconds: Int64) -> String {
    let text =
      #"{"notificationType":"TEST","notificationUUID":"\#(id)","signedDate":\#(milliseconds)}"#
    return "e30." + Base64URL.text(Array(text.utf8)) + ".AA"
  }

  @Test("times that nothing can write do not end a comparison, and what is unreadable is missing")
  func strange() async throws {
    let times: [Int64] = [
      .max, .min, 253_402_300_800_000, 253_402_300_799_999, -62_167_219_200_001,
      -62_167_219_200_000,
    ]
    let all = times.enumerated().map { payload("u\($0.offset)", at: $0.element) } + ["garbage"]
    bench.store.change { $0.notifications = all }
    var run = try bench.run()
    let found = try await run.reconcile(
      PullRun.NotificationFilter(), known: [], imports: false)
    #expect(
      found.missed.map { $0.signedAt?.rfc3339 ?? "-" }
        == [
          "-", "-", "-", "9999-12-31T23:59:59.999Z", "-", "0000-01-01T00:00:00Z", "-",
        ])
    #expect(found.missed.count == 7 && found.missed.last?.id == nil)
    #expect(found.listed == 7)
  }

  @Test("are counted once if the comparison begins again") func begunAgain() async throws {
    let all = (1...5).map { payload("u\($0)", at: 1_772_366_400_000) }
    bench.store.change { $0.notifications = all }
    let store = bench.store
    store.fail(.meanwhile {}, .meanwhile { store.change { $0.generation = 2 } })
    var run = try bench.run()
    let found = try await run.reconcile(
      PullRun.NotificationFilter(), known: ["u1"], imports: false)
    #expect(found.listed == 5)
    #expect(found.missed.map(\.id) == ["u2", "u3", "u4", "u5"])
  }

  @Test("with a filter, an answer that was left is given to no later comparison")
  func leftFiltered() async throws {
    bench.store.change { $0.notifications = ["text-1"] }
    bench.importer.next(.killedBefore)
    func reconcile(_ filter: PullRun.NotificationFilter) async throws(PullError) -> Reconciliation {
      var run = try bench.run()
      return try await run.reconcile(filter, known: [], imports: true)
    }
    var filter = PullRun.NotificationFilter()
    filter.transaction = PullBench.customer
    _ = await failure { () throws(PullError) in try await reconcile(filter) }
    #expect(bench.files(in: "answers") == ["reconcile.production.some.000001.json"])
    bench.store.change { $0.notifications = [] }
    #expect(try await reconcile(PullRun.NotificationFilter()).appended == 0)
    #expect(bench.importer.texts.isEmpty && bench.files(in: "answers").isEmpty)
  }

  @Test("that the ledger has unverified is missing until a comparison has imported the store's")
  func unverified() async throws {
    bench.store.change { $0.notifications = [payload("u1", at: 1_772_366_400_000)] }
    func reconcile(_ imports: Bool) async throws(PullError) -> Reconciliation {
      var run = try bench.run()
      return try await run.reconcile(
        PullRun.NotificationFilter(), known: [], unverified: ["u1"], imports: imports)
    }
    #expect(try await reconcile(false).missed.map(\.id) == ["u1"])
    bench.importer.next(.refused, .refused)
    #expect(try await reconcile(true).missed.map(\.id) == ["u1"])
    #expect(try await reconcile(false).missed.map(\.id) == ["u1"])
    _ = try await reconcile(true)
    #expect(try await reconcile(false).missed.isEmpty)
  }

  @Test("ends a comparison whose pages go round") func round() async throws {
    let page =
      #"{"paginationToken":"same","hasMore":true,"notificationHistory":[{"signedPayload":"a"}]}"#
    for _ in 0..<4 { bench.store.fail(.answer(.whole(status: 200, body: page))) }
    var run = try bench.run()
    let error = await failure { () throws(PullError) in
      try await run.reconcile(PullRun.NotificationFilter(), known: [], imports: false)
    }
    #expect(error?.kind == .endless && bench.store.requests.count == 2)
  }

  @Test("an answer that a stopped comparison saved is imported by the next one") func left()
    async throws
  {
    bench.store.change { $0.notifications = ["text-1"] }
    bench.importer.next(.killedBefore)
    func reconcile() async throws(PullError) -> Reconciliation {
      var run = try bench.run()
      return try await run.reconcile(
        PullRun.NotificationFilter(), known: [], imports: true)
    }
    _ = await failure { () throws(PullError) in try await reconcile() }
    #expect(bench.files(in: "answers").count == 1)
    // The store has forgotten it meanwhile.
    bench.store.change { $0.notifications = [] }
    #expect(try await reconcile().appended == 1)
    #expect(bench.importer.texts == ["text-1"])
    #expect(bench.files(in: "answers").isEmpty)
  }
}
