import Audit
import Foundation
import LedgerEvents
import LedgerModel
import LedgerQueries
import LogTesting
import Testing

@testable import LedgerLog
@testable import LedgerStore

@Suite("An erasure that is refused, or done twice") struct LedgerEraseRefusalTests {
  private func twoCustomers() throws -> ErasureFixture {
    try ErasureFixture([
      bought("a1", "ada", "phone-a", on: "2026-01-01"),
      bought("b1", "bob", "phone-b", on: "2026-01-02"),
    ])
  }

  @Test("destroys nothing, now or later, where its id is that of another event")
  func conflict() throws {
    let fixture = try twoCustomers()
    #expect(throws: LedgerError(.conflict, "")) { try fixture.erase("ada", "b1") }
    try fixture.reopen()
    #expect(try fixture.active("ada") == ["p.a1"])
    #expect(try fixture.event("a1")?.device == "phone-a")
    try fixture.finishes()
  }

  @Test("destroys nothing where its id is that of somebody else's erasure")
  func otherErasure() throws {
    let fixture = try twoCustomers()
    try fixture.erase("ada", "request-88")
    #expect(throws: LedgerError(.conflict, "")) { try fixture.erase("bob", "request-88") }
    #expect(throws: LedgerError(.conflict, "")) { try fixture.erase("bob", "a1") }
    #expect(try fixture.active("bob") == ["p.b1"])
    #expect(try fixture.event("b1")?.account == "bob")
    try fixture.finishes()
  }

  @Test("done again with its id is a duplicate that destroys nothing of a new life")
  func again() throws {
    let fixture = try twoCustomers()
    let first = try fixture.erase("ada")
    try fixture.append([bought("a2", "ada", "phone-a", on: "2026-06-01")])
    let second = try fixture.erase("ada")
    #expect(second.isDuplicate && second.position == first.position)
    #expect(try fixture.active("ada") == ["p.a2"])
    #expect(try fixture.event("a2")?.device == "phone-a")
    try fixture.finishes()
  }

