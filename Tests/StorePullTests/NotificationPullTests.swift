import Foundation
import LedgerEvents
import SignedDataSamples
import Testing

@testable import StorePull

/// The notification history of an app, without a network.
@Suite("Pulled notifications") struct NotificationPullTests {
  private let bench = PullBench()
  private static let day = 24 * 3_600 * Instant.second

  private func bodies() throws -> [JSONValue] {
    try bench.store.requests.map { try JSONValue(json: Array($0.request.body.utf8)) }
  }

  @Test("reach back as far as the store does, then to the day before the last pull") func window()
    async throws
  {
    bench.store.change { $0.notifications = PullBench.texts(5) }
    let now = bench.clock.now.microseconds / 1_000
    #expect(try await bench.notifications().pages == 3)
    let first = try bodies()
    #expect(
      first.count == 3 && Set(first.map { String(decoding: $0.json, as: UTF8.self) }).count == 1)
    #expect(first[0]["endDate"]?.integer == now)
    #expect(first[0]["startDate"]?.integer == now - 180 * 24 * 3_600_000 + 600_000)
    #expect(first[0]["onlyFailures"] == nil)
    #expect(
      bench.store.requests.map(\.request.query["paginationToken"]) == [nil, "t1-2", "t1-4"])
    bench.clock.move(7 * Self.day)
    try await bench.notifications()
    #expect(try bodies()[3]["startDate"]?.integer == now - 24 * 3_600_000)
    var sandbox = try bench.run([.sandbox])
    _ = try await sandbox.notifications(PullRun.NotificationFilter())
    let last = try #require(try bodies().last)
    let days =
      (try #require(last["endDate"]?.integer) - (last["startDate"]?.integer ?? 0)) / 86_400_000
    #expect(days == 29)
  }

  @Test("continue with the same question after an end under way") func resumed() async throws {
    bench.store.change { $0.notifications = PullBench.texts(5) }
    bench.importer.next(.imported, .killedAfter)
    _ = await failure { () throws(PullError) in try await bench.notifications() }
    bench.clock.move(Self.day)
    try await bench.notifications()
    #expect(bench.importer.texts == PullBench.texts(5))
    let all = try bodies()
    #expect(Set(all.prefix(3).map { String(decoding: $0.json, as: UTF8.self) }).count == 1)
    // The question under way ended at the moment of the first run: the next one follows at once.
    let (first, next) = (all[0], all[3])
    let now = bench.clock.now.microseconds / 1_000
    #expect(now - (first["endDate"]?.integer ?? 0) >= 86_400_000)
    #expect(next["startDate"]?.integer == first["endDate"]?.integer.map { $0 - 86_400_000 })
    #expect(next["endDate"]?.integer ?? 0 > now - 1_000)
    let asked = all.count
    bench.store.change { $0.notifications = [] }
    try await bench.notifications()
    #expect(try bodies()[asked]["startDate"]?.integer ?? 0 > now - 86_400_000 - 1_000)
  }

  @Test("since a time ago continue, too", arguments: [true, false])
  func resumedSince(_ isRelative: Bool) async throws {
    bench.store.change { $0.notifications = PullBench.texts(5) }
    var filter = PullRun.NotificationFilter()
    filter.since = Instant(microseconds: bench.clock.now.microseconds - 7 * Self.day)
    bench.importer.next(.imported, .killedAfter)
    _ = await failure { () throws(PullError) in try await bench.notifications(filter) }
    bench.clock.move(3 * Self.day)
    if isRelative {
      filter.since = Instant(microseconds: bench.clock.now.microseconds - 7 * Self.day)
    }
    try await bench.notifications(filter)
    let tokens = bench.store.requests.map(\.request.query["paginationToken"])
    #expect(tokens.prefix(4) == [nil, "t1-2", "t1-4", nil])
    let all = try bodies()
    #expect(
      all[3]["startDate"]?.integer == all[0]["endDate"]?.integer.map { $0 - 86_400_000 })
    // Another time is another question.
    bench.importer.next(.imported, .killedAfter)
    _ = await failure { () throws(PullError) in try await bench.notifications(filter) }
    filter.since = Instant(microseconds: bench.clock.now.microseconds - 30 * Self.day)
    let count = bench.store.requests.count
    try await bench.notifications(filter)
    #expect(bench.store.requests[count].request.query["paginationToken"] == nil)
  }

  @Test("never end before they begin, whatever the clock was") func clockBack() async throws {
    bench.store.change { $0.notifications = PullBench.texts(1) }
    try await bench.notifications()
    bench.clock.move(-40 * Self.day)
    try await bench.notifications()
    let asked = try #require(try bodies().last)
    let now = bench.clock.now.microseconds / 1_000
    #expect(asked["startDate"]?.integer == now - 86_400_000)
    var filter = PullRun.NotificationFilter()
    filter.since = Instant(microseconds: bench.clock.now.microseconds + Self.day)
    try await bench.notifications(filter)
  }

  @Test("are those of the time, the type and the result that are asked for") func honoured()
    async throws
  {
    let now = bench.clock.now.microseconds / 1_000
    bench.store.change { contents in
      contents.notifications = PullBench.texts(4)
      contents.sendings = [
        "text-1": .init(at: now - 3 * 86_400_000), "text-2": .init(at: now - 1_000),
        "text-3": .init(at: now - 1_000, type: "REFUND"),
        "text-4": .init(at: now - 1_000, type: "REFUND", isFailure: false),
      ]
    }
    var filter = PullRun.NotificationFilter()
    filter.type = "REFUND"
    filter.onlyFailures = true
    try await bench.notifications(filter)
    #expect(bench.importer.texts == ["text-3"])
    filter = PullRun.NotificationFilter()
    filter.since = Instant(microseconds: bench.clock.now.microseconds - Self.day)
    try await bench.notifications(filter)
    #expect(bench.importer.texts == ["text-3", "text-2", "text-4"])
    try await bench.notifications()
    #expect(bench.importer.texts == ["text-3", "text-2", "text-4", "text-1"])
    // What comes while a run is stopped is in the next question.
    bench.clock.move(2 * Self.day)
    bench.store.change { $0.notifications += ["text-5", "text-6", "text-7"] }
    bench.importer.next(.imported, .killedAfter)
    _ = await failure { () throws(PullError) in try await bench.notifications() }
    bench.clock.move(3 * Self.day)
    let later = bench.clock.now.microseconds / 1_000
    bench.store.change { contents in
      contents.notifications.append("text-8")
      contents.sendings["text-8"] = .init(at: later - 86_400_000)
    }
    try await bench.notifications()
    #expect(Set(bench.importer.texts) == Set(PullBench.texts(8)))
  }

  private func start(_ body: JSONValue) -> Int64 { body["startDate"]?.integer ?? 0 }

  @Test("that the store lists no more are told of, with the span and the way out")
  func gap() async throws {
    bench.store.change { $0.notifications = PullBench.texts(1) }
    let ended = bench.clock.now.rfc3339
    try await bench.notifications()
    bench.clock.move(179 * Self.day)
    try await bench.notifications()
    #expect(bench.notices.all.isEmpty)
    bench.clock.move(200 * Self.day)
    try await bench.notifications()
    #expect(bench.notices.all.count == 1)
    let said = try #require(bench.notices.all.first)
    #expect(said.contains("180 days") && said.contains("daybook pull history --all"))
    #expect(!said.contains(ended))
    try await bench.notifications()
    #expect(bench.notices.all.count == 1)
  }

  @Test("of a question that is too old are asked for from where the store begins, and it is told")
  func oldQuestion() async throws {
    bench.store.change { $0.notifications = PullBench.texts(5) }
    bench.importer.next(.imported, .killedBefore)
    _ = await failure { () throws(PullError) in try await bench.notifications() }
    bench.clock.move(100 * Self.day)
    let store = bench.store
    store.fail(.answer(FakeStore.error(4_000_012, status: 400)))
    try await bench.notifications()
    #expect(Set(bench.importer.texts) == Set(PullBench.texts(5)))
    let now = bench.clock.now.microseconds / 1_000
    let asked = try bodies().map(start)
    // The question of before, refused once, and the one that begins where the store does now.
    let earliest = now - 180 * 86_400_000 + 600_000
    #expect(asked.contains { abs($0 - earliest) < 60_000 }, "\(asked)")
    #expect(bench.notices.all.contains { $0.contains("daybook pull history --all") })
  }

  @Test("are not asked for again and again if the store refuses the first moment")
  func refusedMoment() async throws {
    for _ in 0..<3 { bench.store.fail(.answer(FakeStore.error(4_000_012, status: 400))) }
    var filter = PullRun.NotificationFilter()
    filter.since = Instant(microseconds: bench.clock.now.microseconds - Self.day)
    let error = await failure { () throws(PullError) in try await bench.notifications(filter) }
    #expect(error?.kind == .cursorRefused && bench.store.requests.count == 1)
    for words in ["too long ago", "clock says \(bench.clock.now.rfc3339)", "4000012"] {
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
  }

  @Test("of a type reach back as far as the store does, each time") func again() async throws {
    var filter = PullRun.NotificationFilter()
    filter.type = "REFUND"
    for _ in 0..<2 { try await bench.notifications(filter) }
    let asked = try bodies().map(start)
    #expect(asked.count == 2 && asked[1] - asked[0] < 1_000)
  }

  @Test("whose last page was saved are not asked for again: it has no token") func last()
    async throws
  {
    bench.store.change { $0.notifications = PullBench.texts(2) }
    bench.importer.next(.killedAfter)
    _ = await failure { () throws(PullError) in try await bench.notifications() }
    bench.clock.move(Self.day)
    try await bench.notifications()
    #expect(bench.store.requests.count == 2)
    let asked = try bodies().map(start)
    #expect(asked[1] > asked[0])
  }

  @Test("begin the question again if its token has expired") func expired() async throws {
    bench.store.change { $0.notifications = PullBench.texts(5) }
    let store = bench.store
    bench.store.fail(.meanwhile {}, .meanwhile { store.change { $0.generation = 2 } })
    try await bench.notifications()
    #expect(Set(bench.importer.texts) == Set(PullBench.texts(5)))
    #expect(
      bench.store.requests.map(\.request.query["paginationToken"])
        == [nil, "t1-2", nil, "t2-2", "t2-4"])
  }

  @Test("by a filter do not count as all") func filtered() async throws {
    bench.store.change { $0.notifications = PullBench.texts(1) }
    var filter = PullRun.NotificationFilter()
    filter.onlyFailures = true
    filter.since = Instant(microseconds: bench.clock.now.microseconds - Self.day)
    (filter.type, filter.subtype) = ("DID_RENEW", "BILLING_RECOVERY")
    try await bench.notifications(filter)
    let asked = try bodies()[0]
    #expect(asked["onlyFailures"]?.boolean == true)
    #expect(asked["notificationType"]?.string == "DID_RENEW")
    #expect(asked["notificationSubtype"]?.string == "BILLING_RECOVERY")
    let span = (asked["endDate"]?.integer ?? 0) - (asked["startDate"]?.integer ?? 0)
    #expect(span == 86_400_000)
    try await bench.notifications()
    let all = try bodies()[1]
    #expect((all["endDate"]?.integer ?? 0) - (all["startDate"]?.integer ?? 0) > 179 * 86_400_000)
  }

  @Test("are compared with what the ledger has") func reconciled() async throws {
    func payload(_ id: String, _ type: String) -> String {
      let text =
        #"{"notificationType":"\#(type)","notificationUUID":"\#(id)","signedDate":1772366400000}"#
      return "e30." + Base64URL.text(Array(text.utf8)) + ".AA"
    }
    let all = ["u1", "u2", "u3"].map { payload($0, "TEST") } + [payload("u2", "TEST")]
    bench.store.change { $0.notifications = all }
    var run = try bench.run()
    let found = try await run.reconcile(
      PullRun.NotificationFilter(), known: ["u1"], imports: false)
    #expect(found.listed == 4)
    #expect(found.missed.map(\.id) == ["u2", "u3"])
    #expect(found.missed[0].type == "TEST" && found.missed[0].attempts == 1)
    #expect(found.missed[0].lastResult == "TIMED_OUT")
    #expect(found.missed[0].signedAt?.rfc3339 == "2026-03-01T12:00:00Z")
    #expect(bench.importer.count == 0)
    _ = try await run.reconcile(PullRun.NotificationFilter(), known: ["u1"], imports: true)
    #expect(bench.importer.count == 2)
  }

  @Test("the account of a purchase is set where the purchase is") func accountToken() async throws {
    bench.fill(1, .sandbox)
    var client = try bench.run().client
    let token = try #require(AccountToken("7dbfa8c6-5d5f-4894-affd-368a132fb789"))
    #expect(
      try await client.setAccount(token, of: PullBench.customer, in: [.production, .sandbox])
        == .sandbox)
    #expect(
      bench.store.contents(.sandbox).tokens[PullBench.customer.text]
        == #"{"appAccountToken":"7dbfa8c6-5d5f-4894-affd-368a132fb789"}"#)
    bench.store.fail(
      .answer(FakeStore.error(4_000_187, status: 400, "not the original transaction")))
    let error = await failure { () throws(PullError) in
      try await client.setAccount(token, of: PullBench.customer, in: [.production, .sandbox])
    }
    #expect(error?.message.contains("Name the original transaction") == true)
  }
}
