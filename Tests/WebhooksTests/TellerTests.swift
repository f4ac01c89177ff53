import Crypto
import Foundation
import GRDB
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import LedgerStore
import Testing

@testable import Webhooks

@Suite("What webhooks tell") struct TellerTests {
  private func states(_ message: TellingBench.Received) -> [String] {
    (message.data["entries"]?.array ?? []).map { entry in
      let members = Dictionary(
        uniqueKeysWithValues: (entry.object ?? []).map { ($0.name, $0.value) })
      func state(_ side: String) -> String {
        members[side]?.object?.first { $0.name == "state" }?.value.string ?? "-"
      }
      let name = members["product"]?.string ?? members["entitlement"]?.string ?? "?"
      return "\(name): \(state("before")) to \(state("after"))"
    }
  }

  @Test("what was there before is not told, and a purchase and its refund are")
  func changes() throws {
    let bench = try TellingBench()
    try bench.append(Line.purchase("1", of: "ada"))
    try bench.hook()
    #expect(try bench.told().isEmpty)
    try bench.append(Line.purchase("2", of: "ada", "map"), Line.purchase("3", of: "eve"))
    let bought = try bench.told()
    #expect(bought.map { $0.text("account") } == ["ada", "eve"])
    #expect(bought.map(states) == [["map: - to active"], ["book: - to active"]])
    #expect(bought[0].data["gained"]?.array?.compactMap(\.string) == ["map"])
    try bench.append(Line.refund("4", of: "2"))
    let refunded = try bench.told()
    #expect(refunded.map(states) == [["map: active to refunded"]])
    #expect(refunded[0].text("account") == "ada")
    #expect(refunded[0].data["lost"]?.array?.compactMap(\.string) == ["map"])
    #expect(try bench.told().isEmpty)
  }

