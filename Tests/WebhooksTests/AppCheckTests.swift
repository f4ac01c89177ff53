import GRDB
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerStore
import Testing

@testable import Webhooks

@Suite("A webhook for some apps") struct AppCheckTests {
  private static let maps = #","app":"com.example.maps""#
  private static let tides = #","app":"com.example.tides""#

  private static func act(_ id: String, _ type: String, of account: String, _ data: String)
    -> String
  {
    """
    {"id":"\(id)","type":"\(type)","occurredAt":"2024-02-03T10:00:00Z","source":"operator",\
    "account":"\(account)","data":{\(data)}}
    """
  }

  /// What the webhook for the maps is told in an order of its own, and that of all in another.
  private func bench() throws -> TellingBench {
    let bench = try TellingBench()
    try bench.hook("maps", ["*"], apps: ["com.example.maps"])
    try bench.hook("all", ["*"])
    return bench
  }

  /// Appends one event, and returns what the webhook is told of it.
  private func told(_ bench: TellingBench, _ lines: String...) throws -> [String] {
    let before = try bench.toldTo("maps").count
    for line in lines { try bench.append(line) }
    try bench.look()
    return try Array(bench.toldTo("maps").dropFirst(before)).sorted()
  }

  @Test("is told about customers whom these apps have alone") func customers() throws {
    let bench = try bench()
    let bought = ["entitlement.changed", "transaction.purchased"]
    #expect(
      try told(bench, Line.purchase("1", of: "ada", more: Self.maps)) == bought.map { "ada \($0)" })
    #expect(try told(bench, Line.purchase("2", of: "eve", more: Self.tides)).isEmpty)
    #expect(try told(bench, Line.purchase("3", of: "kim")).isEmpty, "it can be of any app")
    #expect(
      try told(bench, Line.refund("4", of: "1", more: Self.maps)) == [
        "ada entitlement.changed", "ada transaction.refunded",
      ])
    // All of them were told to somebody.
    #expect(try bench.toldTo("all").count == 8)
  }

  @Test("is told the acts of operators about them, which have no app") func acts() throws {
    let bench = try bench()
    _ = try told(bench, Line.purchase("1", of: "ada", more: Self.maps))
    let grant = "\"entitlement\":\"pro\",\"reason\":\"gift\""
    #expect(
      try told(bench, Self.act("g", "entitlement.granted", of: "ada", grant)) == [
        "ada entitlement.changed", "ada entitlement.granted",
      ])
    #expect(try told(bench, Self.act("h", "entitlement.granted", of: "eve", grant)).isEmpty)
    // Her first purchase is told, and the grant before it stands in no message.
    let purchase = Line.purchase("2", of: "eve", more: Self.maps)
    #expect(try told(bench, purchase) == ["eve entitlement.changed", "eve transaction.purchased"])
    #expect(try told(bench, Line.catalog("c", "book", "consumable")).contains("- catalog.set"))
    #expect(
      try told(
        bench, Line.catalog("d", "map", "consumable").replacing("}]}}", with: "}]}\(Self.tides)}")
      ).isEmpty)
  }

  @Test("is told nothing more once another app has an event of the customer") func mixed() throws {
    let bench = try bench()
    #expect(try told(bench, Line.purchase("1", of: "ada", more: Self.maps)).count == 2)
    #expect(try told(bench, Line.purchase("2", of: "ada", "map", more: Self.tides)).isEmpty)
    #expect(try told(bench, Line.purchase("3", of: "ada", "sea", more: Self.maps)).isEmpty)
    // The owner of the refunded transaction is theirs, and the event is another's.
    #expect(try told(bench, Line.purchase("4", of: "eve", more: Self.maps)).count == 2)
    #expect(try told(bench, Line.refund("5", of: "4", more: Self.tides)).isEmpty)
  }

  @Test("is told no act that names another app's customer, too") func between() throws {
    let bench = try bench()
    _ = try told(
      bench, Line.purchase("1", of: "ada", more: Self.maps),
      Line.purchase("2", of: "eve", more: Self.tides),
      Line.purchase("3", of: "kim", more: Self.maps))
    let linked = try told(bench, Self.act("l", "account.linked", of: "ada", "\"to\":\"eve\""))
    #expect(linked.isEmpty)
    let moved = try told(bench, Self.act("t", "account.transferred", of: "kim", "\"to\":\"eve\""))
    #expect(!moved.contains { $0.hasSuffix("account.transferred") }, "\(moved)")
    #expect(!moved.contains { $0.hasPrefix("eve ") }, "\(moved)")
  }

  @Test("is told findings about them alone, and what names only a device of theirs")
  func findings() throws {
    let bench = try bench()
    func finish(_ id: String, _ app: String) -> String {
      """
      {"id":"\(id)","type":"transaction.finished","occurredAt":"2024-02-01T10:00:05Z",\
      "device":"d\(id)","transaction":"\(id)","environment":"production"\(app)}
      """
    }
    #expect(
      try told(bench, finish("1", Self.maps)) == ["- finding.opened", "- transaction.finished"])
    #expect(try told(bench, finish("2", Self.tides)).isEmpty)
    let started = #"""
      {"id":"s1","type":"session.started","occurredAt":"2024-02-01T10:00:05Z","device":"phone",\#
      "session":"one","environment":"production"
      """#
    #expect(try told(bench, started + Self.maps + "}") == ["- session.started"])
    #expect(
      try told(bench, started.replacing("s1", with: "s2") + Self.tides + "}").isEmpty)
    #expect(
      try told(bench, started.replacing("s1", with: "s3") + Self.maps + "}").isEmpty,
      "the device has events of another app by now")
  }

  @Test("is told nothing of what another app's customer has handed on") func handedOn() throws {
    let bench = try bench()
    _ = try told(
      bench, Line.purchase("1", of: "eve", "map", more: Self.maps),
      Line.purchase("2", of: "kim", "tide", more: Self.tides))
    let first = Self.act("t1", "account.transferred", of: "kim", "\"to\":\"eve\"")
    #expect(try told(bench, first).isEmpty, "she has the tide now")
    // Now she has nothing but what is the maps', and what she had before was not.
    let second = Self.act("t2", "account.transferred", of: "eve", "\"to\":\"zoe\"")
    #expect(try told(bench, second).isEmpty)
    #expect(try bench.toldTo("all").contains("eve entitlement.changed"))
  }

  @Test("is told no event of its customer that names another app's purchase")
  func foreignPurchase() throws {
    let bench = try bench()
    _ = try told(
      bench, Line.purchase("1", of: "ada", more: Self.maps),
      Line.purchase("2", of: "eve", more: Self.tides))
    let note = #"""
      {"id":"n","type":"note.added","occurredAt":"2024-02-03T10:00:00Z","source":"operator",\#
      "account":"ada","transaction":"2","data":{"text":"the same card"}}
      """#
    #expect(try told(bench, note).isEmpty)
    let everything = try bench.toldTo("all")
    #expect(everything.contains("ada note.added"), "\(everything)")
    #expect(
      try told(bench, note.replacing("\"2\"", with: "\"1\"").replacing("\"n\"", with: "\"m\""))
        == ["ada note.added"])
  }

  @Test("is told no finding that comes to belong to another app's customer") func closed() throws {
    let bench = try bench()
    let finish = #"""
      {"id":"f","type":"transaction.finished","occurredAt":"2024-02-01T10:00:05Z","device":"d",\#
      "transaction":"7","environment":"production"
      """#
    #expect(try told(bench, finish + Self.maps + "}").contains("- finding.opened"))
    #expect(try told(bench, Line.purchase("9", of: "eve", more: Self.tides)).isEmpty)
    // The finding names nobody and a device of the maps, and its transaction is eve's.
    let late = try told(
      bench, Line.purchase("7", of: "eve", more: Self.maps + ",\"device\":\"d\""))
    #expect(late.isEmpty)
    #expect(try bench.toldTo("all").contains("- finding.closed"))
  }

  @Test("is told no note about a device that others' events alone are connected with")
  func notedDevice() throws {
    let bench = try bench()
    _ = try told(bench, Line.purchase("1", of: "eve", more: Self.tides))
    func note(_ id: String, _ more: String) -> String {
      """
      {"id":"\(id)","type":"note.added","occurredAt":"2024-02-03T10:00:00Z","source":"operator",\
      "device":"d"\(more),"data":{"text":"lost"}}
      """
    }
    #expect(try told(bench, note("n", ",\"account\":\"eve\"")).isEmpty)
    #expect(try told(bench, note("m", "")).isEmpty)
    #expect(try bench.toldTo("all").last == "- note.added")
  }

  @Test("is told no payment of a customer who has another app, too") func payments() throws {
    let bench = try bench()
    let paying = #"""
      {"id":"p1","type":"payment.added","occurredAt":"2024-02-01T09:59:00Z","payment":"pay",\#
      "product":"book","environment":"production"
      """#
    #expect(try told(bench, paying + Self.maps + "}") == ["- payment.added"])
    #expect(
      try told(
        bench, Line.purchase("1", of: "ada", more: Self.tides + ",\"payment\":\"pay\"")
      ).isEmpty)
    #expect(try told(bench, paying.replacing("p1", with: "p2") + Self.maps + "}").isEmpty)
    #expect(try bench.toldTo("all").last == "- payment.added")
  }

  @Test("is told nothing about events that the log does not have, and everybody else is")
  func unreadable() throws {
    let bench = try bench()
    try bench.append(Line.purchase("1", of: "ada", more: Self.maps))
    let message = Message(
      type: MessageType.opened, customer: 0, isAboutAccount: false, position: 9, event: 9,
      statesAt: [9], at: 0, environment: nil, content: "{}")
    let check = AppCheck()
    #expect(!check.admits(message, for: ["com.example.maps"]))
    #expect(check.admits(message, for: []) && !check.isComplete)
    var reasons: [LedgerError] = []
    try check.answer(from: bench.ledger) { reasons.append($0) }
    #expect(check.isComplete && reasons.map(\.code) == [.notFound])
    #expect(!check.admits(message, for: ["com.example.maps"]))
    var other = message
    other.event = 1
    other.statesAt = [1]
    #expect(!check.admits(other, for: ["com.example.maps"]))
    try check.answer(from: bench.ledger) { reasons.append($0) }
    #expect(check.admits(other, for: ["com.example.maps"]) && reasons.count == 1)
  }

  @Test("is told of each purchase what the apps of its customer so far allow") func random() throws
  {
    let bench = try bench()
    var random = SeededRandom(seed: 11)
    var apps: [String: Set<String>] = [:]
    var told: [String] = []
    var refused = 0
    for index in 0..<150 {
      let account = "a\(random.below(40))"
      let app = random.one(of: [Self.maps, Self.maps, Self.maps, Self.tides, ""])
      try bench.append(Line.purchase("\(index)", of: account, "p\(index)", more: app))
      try bench.look()
      apps[account, default: []].insert(app)
      if apps[account] == [Self.maps] {
        told.append("\(account) transaction.purchased")
      } else {
        refused += 1
      }
    }
    let received = try bench.toldTo("maps")
    #expect(received.filter { $0.hasSuffix(".purchased") } == told)
    #expect(
      received.filter { $0.hasSuffix(".changed") }
        == told.map { $0.replacing("transaction.purchased", with: MessageType.changed) })
    #expect(told.count > 30 && refused > 30)
  }

  @Test("is for apps that have ids of apps, each of them once, and not too many") func ids() throws
  {
    let bench = try TellingBench()
    for apps: [Name] in [
      [""], ["com.example maps"], ["com.example.maps", "com.example.maps"],
      (0...64).map { Name("com.example.a\($0)") },
    ] {
      let error = #expect(throws: WebhookError.self) {
        try bench.hook("maps", ["*"], apps: apps, isTakenUp: false)
      }
      #expect(error?.code == .invalid)
    }
    #expect(try bench.store.list().isEmpty)
  }

  @Test("keeps its apps, and a file of the version before has none") func version() throws {
    let bench = try bench()
    #expect(try bench.store.webhook(named: "maps").webhook.filter.apps == ["com.example.maps"])
    // A program that knows no apps and has the file open reads no types, and tells nothing.
    let types = try bench.store.database.read {
      try String.fetchAll(
        $0, sql: "SELECT json_extract(filter, '$.types') FROM webhooks ORDER BY name")
    }
    #expect(types == [#"["*"]"#, "[]"])
    try bench.append(Line.purchase("1", of: "ada", more: Self.maps))
    try bench.look()
    try bench.store.database.write { database in
      try database.execute(
        sql: """
          UPDATE webhooks SET filter = json_remove(filter, '$.apps', '$.typesOfApps');
          ALTER TABLE told DROP COLUMN position;
          PRAGMA user_version = 2;
          """)
    }
    try bench.restart()
    #expect(try bench.store.webhook(named: "maps").webhook.filter.apps == [])
    let version = try bench.store.database.read {
      try Int.fetchOne($0, sql: "PRAGMA user_version")
    }
    // A program that knows no apps refuses the file when it opens it.
    #expect(version == 3)
    let told = try bench.store.database.read {
      try Int.fetchAll($0, sql: "SELECT position FROM told")
    }
    #expect(told == [1])
  }
}
