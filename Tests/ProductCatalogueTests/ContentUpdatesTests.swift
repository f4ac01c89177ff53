import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import LedgerTesting
import ProductCatalogue
import Testing

/// The answers of `contentUpdates`.
private struct UpdatesAnswer {
  var counts: [ContentUpdateCounts] = []
  var updates: [ContentUpdate] = []

  init(_ ledger: TemporaryLedger, _ query: ContentUpdatesQuery) throws {
    try ledger.ledger.read { (view) throws(LedgerError) in
      try view.contentUpdates(
        query, counts: { counts = $0 },
        { update in
          updates.append(update)
          return true
        })
    }
  }

  /// Lines such as `anna on phone: map 1.0 behind`.
  var lines: [String] {
    updates.map { update in
      "\(update.account) on \(update.device?.text ?? "-"): \(update.product) "
        + "\(update.installed?.text ?? "-") \(update.reason)"
    }.sorted()
  }
}

/// Returns an event of a customer's phone, at an hour of 1 March 2026.
private func event(
  _ hour: Int, _ type: String, of account: String, _ more: String = "", data: String = "{}"
) throws -> RecordedEvent {
  try RecordedEvent(
    line: #"{"id":"\#(type)-\#(hour)-\#(account)","type":"\#(type)","#
      + #""occurredAt":"\#(Instant.march(hour).rfc3339)","account":"\#(account)","#
      + #""device":"phone-\#(account)","product":"map"\#(more),"data":\#(data)}"#)
}

/// Returns a delivery that announces a download.
private func delivered(_ hour: Int, to account: String) throws -> RecordedEvent {
  try event(
    hour, "transaction.purchased", of: account, #","transaction":"t-\#(account)""#,
    data: #"{"downloads":[{"download":"d","contentVersion":"1.0"}]}"#)
}

private func installed(_ hour: Int, by account: String, _ version: String) throws -> RecordedEvent {
  try event(hour, "content.installed", of: account, data: #"{"contentVersion":"\#(version)"}"#)
}

private func published(_ hour: Int, _ version: String) throws -> RecordedEvent {
  try RecordedEvent(
    line: #"{"id":"published-\#(version)","type":"content.versionPublished","#
      + #""occurredAt":"\#(Instant.march(hour).rfc3339)","product":"map","#
      + #""data":{"contentVersion":"\#(version)"}}"#)
}

@Suite("Updates of content") struct ContentUpdatesTests {
  private let later = ContentUpdatesQuery(now: .march(1_000))

  @Test("are told to owners who are behind or have none") func reported() throws {
    let ledger = try TemporaryLedger([
      delivered(1, to: "anna"), installed(2, by: "anna", "1.0"),
      delivered(1, to: "ben"),
      delivered(1, to: "cleo"), installed(2, by: "cleo", "1.1"),
      delivered(1, to: "dan"), installed(2, by: "dan", "1.0"),
      event(3, "content.removed", of: "dan"),
      delivered(1, to: "eve"), installed(2, by: "eve", "1.0"),
      event(3, "transaction.refunded", of: "eve", #","transaction":"t-eve""#),
      event(4, "entitlement.granted", of: "fay"),
      published(5, "1.1"),
    ])
    let answer = try UpdatesAnswer(ledger, later)
    #expect(
      answer.lines == [
        "anna on phone-anna: map 1.0 behind", "ben on phone-ben: map - missing",
        "fay on -: map - missing",
      ])
    let count = try #require(answer.counts.first)
    #expect(answer.counts.count == 1)
    #expect(count.product == "map" && count.available == "1.1")
    #expect(count.current == 1 && count.behind == 1 && count.missing == 2)
    #expect(count.removed == 1 && count.notOwned == 1)
  }

  @Test("are those of one device or product where one is asked for") func narrowed() throws {
    let ledger = try TemporaryLedger([
      delivered(1, to: "anna"), installed(2, by: "anna", "1.0"),
      delivered(1, to: "ben"), installed(2, by: "ben", "1.0"), published(5, "1.1"),
    ])
    var query = later
    query.device = "phone-ben"
    #expect(try UpdatesAnswer(ledger, query).lines == ["ben on phone-ben: map 1.0 behind"])
    query.product = "another"
    #expect(try UpdatesAnswer(ledger, query).lines.isEmpty)
    query.product = "map"
    #expect(try UpdatesAnswer(ledger, query).counts.map(\.behind) == [1])
  }

  @Test("are nothing while nothing newer is on offer, and were nothing before") func clocks()
    throws
  {
    let ledger = try TemporaryLedger([
      delivered(1, to: "anna"), installed(2, by: "anna", "1.0"), published(5, "1.1"),
    ])
    var query = later
    query.clocks = Clocks(at: .march(4))
    #expect(try UpdatesAnswer(ledger, query).lines.isEmpty)
    #expect(try UpdatesAnswer(ledger, query).counts.map(\.current) == [1])
    query.clocks = Clocks(asOf: .position(3))
    #expect(try UpdatesAnswer(ledger, query).lines.count == 1)
  }

  @Test("stop where they are told to") func stops() throws {
    let ledger = try TemporaryLedger([
      delivered(1, to: "anna"), delivered(1, to: "ben"), published(5, "1.1"),
    ])
    var count = 0
    try ledger.ledger.read { (view) throws(LedgerError) in
      try view.contentUpdates(
        later, counts: { _ in },
        { _ in
          count += 1
          return false
        })
    }
    #expect(count == 1)
  }

  @Test("of dense histories are what each account's own answers say", arguments: 0..<40)
  func dense(_ seed: Int) throws {
    let events = Histories.dense(seed: UInt64(seed) + 12_000)
    let ledger = try TemporaryLedger(events)
    if seed % 2 == 0 { try ledger.ledger.fold() }
    let now = Instant(microseconds: 1_900_000_000 * Instant.second)
    let answer = try UpdatesAnswer(ledger, ContentUpdatesQuery(now: now))
    #expect(answer.counts.reduce(0) { $0 + $1.behind + $1.missing } == answer.updates.count)
    let reported = Set(answer.lines.filter { $0.hasSuffix("behind") }.map(Self.withoutAccount))
    var expected: Set<String> = []
    for account in Set(events.compactMap(\.event.account)) {
      try ledger.ledger.read { (view) throws(LedgerError) in
        let customer = CustomerReference.account(account)
        let owned = try view.entitlements(of: customer, now: now).entries.filter {
          $0.state.entitles
        }.compactMap(\.product)
        for content in try view.installed(of: customer)
        where content.updateAvailable && owned.contains(content.product) {
          expected.insert(
            " on \(content.device?.text ?? "-"): \(content.product) \(content.contentVersion) "
              + "behind")
        }
      }
    }
    // Only one of a customer's linked ids is reported. Ids that only links name do not occur in
    // these answers.
    #expect(expected.isSubset(of: reported), "seed \(seed)")
  }

  private static func withoutAccount(_ line: String) -> String {
    String(line.drop { $0 != " " })
  }

  @Test("as of every position are those of a ledger that stopped there", arguments: 0..<6)
  func asOf(_ seed: Int) throws {
    let events = Histories.dense(seed: UInt64(seed) + 13_000)
    let ledger = try TemporaryLedger(events)
    let now = Instant(microseconds: 1_900_000_000 * Instant.second)
    for position in stride(from: 5, to: events.count, by: 11) {
      let stopped = try TemporaryLedger(Array(events.prefix(position)))
      let past = try UpdatesAnswer(
        ledger, ContentUpdatesQuery(clocks: Clocks(asOf: .position(UInt64(position))), now: now))
      let then = try UpdatesAnswer(stopped, ContentUpdatesQuery(now: now))
      #expect(past.lines == then.lines, "seed \(seed), as of \(position)")
      #expect("\(past.counts)" == "\(then.counts)")
    }
  }
}

@Suite("Publishing content") struct PublishingTests {
  private func refusal(
    _ events: [RecordedEvent], _ version: Name = "1.1"
  ) throws -> PublishingRefusal? {
    try TemporaryLedger(events).ledger.read { (view) throws(LedgerError) in
      try view.refusal(ofPublishing: version, of: "map", now: .march(1_000))
    }
  }

  private func catalogue(
    _ hour: Int, delivery: String? = nil, kind: String = "nonConsumable"
  ) throws -> RecordedEvent {
    let stated = delivery.map { #","delivery":"\#($0)""# } ?? ""
    return try .catalogue(hour, #"{"product":"map","kind":"\#(kind)"\#(stated)}"#)
  }

  @Test("is refused where the version does not rise") func notIncreased() throws {
    #expect(try refusal([published(1, "1.1")]) == .notIncreased(onOffer: "1.1"))
    #expect(try refusal([published(1, "1.10")], "1.9") == .notIncreased(onOffer: "1.10"))
    #expect(try refusal([published(1, "1.0")]) == nil)
    #expect(try refusal([delivered(1, to: "anna")], "1.0") == .notIncreased(onOffer: "1.0"))
  }

  @Test("of a product that nobody bought is free to begin") func unsold() throws {
    #expect(try refusal([]) == nil)
    #expect(try refusal([catalogue(1, delivery: "store")]) == nil)
  }

  @Test("is refused where hosting was switched on for a product sold without it") func sold()
    throws
  {
    let bought = try RecordedEvent.purchase(2, "map", of: "anna")
    #expect(try refusal([bought]) == .soldWithout(since: .march(2), delivery: nil))
    #expect(
      try refusal([catalogue(1, delivery: "builtIn"), bought, catalogue(3, delivery: "store")])
        == .soldWithout(since: .march(2), delivery: "builtIn"))
    // The buyers knew that the store delivers it, although the ledger did not see the downloads.
    #expect(try refusal([catalogue(1, delivery: "store"), bought]) == nil)
  }

  @Test("is refused where the catalogue says otherwise") func otherwise() throws {
    #expect(try refusal([catalogue(1, delivery: "ownServer")]) == .otherDelivery("ownServer"))
    #expect(try refusal([catalogue(1, kind: "consumable")]) == .otherKind(.consumable))
  }

  @Test("has an id of what is released") func identifier() {
    let release = ContentRelease(product: "map", version: "1.1", bytes: 7, digest: "sha256:00")
    var other = release
    other.digest = "sha256:01"
    #expect(release.event(at: .march(1)).id == release.event(at: .march(2)).id)
    #expect(release.event(at: .march(1)).id != other.event(at: .march(1)).id)
    #expect(release.event(at: .march(1)).data.array("contentLengths")?.first?.integer == 7)
  }
}