  @Test("a new webhook is told nothing that earlier events changed, also while telling is behind")
  func behind() throws {
    let bench = try TellingBench()
    let types = [MessageType.changed, "transaction.*"]
    try bench.hook("old", types)
    // More than one look takes in.
    let count = Int(Look.eventsMax) + 1
    try bench.ledger.appendAndWait(
      try (1...count).map { index in
        let line = Line.purchase("\(index)", of: "a\(index)")
        return try EventDecoder().decode(line: Array(line.utf8), number: 1)
      })
    try bench.hook("new", types, isTakenUp: false)
    try bench.append(Line.purchase("x", of: "eve"))
    // Whose answer one look finds changed by an event from before as well.
    try bench.append(Line.purchase("z", of: "a2", "map"))
    try bench.look()
    #expect(try bench.store.webhook(named: "old").counts.waiting == 2 * (count + 1) + 1)
    #expect(
      try bench.toldTo("new").sorted() == [
        "a2 \(MessageType.changed)", "a2 transaction.purchased", "eve \(MessageType.changed)",
        "eve transaction.purchased",
      ])
    #expect(try bench.store.webhook(named: "new").webhook.since == UInt64(count))
    try bench.append(Line.purchase("y", of: "a1", "map"))
    try bench.look()
    #expect(try bench.toldTo("new").last == "a1 \(MessageType.changed)")
  }

  @Test("what was appended since the first webhook was made is told when a service comes")
  func early() throws {
    let bench = try TellingBench()
    try bench.append(Line.purchase("1", of: "ada"))
    try bench.hook("shop", ["transaction.*"], isTakenUp: false)
    try bench.append(Line.purchase("2", of: "eve"))
    #expect(try bench.told().map { $0.text("account") } == ["eve"])
    #expect(try bench.store.webhook(named: "shop").webhook.since == 1)
  }

  @Test("what time had changed before a webhook was made is not told to it") func lateClock() throws
  {
    let bench = try TellingBench()
    try bench.append(Line.catalog("c", "monthly", "autoRenewable"))
    try bench.hook("old")
    try bench.append(
      Line.purchase("1", of: "ada", "monthly", data: "\"expiresAt\":\"2024-03-10T00:00:00Z\""))
    try bench.look()
    bench.now = try #require(Instant(rfc3339: "2024-03-11T00:00:00Z"))
    try bench.hook("new", isTakenUp: false)
    try bench.look()
    #expect(try bench.toldTo("old").count == 2)
    #expect(try bench.toldTo("new").isEmpty)
  }

  @Test("a late event tells the difference that it makes, and not the history") func late() throws {
    let bench = try TellingBench()
    try bench.hook()
    try bench.append(
      Line.purchase("1", of: "ada", at: "2024-02-10T00:00:00Z"),
      Line.refund("2", of: "1", at: "2024-02-20T00:00:00Z"))
    #expect(try bench.told().map(states) == [["book: - to refunded"]])
    // Dated before everything; it changes nothing that is true now.
    try bench.append(Line.purchase("1b", of: "ada", at: "2024-01-01T00:00:00Z", more: ""))
    let late = try bench.told()
    #expect(late.map(states) == [["book: refunded to active"]])
    try bench.append(
      """
      {"id":"s","type":"session.started","occurredAt":"2024-01-01T00:00:00Z","account":"ada",\
      "device":"d","session":"x"}
      """)
    #expect(try bench.told().isEmpty)
  }

  private static let month = ",\"data\":{\"expiresAt\":\"2024-03-10T00:00:00Z\"}"

  @Test("the end of a subscription is told when it comes, and not before a renewal is folded")
  func time() throws {
    let bench = try TellingBench()
    try bench.append(
      Line.catalog("c", "monthly", "autoRenewable", ",\"entitlements\":[\"premium\"]"))
    try bench.hook()
    try bench.append(
      Line.purchase(
        "1", of: "ada", "monthly", data: "\"expiresAt\":\"2024-03-10T00:00:00Z\""))
    let begun = try bench.told()
    #expect(begun.map(states) == [["monthly: - to active"]])
    #expect(begun[0].data["gained"]?.array?.compactMap(\.string) == ["monthly", "premium"])
    bench.now = try #require(Instant(rfc3339: "2024-03-09T00:00:00Z"))
    #expect(try bench.told().isEmpty)
    // A renewal that is not folded yet holds back what time alone would tell.
    try bench.append(
      """
      {"id":"r","type":"subscription.renewed","occurredAt":"2024-03-10T00:00:00Z",\
      "source":"notification","transaction":"2","originalTransaction":"1","product":"monthly",\
      "environment":"production","data":{"expiresAt":"2024-04-10T00:00:00Z"}}
      """, isFolded: false)
    bench.now = try #require(Instant(rfc3339: "2024-03-11T00:00:00Z"))
    #expect(try bench.told().isEmpty)
    try bench.ledger.fold()
    #expect(try bench.told().map(states) == [["monthly: active to active"]])
    bench.now = try #require(Instant(rfc3339: "2024-04-09T23:00:00Z"))
    #expect(try bench.told().isEmpty)
    bench.now = try #require(Instant(rfc3339: "2024-04-10T00:00:00Z"))
    let ended = try bench.told()
    try #require(ended.map(states) == [["monthly: active to expired"]])
    #expect(ended[0].text("at") == "2024-04-10T00:00:00Z")
    #expect(try bench.told().isEmpty)
  }

  @Test("what a wrong clock has told is told anew") func clock() throws {
    let bench = try TellingBench()
    try bench.append(Line.catalog("c", "monthly", "autoRenewable"))
    try bench.hook()
    try bench.append(
      Line.purchase("1", of: "ada", "monthly", data: "\"expiresAt\":\"2024-03-10T00:00:00Z\""))
    #expect(try bench.told().map(states) == [["monthly: - to active"]])
    bench.now = try #require(Instant(rfc3339: "2099-01-01T00:00:00Z"))
    #expect(try bench.told().map(states) == [["monthly: active to expired"]])
    bench.now = TellingBench.start
    #expect(try bench.told().map(states) == [["monthly: expired to active"]])
    // A clock that is set by seconds changes nothing.
    bench.now = Instant(microseconds: TellingBench.start.microseconds - Instant.second)
    #expect(try bench.told().isEmpty)
    bench.now = try #require(Instant(rfc3339: "2024-03-10T00:00:00Z"))
    #expect(try bench.told().map(states) == [["monthly: active to expired"]])
  }

  @Test("a transfer tells both customers, each once, and the event itself to both")
  func transfer() throws {
    let bench = try TellingBench()
    try bench.hook("shop", [MessageType.changed, "account.transferred"])
    try bench.append(Line.purchase("1", of: "ada"))
    #expect(try bench.told().count == 1)
    try bench.append(
      """
      {"id":"t","type":"account.transferred","occurredAt":"2024-02-05T00:00:00Z",\
      "source":"operator","account":"ada","data":{"to":"eve","operator":"kim","reason":"sold"}}
      """)
    let told = try bench.told()
    let changed = told.filter { $0.type == MessageType.changed }
    #expect(
      Set(changed.map { "\($0.text("account") ?? "-") \(states($0))" }) == [
        #"ada ["book: active to -"]"#, #"eve ["book: - to active"]"#,
      ])
    let events = told.filter { $0.type == "account.transferred" }
    #expect(Set(events.compactMap { $0.text("account") }) == ["ada", "eve"])
  }

  @Test("an event of a chosen type is told about the owner of its transaction") func events() throws
  {
    let bench = try TellingBench()
    try bench.hook("money", ["transaction.refund*"])
    try bench.append(Line.purchase("1", of: "ada"), Line.refund("2", of: "1"))
    let told = try bench.told()
    #expect(told.map(\.type) == ["transaction.refunded"])
    #expect(told[0].text("account") == "ada")
    let event = try #require(told[0].data["event"]?.object)
    #expect(event.first { $0.name == "position" }?.value.integer == 2)
    #expect(event.first { $0.name == "id" }?.value.string == "2")
  }

  @Test("a change of the catalogue is told to every customer whom it changes") func catalogue()
    throws
  {
    let bench = try TellingBench()
    try bench.hook()
    for index in 1...40 {
      try bench.append(Line.purchase("\(index)", of: "a\(index)"), isFolded: false)
    }
    try bench.append(Line.purchase("x", of: "other", "map"))
    #expect(try bench.told().count == 41)
    try bench.append(Line.catalog("c", "book", "nonConsumable", ",\"entitlements\":[\"library\"]"))
    let told = try bench.told()
    #expect(told.count == 40)
    #expect(told.allSatisfy { $0.data["gained"]?.array?.compactMap(\.string) == ["library"] })
    try bench.ledger.rebuild()
    #expect(try bench.told().isEmpty, "another generation that says the same")
  }

  @Test("nothing is told twice or lost where the projections are gone, and are made again")
  func folder() throws {
    let bench = try TellingBench()
    try bench.hook("shop", [MessageType.changed, "transaction.*"])
    try bench.append(Line.purchase("1", of: "ada"))
    #expect(try bench.told().count == 2)
    // Its receiver does not answer.
    try bench.append(Line.purchase("2", of: "ada", "map"))
    try bench.look()
    try bench.ledger.close()
    try FileManager.default.removeItem(atPath: bench.path + "/projections")

    let now = bench.now
    let again = try Ledger(at: bench.path, clock: { now })
    again.foldsOnlyWhenCalled()
    let teller = Teller(again, bench.store, clock: { now })
    func states() throws -> [Delivery.State] {
      try bench.store.deliveries(of: "shop", limit: 99).map(\.state)
    }
    for _ in 1...2 { #expect(try teller.step() == .waiting) }
    try again.fold()
    while try teller.step() == .more {}
    #expect(try states() == [.waiting, .waiting, .delivered, .delivered])
    let line = Line.purchase("3", of: "ada", "game")
    try again.appendAndWait([EventDecoder().decode(line: Array(line.utf8), number: 1)])
    try again.fold()
    while try teller.step() == .more {}
    #expect(try states().count == 6)
    try again.close()
  }

  @Test("findings are told when they come and when a late event explains them") func findings()
    throws
  {
    let bench = try TellingBench()
    let finish = """
      {"id":"f","type":"transaction.finished","occurredAt":"2024-02-01T10:00:05Z","device":"d",\
      "account":"ada","transaction":"1","environment":"production"}
      """
    try bench.append(finish)
    try bench.hook("pager", ["finding.*"])
    #expect(try bench.told().isEmpty, "what was there before")
    try bench.append(
      finish.replacing("\"1\"", with: "\"7\"").replacing("\"f\"", with: "\"f7\""))
    let opened = try bench.told()
    #expect(opened.map(\.type) == [MessageType.opened])
    let finding = try #require(opened[0].data["finding"]?.object)
    func text(_ name: String) -> String? { finding.first { $0.name == name }?.value.string }
    #expect(text("rule") == Rule.finishedUnknown.id)
    #expect(text("account") == "ada" && text("transaction") == "7" && text("advice") != nil)
    // The delivery before it arrives late, of both.
    for number in ["1", "7"] {
      try bench.append(
        """
        {"id":"p\(number)","type":"transaction.purchased","occurredAt":"2024-02-01T10:00:00Z",\
        "device":"d","account":"ada","transaction":"\(number)","product":"book",\
        "environment":"production"}
        """, isFolded: false)
    }
    try bench.ledger.fold()
    let closed = try bench.told()
    #expect(closed.filter { $0.type == MessageType.closed }.count == 2)
    // Whoever comes back later is not told of the time between, even if others were.
    try bench.hook("other")
    try bench.store.remove("pager")
    try bench.append(finish.replacing("\"1\"", with: "\"8\"").replacing("\"f\"", with: "\"f8\""))
    try bench.look()
    try bench.hook("pager", ["finding.*"])
    #expect(try bench.told().isEmpty)
  }

  @Test("a webhook gets what its filter admits") func filters() throws {
    let bench = try TellingBench()
    try bench.hook("all")
    try bench.hook("production", environments: [.production])
    try bench.hook("map", products: ["map"])
    try bench.append(
      Line.purchase("1", of: "ada"), Line.purchase("2", of: "ada", "map"),
      Line.purchase("3", of: "eve", "map").replacing("production", with: "sandbox"))
    try bench.look()
    let counts = try bench.store.list().map { "\($0.webhook.name) \($0.counts.waiting)" }
    #expect(counts == ["all 2", "map 2", "production 1"])
  }

  @Test("a refund that states no product is one of its transaction's product") func refunds() throws
  {
    let bench = try TellingBench()
    try bench.append(Line.purchase("1", of: "ada"), Line.purchase("2", of: "ada", "map"))
    let types = ["transaction.refund*", "subscription.*"]
    try bench.hook("book", types, products: ["book"])
    try bench.hook("map", types, products: ["map"])
    try bench.append(
      Line.refund("r", of: "1"),
      """
      {"id":"e","type":"subscription.expired","occurredAt":"2024-02-03T10:00:00Z",\
      "source":"notification","originalTransaction":"2","environment":"production"}
      """)
    let told = try bench.told()
    #expect(told.map(\.type) == ["transaction.refunded", "subscription.expired"])
    #expect(told.allSatisfy { $0.data["account"]?.string == "ada" })
    let counts = try bench.store.list().map { "\($0.webhook.name) \($0.counts.delivered)" }
    #expect(counts == ["book 1", "map 1"])
  }

  @Test("an erased customer is told nothing more, and no name is in the file") func erasure() throws
  {
    let bench = try TellingBench()
    try bench.hook("shop", [MessageType.changed, "finding.*", "transaction.purchased"])
    try bench.append(
      Line.purchase("1", of: "lovelace-ada", more: ",\"device\":\"ada-phone\""),
      Line.purchase("2", of: "eve"))
    try bench.look()
    let erasure = """
      {"id":"e","type":"account.erased","occurredAt":"2024-02-09T00:00:00Z","source":"operator",\
      "account":"lovelace-ada","data":{"operator":"kim","reason":"asked"}}
      """
    try bench.ledger.erase(EventDecoder().decode(line: Array(erasure.utf8), number: 1).event)
    let told = try bench.receive()
    #expect(Set(told.compactMap { $0.text("account") }) == ["eve"])
    #expect(try bench.told().isEmpty)
    // Also of one about whom nothing waited.
    try bench.append(Line.purchase("3", of: "turing-alan"))
    #expect(try bench.told().count == 2)
    try bench.ledger.erase(
      EventDecoder().decode(
        line: Array(
          erasure.replacing("lovelace-ada", with: "turing-alan").replacing("\"e\"", with: "\"e2\"")
            .utf8), number: 1
      ).event)
    try bench.ledger.fold()
    #expect(try bench.told().isEmpty)
    let accounts = try bench.store.database.read { database in
      try Int.fetchOne(database, sql: "SELECT count(*) FROM told")
    }
    #expect(accounts == 1)
    for suffix in ["", "-wal"] {
      let file = bench.path + "/service/" + WebhookDatabase.fileName + suffix
      let bytes = try Data(contentsOf: URL(filePath: file))
      #expect(bytes.range(of: Data("lovelace-ada".utf8)) == nil)
      #expect(bytes.range(of: Data("ada-phone".utf8)) == nil)
    }
  }
}
