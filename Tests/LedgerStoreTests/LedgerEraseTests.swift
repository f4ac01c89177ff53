import Foundation
import LedgerEvents
import LedgerQueries
import LogTesting
import Testing

@testable import LedgerLog
@testable import LedgerStore

@Suite("Erasing a customer") struct LedgerEraseTests {
  private let folder: TemporaryFolder
  private let ledger: Ledger

  /// The strings that identify Ada and nobody else.
  private static let strings = [
    "ada@example.org", "ada-alias", "Adas Telefon", "session-of-ada", "rang from Lisbon",
    "/home/ada/atlas", "raw-token-of-ada",
  ]

  init() throws {
    folder = try TemporaryFolder()
    ledger = try Ledger.create(at: folder.ledger, clock: fixedClock)
    try ledger.appendAndWait(Self.history)
    try ledger.fold()
  }

  private static let history: [EventInput] = [
    input("s1", "session.started", device: "Adas Telefon", session: "session-of-ada", at: 0),
    input(
      "p1", "transaction.purchased", account: "ada@example.org", device: "Adas Telefon",
      session: "session-of-ada", transaction: "t-1", product: "atlas", at: 1),
    input(
      "i1", "content.installed", account: "ada@example.org", device: "Adas Telefon",
      transaction: "t-1", product: "atlas", at: 2,
      data: #"{"contentVersion":"1.0","path":"/home/ada/atlas"}"#),
    input(
      "n1", "note.added", account: "ada@example.org", at: 3,
      data: #"{"text":"rang from Lisbon","operator":"kim"}"#),
    input(
      "l1", "account.linked", account: "ada@example.org", at: 4,
      data: #"{"to":"ada-alias","reason":"one person","operator":"kim"}"#),
    input(
      "x1", "notification.received", transaction: "t-1", at: 5,
      data: #"{"notificationType":"NEW","appAccountToken":"raw-token-of-ada"}"#),
    input(
      "p2", "transaction.purchased", account: "ada-alias", device: "shared tablet",
      transaction: "t-2", product: "globe", at: 6),
    input(
      "p3", "transaction.purchased", account: "eve@example.org", device: "shared tablet",
      transaction: "t-3", product: "atlas", at: 7),
    input(
      "n2", "note.added", account: "eve@example.org", at: 8, data: #"{"text":"asked for help"}"#),
    input(
      "o1", "operator.acted", at: 9,
      data: #"{"action":"exported","operator":"kim","detail":"account ada-alias"}"#),
  ]

  private static func input(
    _ id: String, _ type: String, account: String? = nil, device: String? = nil,
    session: String? = nil, transaction: String? = nil, product: String? = nil, at second: Int64,
    data: String = "{}"
  ) -> EventInput {
    var event = Event(
      id: Name(id), type: EventType(text: type),
      occurredAt: Instant(microseconds: 1_600_000_000_000_000 + second * Instant.second))
    event.source = EventSource(type == "notification.received" ? .notification : .app)
    event.account = account.map { Name($0) }
    event.device = device.map { Name($0) }
    event.session = session.map { Name($0) }
    event.transaction = transaction.map { Name($0) }
    event.product = product.map { Name($0) }
    do { event.data = try EventData(personal: Array(data.utf8)) } catch {
      Issue.record("\(data): \(error)")
    }
    return EventInput(event: event)
  }

  private func erasure(_ id: Name = "e1", of account: Name = "ada@example.org") -> Event {
    var event = Self.input(id.text, "account.erased", at: 1_000).event
    event.account = account
    return event
  }

  /// Returns the files of the ledger that contain a text, byte by byte.
  private func files(with text: String) throws -> [String] {
    let root = folder.ledger
    let names = try FileManager.default.subpathsOfDirectory(atPath: root)
    return try names.filter { name in
      let path = "\(root)/\(name)"
      let kind = try FileManager.default.attributesOfItem(atPath: path)[.type]
      guard kind as? FileAttributeType == .typeRegular else { return false }
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      return data.range(of: Data(text.utf8)) != nil
    }
  }

  private func events() throws -> [RecordedEvent] { try ledger.log.allEvents() }

  private func answer(
    _ account: Name, _ clocks: Clocks = .now
  ) throws -> EntitlementsAnswer {
    try ledger.read { (view) throws(LedgerError) in
      try view.entitlements(of: .account(account), clocks: clocks, now: fixedClock())
    }
  }

  @Test("leaves no string in any file, and no key to what is sealed")
  func nowhere() throws {
    // The search works: it finds the id of a transaction in the files.
    #expect(try !files(with: "t-1").isEmpty)
    let before = try events().map(\.event)
    #expect(before[1].account == "ada@example.org")
    let result = try ledger.erase(erasure())
    try ledger.fold()
    // ada@example.org, ada-alias, Adas Telefon, session-of-ada; i1, n1, x1, o1.
    #expect(result.names == 4)
    #expect(result.texts == 4)
    for text in Self.strings { #expect(try files(with: text).isEmpty, "\(text)") }
    let shown = try events().map {
      String(decoding: EventEncoder().encode($0.event), as: UTF8.self)
    }
    for text in Self.strings {
      #expect(!shown.contains { $0.contains(text) }, "\(text)")
    }
    // Eve's name, the tablet that both used, Eve's text, and who linked the accounts, and why.
    #expect(try livingKeys() == 4)
    #expect(result.remainder.names == [NameUse(kind: .device, name: "shared tablet")])
    #expect(result.remainder.acts == [5])
  }

  @Test("shows erased names and texts by their number, in events that still are valid")
  func shown() throws {
    try ledger.erase(erasure())
    let events = try events().map(\.event)
    let account = try #require(events[1].account)
    #expect(account.text.hasPrefix("erased:"))
    #expect(events[3].account == account)
    #expect(events[3].data.string("text") == "erased:4")
    #expect(events[3].data.string("operator") == "erased:4")
    #expect(events[2].data.string("contentVersion") == "1.0")
    for event in events { #expect(throws: Never.self) { try event.validate() } }
    // What others used or wrote remains.
    #expect(events[7].account == "eve@example.org")
    #expect(events[7].device == "shared tablet")
    #expect(events[8].data.string("text") == "asked for help")
  }

  @Test("leaves positions, leaves, roots and disclosures as they were, and verify finds nothing")
  func proofs() throws {
    let old = try ledger.log.read { (view) throws(LedgerError) in
      var leaves: [[UInt8]] = []
      for position in 1...view.lastPosition { leaves.append(try view.leaf(at: position)) }
      let number = try view.record(at: 2).number(.account)
      return (
        try view.root(at: view.lastPosition), leaves, try view.disclosure(of: number)
      )
    }
    let disclosed = try #require(old.2)
    try ledger.erase(erasure())
    try ledger.log.read { (view) throws(LedgerError) in
      #expect(try view.root(at: 10) == old.0)
      for position in 1...UInt64(10) {
        #expect(try view.leaf(at: position) == old.1[Int(position) - 1])
      }
      #expect(try view.disclosure(of: disclosed.number) == nil)
      #expect(try view.disclosures(at: 4) == nil)
    }
    let leaf = old.1[Int(disclosed.position) - 1]
    let entry = try LeafEntry(leaf.span)
    let introduced = entry.introductions.first { $0.number == disclosed.number }
    let nonce = try #require(disclosed.nonce)
    #expect(
      introduced?.content
        == .commitment(
          Commitment.introduction(
            Commitment.name(.account, "ada@example.org", nonce: nonce), hash: disclosed.hash ?? []))
    )
    #expect(try ledger.log.verify().faults.isEmpty)
  }

  @Test("answers no question about the account, of no time; others are answered as before")
  func unknown() throws {
    let eve = try answer("eve@example.org")
    try ledger.erase(erasure())
    for fold in [false, true] {
      if fold { try ledger.fold() }
      for account: Name in ["ada@example.org", "ada-alias"] {
        for clocks in [Clocks.now, Clocks(asOf: .position(7)), Clocks(at: fixedClock())] {
          let answer = try answer(account, clocks)
          #expect(!answer.isKnown)
          #expect(answer.entries.isEmpty)
        }
        var query = EventsQuery()
        query.account = account
        var found = 0
        try ledger.read { (view) throws(LedgerError) in
          try view.events(query) { _ in
            found += 1
            return true
          }
        }
        #expect(found == 0)
      }
      let after = try answer("eve@example.org")
      #expect(after.active == eve.active)
      #expect(after.isKnown)
    }
  }

  @Test("takes a retried event for a duplicate by its id alone")
  func retried() throws {
    try ledger.erase(erasure())
    var again = Self.history
    again[3].event.data = EventData(members: [
      EventData.Member(name: "text", json: Array("\"other words\"".utf8))
    ])
    let outcomes = try ledger.appendAndWait(again).outcomes
    #expect(outcomes == (1...10).map { .duplicate($0) })
    // The control: an event of someone who was not erased is still compared.
    again[8].event.data = again[3].event.data
    #expect(throws: LedgerError(.conflict, "")) { try ledger.appendAndWait(again) }
  }

  @Test("gives no key to what comes late about the time before, and it still is nobody's")
  func late() throws {
    try ledger.erase(erasure())
    try ledger.appendAndWait([
      Self.input(
        "late", "note.added", account: "ada@example.org", device: "Adas Uhr", at: 50,
        data: #"{"text":"forgotten umbrella"}"#)
    ])
    let event = try #require(try events().last?.event)
    #expect(event.account?.text.hasPrefix("erased:") == true)
    #expect(event.device?.text.hasPrefix("erased:") == true)
    #expect(event.data.string("text") == "erased:12")
    #expect(try files(with: "umbrella").isEmpty)
    #expect(try !answer("ada@example.org").isKnown)
    #expect(try ledger.log.verify().faults.isEmpty)
  }

  @Test("lets the same account begin afresh, and tells nothing of what was before")
  func again() throws {
    try ledger.erase(erasure())
    let bought = Self.input(
      "p9", "transaction.purchased", account: "ada@example.org", transaction: "t-9",
      product: "globe", at: 2_000)
    try ledger.appendAndWait([bought])
    try ledger.fold()
    let answer = try answer("ada@example.org")
    #expect(answer.isKnown)
    #expect(answer.active == ["globe"])
    #expect(try !self.answer("ada@example.org", Clocks(asOf: .position(11))).isKnown)
    let early = Instant(microseconds: 1_600_000_005_000_000)
    #expect(try !self.answer("ada@example.org", Clocks(at: early)).isKnown)
    let events = try events().map(\.event)
    #expect(events[11].account == "ada@example.org")
    #expect(events[1].account?.text.hasPrefix("erased:") == true)
    #expect(try ledger.log.verify().faults.isEmpty)
    let leaf = try ledger.log.read { (view) throws(LedgerError) in try view.leaf(at: 12) }
    let entry = try LeafEntry(leaf.span)
    #expect(entry.introductions.contains { $0.kind == .account })
    // The customer is erased once more.
    let second = try ledger.erase(Self.with(erasure("e2"), at: 3_000))
    #expect(second.names == 1)
    #expect(try !self.answer("ada@example.org").isKnown)
    #expect(try self.events()[11].event.account?.text.hasPrefix("erased:") == true)
    #expect(try livingKeys() == 4)
  }

  private static func with(_ event: Event, at second: Int64) -> Event {
    var event = event
    event.occurredAt = Instant(microseconds: 1_600_000_000_000_000 + second * Instant.second)
    return event
  }

  @Test("that was cut short is finished by whoever opens the ledger to write")
  func cutShort() throws {
    // The state in which a process leaves the ledger if it dies after the commit.
    try ledger.eraseAndLeave(erasure())
    #expect(try ledger.log.erasureMark()?.position == 11)
    // The log already shows the erasure, and `verify` knows that it is not complete.
    #expect(try events()[1].event.account?.text.hasPrefix("erased:") == true)
    #expect(try livingKeys() == 12)
    #expect(try ledger.log.verify().faults.isEmpty)
    try ledger.close()
    let opened = try Ledger(at: folder.ledger, clock: fixedClock)
    #expect(try opened.log.erasureMark() == nil)
    #expect(try livingKeys(opened) == 4)
    #expect(try opened.log.verify().faults.isEmpty)
  }

  /// Returns the number of assigned slots that have a key.
  private func livingKeys(_ other: Ledger? = nil) throws -> Int {
    let log = (other ?? ledger).log
    let last = try log.read { (view) throws(LedgerError) in try view.lastSlot() }
    return try (1...last).count { try log.tables.texts.keys?.secret($0) != nil }
  }

  @Test("is refused for an account that no event names")
  func nobody() throws {
    #expect(throws: LedgerError(.notFound, "")) {
      try ledger.erase(erasure(of: "nobody@example.org"))
    }
    #expect(try ledger.log.lastPosition() == 10)
  }

  @Test("rests on a key file that is made anew where its making was cut short")
  func keysCutShort() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.ledger, withIntermediateDirectories: true)
    let keys = URL(fileURLWithPath: "\(folder.ledger)/\(PersonalKeys.fileName)")
    // A head that the system had written only half of.
    try Data((0..<100).map { $0 < 64 ? 0 : 7 }).write(to: keys)
    let ledger = try Ledger.create(at: folder.ledger, clock: fixedClock)
    try ledger.appendAndWait(Self.history)
    #expect(try ledger.log.allEvents()[1].event.account == "ada@example.org")
    #expect(try ledger.log.verify().faults.isEmpty)
    #expect(try Data(contentsOf: keys).count == 128 + 32 * PersonalKeys.blockSlots)
  }

  @Test("never writes over the keys of another ledger")
  func keysInTheWay() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.ledger, withIntermediateDirectories: true)
    let other = try Data(contentsOf: URL(fileURLWithPath: ledger.keyFile))
    let keys = URL(fileURLWithPath: "\(folder.ledger)/\(PersonalKeys.fileName)")
    try other.write(to: keys)
    #expect(throws: LedgerError(.exists, "")) {
      _ = try Ledger.create(at: folder.ledger, clock: fixedClock)
    }
    #expect(try Data(contentsOf: keys) == other)
  }

  @Test("makes keys for as many people as one batch names")
  func manyPeople() throws {
    let folder = try TemporaryFolder()
    let ledger = try Ledger.create(at: folder.ledger, clock: fixedClock)
    let batch = (0..<9_000).map { number in
      Self.input(
        "m\(number)", "payments.checked", account: "a\(number)", at: 1,
        data: #"{"allowed":true}"#)
    }
    try ledger.appendAndWait(batch)
    let last = try ledger.log.read { (view) throws(LedgerError) in try view.lastSlot() }
    #expect(last == 9_000)
    #expect(try ledger.log.allEvents()[8_999].event.account == "a8999")
    #expect(try ledger.log.verify().faults.isEmpty)
  }

  @Test("is told from keys that went missing, which verify reports and an append refuses")
  func keysMissing() throws {
    try FileManager.default.removeItem(atPath: ledger.keyFile)
    try ledger.close()
    let opened = try Ledger(at: folder.ledger, clock: fixedClock)
    #expect(try opened.log.verify().faults.map(\.part) == [.key])
    #expect(try opened.log.allEvents()[1].event.account?.text.hasPrefix("sealed:") == true)
    #expect(throws: LedgerError(.keysMissing, "")) {
      try opened.appendAndWait([note("another", "text")])
    }
    // Nobody is found by name; what names nobody is answered.
    #expect(throws: LedgerError(.keysMissing, "")) {
      try opened.read { (view) throws(LedgerError) in
        try view.entitlements(of: .account("ada-alias"), now: fixedClock()).isKnown
      }
    }
    #expect(throws: LedgerError(.keysMissing, "")) {
      try opened.appendAndWait([
        Self.input(
          "k", "payments.checked", account: "ada-alias", at: 20,
          data: #"{"allowed":true}"#)
      ])
    }
    try opened.appendAndWait([
      Self.input(
        "x2", "notification.received", transaction: "t-1", at: 20,
        data: #"{"notificationType":"NEW"}"#)
    ])
  }
}

extension Ledger {
  /// Erases, and leaves the keys as a process does that dies after the commit.
  func eraseAndLeave(_ event: Event) throws {
    let account = try #require(event.account)
    _ = try log.eraseAndWait(EventInput(event: event)) { [self] () throws(LedgerError) in
      try read { (view) throws(LedgerError) in try view.erasureScope(of: account).scope }
    }
  }
}