  @Test("goes on where a key of the customer's, or of an operator's record, is damaged")
  func damagedKey() throws {
    let fixture = try twoCustomers()
    try fixture.append([
      event(
        "o1", "operator.acted", on: "2026-02-01",
        #""data":{"action":"exported","operator":"kim","detail":"account ada"}"#)
    ])
    let file = try FileHandle(forUpdating: fixture.keys)
    for slot in [1, 5] as [UInt64] {
      try file.seek(toOffset: 128 + (slot - 1) * 32 + 8)
      try file.write(contentsOf: [0xFF, 0xFE, 0xFD, 0xFC])
    }
    try file.close()
    try fixture.reopen()
    try fixture.erase("ada")
    try fixture.reopen()
    #expect(try fixture.active("ada") == nil)
    #expect(try fixture.active("bob") == ["p.b1"])
  }

  @Test("is dated after the customer's newest event, so that nothing is held after it")
  func fastClock() throws {
    let fixture = try ErasureFixture([bought("a1", "ada", "phone-a", on: "2026-05-01")])
    try fixture.erase("ada", at: "2026-04-01")
    let holders = try fixture.ledger.read { (view) throws(LedgerError) in
      var count = 0
      try view.holders(
        of: "p.a1", now: Instant(microseconds: 1_900_000_000_000_000)
      ) { _ in
        count += 1
        return true
      }
      return count
    }
    #expect(holders == 0)
    try fixture.finishes()
  }
}

@Suite("Whom an erasure concerns") struct LedgerEraseOthersTests {
  @Test("not who only stands on an event of the customer's")
  func bystanders() throws {
    let fixture = try ErasureFixture([
      bought("a1", "ada", "phone-a", on: "2026-01-01"),
      event(
        "f1", "transaction.finished", on: "2026-01-02",
        #""account":"bob","device":"phone-b","transaction":"t-a1""#),
      bought("b1", "bob", "phone-b", on: "2026-01-03"),
    ])
    try fixture.erase("ada")
    #expect(try fixture.active("bob") == ["p.b1"])
    #expect(try fixture.event("b1")?.account == "bob")
    #expect(try fixture.event("f1")?.device == "phone-b")
    try fixture.finishes()
  }

  @Test("not the former holder of what was transferred")
  func transfer() throws {
    let fixture = try ErasureFixture([
      bought("a1", "ada", "phone-a", on: "2026-01-01"),
      event(
        "x1", "account.transferred", on: "2026-01-02",
        #""account":"ada","data":{"to":"bob","reason":"sold"}"#),
      bought("a2", "ada", "phone-a", on: "2026-01-03"),
      bought("b1", "bob", "phone-b", on: "2026-01-04"),
    ])
    try fixture.erase("bob")
    #expect(try fixture.active("ada") == ["p.a2"])
    #expect(try fixture.event("a2")?.device == "phone-a")
    #expect(try fixture.active("bob") == nil)
    try fixture.finishes()
  }

  @Test("not who is linked in one environment and somebody else in another")
  func linkInSandbox() throws {
    let sandbox = #","environment":"sandbox""#
    let fixture = try ErasureFixture([
      bought("a1", "ada", "phone-a", on: "2026-01-01", sandbox),
      bought("l1", "ann", "phone-b", on: "2026-01-02", sandbox),
      event(
        "x1", "account.linked", on: "2026-01-03",
        #""account":"ada","environment":"sandbox","data":{"to":"ann"}"#),
      bought("l2", "ann", "phone-c", on: "2026-01-04", #","environment":"production""#),
    ])
    try fixture.erase("ada")
    #expect(try fixture.active("ann") == ["p.l2"])
    #expect(try fixture.event("l2")?.account == "ann")
    try fixture.finishes()
  }

  @Test("the raw notifications that name only the chain of a purchase")
  func chain() throws {
    let fixture = try ErasureFixture([
      bought(
        "a1", "ada", "phone-a", on: "2026-01-01",
        #","originalTransaction":"t-a1","data":{"expiresAt":"2026-02-01T00:00:00Z"}"#),
      event(
        "g1", "subscription.gracePeriodEntered", on: "2026-02-01",
        #""originalTransaction":"t-a1","data":{"gracePeriodExpiresAt":"2027-02-16T00:00:00Z","#
          + #""payload":"raw of ada"}"#),
    ])
    let members = try fixture.ledger.read { (view) throws(LedgerError) in
      var query = EventsQuery()
      query.account = "ada"
      var ids: [Name] = []
      try view.events(query) {
        ids.append($0.event.id)
        return true
      }
      return ids
    }
    #expect(members == ["a1", "g1"])
    try fixture.erase("ada")
    #expect(try !fixture.shown().contains { $0.contains("raw of ada") })
  }

  @Test("what operators wrote of the customer, and of nobody who is called alike")
  func mentions() throws {
    let quoted = #"al\"ice"#
    let acted = { (id: String, detail: String) in
      event(
        id, "operator.acted", on: "2026-02-01",
        #""data":{"action":"exported","operator":"7","detail":\#(detail)}"#)
    }
    let fixture = try ErasureFixture([
      bought("a1", quoted, "phone-a", on: "2026-01-01"),
      bought("b1", "7", "phone-b", on: "2026-01-01"),
      acted("o1", #"{"account":"\#(quoted)","bytes":17}"#),
      acted("o2", #"{"account":"17","bytes":77}"#),
      acted("o3", #"{"account":"7","bytes":70}"#),
    ])
    try fixture.erase("al\"ice")
    #expect(try fixture.event("o1")?.data.string("operator") == "erased:3")
    #expect(try fixture.event("o2")?.data.string("operator") == "7")
    try fixture.erase("7", "e2")
    #expect(try fixture.event("o2")?.data.string("operator") == "7")
    #expect(try fixture.event("o3")?.data.string("operator") == "erased:5")
  }
}

@Suite("What comes after an erasure") struct LedgerEraseReturnTests {
  @Test("never gives back the name to what was before it, in any answer of any time")
  func returning() throws {
    let fixture = try ErasureFixture([
      bought("a1", "ada", "iphone", on: "2026-01-01"),
      event(
        "f1", "transaction.finished", on: "2026-01-02",
        #""account":"ada","device":"iphone","transaction":"t-a1""#),
    ])
    try fixture.erase("ada")
    let gone = try fixture.accountsInAnswers()
    #expect(!gone.contains { $0.contains("ada") })
    #expect(gone.contains { $0.contains("erased:") })
    try fixture.append([bought("a2", "ada", "iphone", on: "2026-06-01")])
    for fold in [false, true] {
      if fold { try fixture.ledger.fold() }
      let shown = try fixture.accountsInAnswers()
      #expect(!shown.contains { $0.contains("p.a1") && $0.contains("ada") })
      #expect(shown.contains { $0.contains("p.a2") && $0.contains("ada") })
      #expect(try fixture.active("ada") == ["p.a2"])
      #expect(try fixture.active("ada", Clocks(asOf: .position(2))) == nil)
    }
    try fixture.finishes()
  }

  @Test("is forgotten whole by a second erasure: device, session and text")
  func secondErasure() throws {
    let fixture = try ErasureFixture([bought("a1", "ada", "iphone", on: "2026-01-01")])
    try fixture.erase("ada", "e1", at: "2026-02-01")
    try fixture.append([
      bought("a2", "ada", "iphone", on: "2026-03-01"),
      event("n2", "note.added", on: "2026-03-02", #""account":"ada","data":{"text":"by phone"}"#),
    ])
    #expect(try fixture.event("a2")?.device == "iphone")
    try fixture.erase("ada", "e2", at: "2026-04-01")
    for text in ["ada", "iphone", "by phone"] {
      #expect(try !fixture.shown().contains { $0.contains(text) }, "\(text)")
    }
    // Late events about either life have no key, and belong to that life.
    try fixture.append([
      event("n3", "note.added", on: "2026-03-15", #""account":"ada","data":{"text":"late"}"#),
      event("n1", "note.added", on: "2026-01-15", #""account":"ada","data":{"text":"late"}"#),
    ])
    #expect(try fixture.active("ada") == nil)
    #expect(try !fixture.shown().contains { $0.contains("late") || $0.contains("ada") })
    #expect(try fixture.event("n3")?.account == fixture.event("a2")?.account)
    #expect(try fixture.event("n1")?.account == fixture.event("a1")?.account)
    try fixture.append([bought("a3", "ada", "iphone", on: "2026-05-01")])
    #expect(try fixture.active("ada") == ["p.a3"])
    let early = try #require(Instant(rfc3339: "2026-03-20T00:00:00Z"))
    #expect(try fixture.active("ada", Clocks(at: early)) == nil)
    try fixture.finishes()
  }

  @Test("done again in a batch with what comes later gives that no dead number")
  func againInOneBatch() throws {
    let fixture = try ErasureFixture([
      #"{"id":"p1","type":"transaction.purchased","occurredAt":"2026-01-01T10:00:00Z","#
        + #""source":"app","account":"ada","transaction":"t-1","product":"atlas"}"#
    ])
    try fixture.erase("ada", "e1", at: "2026-02-01")
    try fixture.append([
      #"{"id":"e2","type":"account.erased","occurredAt":"2026-02-02T00:00:00Z","#
        + #""source":"operator","account":"ada","data":{"reason":"asked","operator":"kim"}}"#,
      #"{"id":"p2","type":"transaction.purchased","occurredAt":"2026-03-01T10:00:00Z","#
        + #""source":"app","account":"ada","transaction":"t-2","product":"atlas"}"#,
    ])
    #expect(try fixture.event("e2")?.account?.text.hasPrefix("erased:") == true)
    #expect(try fixture.event("p2")?.account == "ada")
    #expect(try fixture.faults() == [])
  }

  @Test("destroys what came since without stating the account, when it is erased again")
  func lateNotification() throws {
    let fixture = try ErasureFixture([bought("a1", "ada", "iphone", on: "2026-01-01")])
    try fixture.erase("ada", "e1", at: "2026-02-01")
    try fixture.append([
      event(
        "x1", "notification.received", on: "2026-01-20",
        #""source":"notification","transaction":"t-a1","#
          + #""data":{"notificationType":"NEW","appAccountToken":"token of ada"}"#)
    ])
    #expect(try fixture.shown().contains { $0.contains("token of ada") })
    let again = try fixture.erase("ada", "e2", at: "2026-03-01")
    #expect(again.texts == 1)
    #expect(try !fixture.shown().contains { $0.contains("token of ada") })
    #expect(try fixture.event("e2")?.account?.text.hasPrefix("erased:") == true)
    try fixture.finishes()
  }

  @Test("leaves what came since about a transaction that somebody else has used")
  func takenOver() throws {
    let fixture = try ErasureFixture([bought("a1", "ada", "iphone", on: "2026-01-01")])
    try fixture.erase("ada", "e1", at: "2026-02-01")
    try fixture.append([
      event(
        "r1", "transaction.restored", on: "2026-02-10",
        #""account":"eve","transaction":"t-r1","originalTransaction":"t-a1","product":"p.a1""#),
      event(
        "x1", "notification.received", on: "2026-02-20",
        #""source":"notification","transaction":"t-a1","#
          + #""data":{"notificationType":"NEW","appAccountToken":"token of eve"}"#),
    ])
    try fixture.erase("ada", "e2", at: "2026-03-01")
    #expect(try fixture.shown().contains { $0.contains("token of eve") })
    #expect(try fixture.event("r1")?.account == "eve")
    try fixture.finishes()
  }

  @Test("leaves the events of a chain whose transaction was transferred to somebody")
  func transferredChain() throws {
    // The chain's first transaction is older than the ledger.
    let fixture = try ErasureFixture([
      bought("a1", "ada", "iphone", on: "2026-01-01", #","originalTransaction":"t-0""#),
      event(
        "x1", "account.transferred", on: "2026-01-10",
        #""account":"ada","data":{"to":"carol","reason":"sold"}"#),
      event(
        "x2", "subscription.expired", on: "2026-01-20",
        #""source":"notification","originalTransaction":"t-0","data":{"payload":"raw of carol"}"#),
    ])
    try fixture.erase("ada", "e1", at: "2026-02-01")
    #expect(try fixture.shown().contains { $0.contains("raw of carol") })
    try fixture.erase("ada", "e2", at: "2026-03-01")
    #expect(try fixture.shown().contains { $0.contains("raw of carol") })
    try fixture.finishes()
  }

  @Test("destroys what came since and names only the payment, when it is erased again")
  func latePayment() throws {
    let fixture = try ErasureFixture([
      bought("a1", "ada", "iphone", on: "2026-01-01", #","payment":"pay-1""#)
    ])
    try fixture.erase("ada", "e1", at: "2026-02-01")
    try fixture.append([
      event(
        "x1", "transaction.finished", on: "2026-01-20",
        #""payment":"pay-1","data":{"payload":"raw of ada"}"#)
    ])
    #expect(try fixture.shown().contains { $0.contains("raw of ada") })
    try fixture.erase("ada", "e2", at: "2026-03-01")
    #expect(try !fixture.shown().contains { $0.contains("raw of ada") })
    try fixture.finishes()
  }

  @Test("takes no name from the living whom a late event names first")
  func livingPeople() throws {
    let fixture = try ErasureFixture([bought("a1", "ada", "iphone", on: "2026-01-01")])
    try fixture.erase("ada", "e1", at: "2026-02-01")
    try fixture.append([
      event(
        "l1", "payments.checked", on: "2026-01-10",
        #""account":"ada","device":"tablet","data":{"allowed":true}"#),
      event(
        "l2", "account.transferred", on: "2026-01-11",
        #""account":"ada","data":{"to":"dave","reason":"sold"}"#),
      event("l3", "account.linked", on: "2026-01-12", #""account":"ada","data":{"to":"adele"}"#),
    ])
    #expect(try fixture.event("l1")?.device?.text.hasPrefix("erased:") == true)
    #expect(try fixture.event("l2")?.data.string("to") == "dave")
    #expect(try fixture.event("l3")?.data.string("to")?.hasPrefix("erased:") == true)
    // Purchases after the erasure belong to the buyer.
    try fixture.append([bought("d1", "dave", "phone-d", on: "2026-06-01")])
    #expect(try fixture.active("dave") == ["p.a1", "p.d1"])
    try fixture.append([
      bought("c1", "carol", "tablet", on: "2026-06-01"),
      bought("c2", "adele", "tablet", on: "2026-06-01"),
    ])
    #expect(try fixture.event("c1")?.device == "tablet")
    #expect(try fixture.active("carol") == ["p.c1"])
    #expect(try fixture.active("adele") == ["p.c2"])
    try fixture.finishes()
  }

  @Test("knows of the erasure from its commit on")
  func between() throws {
    let fixture = try ErasureFixture([bought("a1", "ada", "iphone", on: "2026-01-01")])
    try fixture.ledger.eraseAndLeave(ErasureFixture.erasure("ada", "e1", at: "2026-02-01"))
    // The keys are not destroyed yet.
    try fixture.append([
      event("n1", "note.added", on: "2026-01-15", #""account":"ada","data":{"text":"late"}"#),
      bought("a2", "ada", "iphone", on: "2026-06-01"),
    ])
    #expect(try !fixture.shown().contains { $0.contains("late") })
    #expect(try fixture.active("ada") == ["p.a2"])
    try fixture.reopen()
    #expect(try fixture.active("ada") == ["p.a2"])
    try fixture.finishes()
  }
}

@Suite("Key files that are put back") struct LedgerEraseKeysTests {
  @Test("of before an erasure bring nothing back; verify reports them and the next one mends it")
  func oldKeys() throws {
    let fixture = try ErasureFixture([
      bought("a1", "ada", "iphone", on: "2026-01-01"),
      bought("b1", "bob", "android", on: "2026-01-01"),
    ])
    let old = try Data(contentsOf: fixture.keys)
    try fixture.erase("ada")
    try old.write(to: fixture.keys)
    try fixture.reopen()
    #expect(try !fixture.shown().contains { $0.contains("ada") || $0.contains("iphone") })
    #expect(try fixture.faults().map(\.part) == [.erasedKey])
    try fixture.erase("bob", "e2")
    #expect(try fixture.faults() == [])
  }

  @Test("and erased again, destroy the keys even if nothing else is left to erase")
  func oldKeysAgain() throws {
    let fixture = try ErasureFixture([bought("a1", "ada", "iphone", on: "2026-01-01")])
    let old = try Data(contentsOf: fixture.keys)
    try fixture.erase("ada")
    try old.write(to: fixture.keys)
    try fixture.reopen()
    #expect(try fixture.faults().map(\.part) == [.erasedKey])
    try fixture.ledger.destroyErasedKeys()
    #expect(try fixture.faults() == [])
  }

  @Test("that lose keys to an erasure while they are verified are not at fault")
  func erasedMeanwhile() throws {
    let fixture = try ErasureFixture([bought("a1", "ada", "iphone", on: "2026-01-01")])
    let log = fixture.ledger.log
    func faults(_ erasedSince: () throws(LedgerError) -> Set<UInt32>) throws(LedgerError)
      -> [LogFault]
    {
      try log.read { (view) throws(LedgerError) in
        if try log.lastPosition() == 1 {
          let erasure = Event(
            id: "e1", type: EventType(.accountErased),
            occurredAt: Instant(microseconds: 1_780_000_000_000_000), account: "ada")
          try fixture.ledger.erase(erasure)
        }
        var verifier = LogVerifier(log.identity.keyHash, events: 1)
        return verifier.verify(view, erasedSince: erasedSince) { _, _ in }.faults
      }
    }
    #expect(
      try faults {
        () throws(LedgerError) in
        try log.read { (view) throws(LedgerError) in Set(try view.erasedSlots().map(\.slot)) }
      } == [])
    #expect(try fixture.faults() == [])
  }

  @Test("leave an erasure unfinished while they are missing, and it goes on when they are there")
  func missing() throws {
    let fixture = try ErasureFixture([bought("a1", "ada", "iphone", on: "2026-01-01")])
    try fixture.ledger.eraseAndLeave(ErasureFixture.erasure("ada", "e1", at: "2026-02-01"))
    let keys = try Data(contentsOf: fixture.keys)
    try FileManager.default.removeItem(at: fixture.keys)
    try fixture.reopen()
    try fixture.append([
      event("s1", "storefront.changed", on: "2026-03-01", #""data":{"storefront":"FRA"}"#)
    ])
    #expect(try fixture.ledger.log.erasureMark() != nil)
    try keys.write(to: fixture.keys)
    try fixture.reopen()
    #expect(try fixture.ledger.log.erasureMark() == nil)
    #expect(try fixture.faults() == [])
  }

  @Test("that end before the slots that are taken are not filled in their place")
  func tooShort() throws {
    let fixture = try ErasureFixture([])
    let many = { (range: Range<Int>) in
      range.map {
        event(
          "s\($0)", "payments.checked", on: "2026-01-01",
          #""account":"person \#($0)","data":{"allowed":true}"#)
      }
    }
    try fixture.append(many(0..<4_000))
    let early = try Data(contentsOf: fixture.keys)
    try fixture.append(many(4_000..<4_200))
    let whole = try Data(contentsOf: fixture.keys)
    #expect(early.count < whole.count)
    try early.write(to: fixture.keys)
    try fixture.reopen()
    #expect(try fixture.shown().last?.contains("sealed:") == true)
    try fixture.append(many(4_200..<4_201))
    #expect(try fixture.shown()[4_150].contains("sealed:"))
    #expect(try fixture.shown().last?.contains("person 4200") == true)
    #expect(try fixture.faults().allSatisfy { $0.part == .key })
  }
}
