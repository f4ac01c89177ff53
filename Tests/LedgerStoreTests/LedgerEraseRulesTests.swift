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
  private func twoCustomers() throws -> ErasureBook {
    try ErasureBook([
      bought("a1", "ada", "phone-a", on: "2026-01-01"),
      bought("b1", "bob", "phone-b", on: "2026-01-02"),
    ])
  }

  @Test("destroys nothing, now or later, where its id is that of another event")
  func conflict() throws {
    let book = try twoCustomers()
    #expect(throws: LedgerError(.conflict, "")) { try book.erase("ada", "b1") }
    try book.reopen()
    #expect(try book.active("ada") == ["p.a1"])
    #expect(try book.event("a1")?.device == "phone-a")
    try book.finishes()
  }

  @Test("destroys nothing where its id is that of somebody else's erasure")
  func otherErasure() throws {
    let book = try twoCustomers()
    try book.erase("ada", "request-88")
    #expect(throws: LedgerError(.conflict, "")) { try book.erase("bob", "request-88") }
    #expect(throws: LedgerError(.conflict, "")) { try book.erase("bob", "a1") }
    #expect(try book.active("bob") == ["p.b1"])
    #expect(try book.event("b1")?.account == "bob")
    try book.finishes()
  }

  @Test("done again with its id is a duplicate that destroys nothing of a new life")
  func again() throws {
    let book = try twoCustomers()
    let first = try book.erase("ada")
    try book.append([bought("a2", "ada", "phone-a", on: "2026-06-01")])
    let second = try book.erase("ada")
    #expect(second.isDuplicate && second.position == first.position)
    #expect(try book.active("ada") == ["p.a2"])
    #expect(try book.event("a2")?.device == "phone-a")
    try book.finishes()
  }

  @Test("goes on where a key of the customer's, or of an operator's record, is damaged")
  func damagedKey() throws {
    let book = try twoCustomers()
    try book.append([
      event(
        "o1", "operator.acted", on: "2026-02-01",
        #""data":{"action":"exported","operator":"kim","detail":"account ada"}"#)
    ])
    let file = try FileHandle(forUpdating: book.keys)
    for slot in [1, 5] as [UInt64] {
      try file.seek(toOffset: 128 + (slot - 1) * 32 + 8)
      try file.write(contentsOf: [0xFF, 0xFE, 0xFD, 0xFC])
    }
    try file.close()
    try book.reopen()
    try book.erase("ada")
    try book.reopen()
    #expect(try book.active("ada") == nil)
    #expect(try book.active("bob") == ["p.b1"])
  }

  @Test("is dated behind the customer's newest event, so that nothing is held after it")
  func fastClock() throws {
    let book = try ErasureBook([bought("a1", "ada", "phone-a", on: "2026-05-01")])
    try book.erase("ada", at: "2026-04-01")
    let holders = try book.ledger.read { (view) throws(LedgerError) in
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
    try book.finishes()
  }
}

@Suite("Whom an erasure concerns") struct LedgerEraseOthersTests {
  @Test("not who only stands on an event of the customer's")
  func bystanders() throws {
    let book = try ErasureBook([
      bought("a1", "ada", "phone-a", on: "2026-01-01"),
      event(
        "f1", "transaction.finished", on: "2026-01-02",
        #""account":"bob","device":"phone-b","transaction":"t-a1""#),
      bought("b1", "bob", "phone-b", on: "2026-01-03"),
    ])
    try book.erase("ada")
    #expect(try book.active("bob") == ["p.b1"])
    #expect(try book.event("b1")?.account == "bob")
    #expect(try book.event("f1")?.device == "phone-b")
    try book.finishes()
  }

  @Test("not the former holder of what was transferred")
  func transfer() throws {
    let book = try ErasureBook([
      bought("a1", "ada", "phone-a", on: "2026-01-01"),
      event(
        "x1", "account.transferred", on: "2026-01-02",
        #""account":"ada","data":{"to":"bob","reason":"sold"}"#),
      bought("a2", "ada", "phone-a", on: "2026-01-03"),
      bought("b1", "bob", "phone-b", on: "2026-01-04"),
    ])
    try book.erase("bob")
    #expect(try book.active("ada") == ["p.a2"])
    #expect(try book.event("a2")?.device == "phone-a")
    #expect(try book.active("bob") == nil)
    try book.finishes()
  }

  @Test("not who is linked in one environment and somebody else in another")
  func linkInSandbox() throws {
    let sandbox = #","environment":"sandbox""#
    let book = try ErasureBook([
      bought("a1", "ada", "phone-a", on: "2026-01-01", sandbox),
      bought("l1", "ann", "phone-b", on: "2026-01-02", sandbox),
      event(
        "x1", "account.linked", on: "2026-01-03",
        #""account":"ada","environment":"sandbox","data":{"to":"ann"}"#),
      bought("l2", "ann", "phone-c", on: "2026-01-04", #","environment":"production""#),
    ])
    try book.erase("ada")
    #expect(try book.active("ann") == ["p.l2"])
    #expect(try book.event("l2")?.account == "ann")
    try book.finishes()
  }

  @Test("the raw notifications that name only the chain of a purchase")
  func chain() throws {
    let book = try ErasureBook([
      bought(
        "a1", "ada", "phone-a", on: "2026-01-01",
        #","originalTransaction":"t-a1","data":{"expiresAt":"2026-02-01T00:00:00Z"}"#),
      event(
        "g1", "subscription.gracePeriodEntered", on: "2026-02-01",
        #""originalTransaction":"t-a1","data":{"gracePeriodExpiresAt":"2027-02-16T00:00:00Z","#
          + #""payload":"raw of ada"}"#),
    ])
    let members = try book.ledger.read { (view) throws(LedgerError) in
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
    try book.erase("ada")
    #expect(try !book.shown().contains { $0.contains("raw of ada") })
  }

  @Test("what operators wrote of the customer, and of nobody who is called alike")
  func mentions() throws {
    let quoted = #"al\"ice"#
    let acted = { (id: String, detail: String) in
      event(
        id, "operator.acted", on: "2026-02-01",
        #""data":{"action":"exported","operator":"7","detail":\#(detail)}"#)
    }
    let book = try ErasureBook([
      bought("a1", quoted, "phone-a", on: "2026-01-01"),
      bought("b1", "7", "phone-b", on: "2026-01-01"),
      acted("o1", #"{"account":"\#(quoted)","bytes":17}"#),
      acted("o2", #"{"account":"17","bytes":77}"#),
      acted("o3", #"{"account":"7","bytes":70}"#),
    ])
    try book.erase("al\"ice")
    #expect(try book.event("o1")?.data.string("operator") == "erased:3")
    #expect(try book.event("o2")?.data.string("operator") == "7")
    try book.erase("7", "e2")
    #expect(try book.event("o2")?.data.string("operator") == "7")
    #expect(try book.event("o3")?.data.string("operator") == "erased:5")
  }
}

@Suite("What comes after an erasure") struct LedgerEraseReturnTests {
  @Test("never gives back the name to what was before it, in any answer of any time")
  func returning() throws {
    let book = try ErasureBook([
      bought("a1", "ada", "iphone", on: "2026-01-01"),
      event(
        "f1", "transaction.finished", on: "2026-01-02",
        #""account":"ada","device":"iphone","transaction":"t-a1""#),
    ])
    try book.erase("ada")
    let gone = try book.accountsInAnswers()
    #expect(!gone.contains { $0.contains("ada") })
    #expect(gone.contains { $0.contains("erased:") })
    try book.append([bought("a2", "ada", "iphone", on: "2026-06-01")])
    for fold in [false, true] {
      if fold { try book.ledger.fold() }
      let shown = try book.accountsInAnswers()
      #expect(!shown.contains { $0.contains("p.a1") && $0.contains("ada") })
      #expect(shown.contains { $0.contains("p.a2") && $0.contains("ada") })
      #expect(try book.active("ada") == ["p.a2"])
      #expect(try book.active("ada", Clocks(asOf: .position(2))) == nil)
    }
    try book.finishes()
  }

  @Test("is forgotten whole by a second erasure: device, session and text")
  func secondErasure() throws {
    let book = try ErasureBook([bought("a1", "ada", "iphone", on: "2026-01-01")])
    try book.erase("ada", "e1", at: "2026-02-01")
    try book.append([
      bought("a2", "ada", "iphone", on: "2026-03-01"),
      event("n2", "note.added", on: "2026-03-02", #""account":"ada","data":{"text":"by phone"}"#),
    ])
    #expect(try book.event("a2")?.device == "iphone")
    try book.erase("ada", "e2", at: "2026-04-01")
    for text in ["ada", "iphone", "by phone"] {
      #expect(try !book.shown().contains { $0.contains(text) }, "\(text)")
    }
    // Late events about either life have no key, and belong to that life.
    try book.append([
      event("n3", "note.added", on: "2026-03-15", #""account":"ada","data":{"text":"late"}"#),
      event("n1", "note.added", on: "2026-01-15", #""account":"ada","data":{"text":"late"}"#),
    ])
    #expect(try book.active("ada") == nil)
    #expect(try !book.shown().contains { $0.contains("late") || $0.contains("ada") })
    #expect(try book.event("n3")?.account == book.event("a2")?.account)
    #expect(try book.event("n1")?.account == book.event("a1")?.account)
    try book.append([bought("a3", "ada", "iphone", on: "2026-05-01")])
    #expect(try book.active("ada") == ["p.a3"])
    let early = try #require(Instant(rfc3339: "2026-03-20T00:00:00Z"))
    #expect(try book.active("ada", Clocks(at: early)) == nil)
    try book.finishes()
  }

  @Test("done again in a batch with what comes later gives that no dead number")
  func againInOneBatch() throws {
    let book = try ErasureBook([
      #"{"id":"p1","type":"transaction.purchased","occurredAt":"2026-01-01T10:00:00Z","#
        + #""source":"app","account":"ada","transaction":"t-1","product":"atlas"}"#
    ])
    try book.erase("ada", "e1", at: "2026-02-01")
    try book.append([
      #"{"id":"e2","type":"account.erased","occurredAt":"2026-02-02T00:00:00Z","#
        + #""source":"operator","account":"ada","data":{"reason":"asked","operator":"kim"}}"#,
      #"{"id":"p2","type":"transaction.purchased","occurredAt":"2026-03-01T10:00:00Z","#
        + #""source":"app","account":"ada","transaction":"t-2","product":"atlas"}"#,
    ])
    #expect(try book.event("e2")?.account?.text.hasPrefix("erased:") == true)
    #expect(try book.event("p2")?.account == "ada")
    #expect(try book.faults() == [])
  }

  @Test("destroys what came since without stating the account, when it is erased again")
  func lateNotification() throws {
    let book = try ErasureBook([bought("a1", "ada", "iphone", on: "2026-01-01")])
    try book.erase("ada", "e1", at: "2026-02-01")
    try book.append([
      event(
        "x1", "notification.received", on: "2026-01-20",
        #""source":"notification","transaction":"t-a1","#
          + #""data":{"notificationType":"NEW","appAccountToken":"token of ada"}"#)
    ])
    #expect(try book.shown().contains { $0.contains("token of ada") })
    let again = try book.erase("ada", "e2", at: "2026-03-01")
    #expect(again.texts == 1)
    #expect(try !book.shown().contains { $0.contains("token of ada") })
    #expect(try book.event("e2")?.account?.text.hasPrefix("erased:") == true)
    try book.finishes()
  }

  @Test("leaves what came since about a transaction that somebody else has used")
  func takenOver() throws {
    let book = try ErasureBook([bought("a1", "ada", "iphone", on: "2026-01-01")])
    try book.erase("ada", "e1", at: "2026-02-01")
    try book.append([
      event(
        "r1", "transaction.restored", on: "2026-02-10",
        #""account":"eve","transaction":"t-r1","originalTransaction":"t-a1","product":"p.a1""#),
      event(
        "x1", "notification.received", on: "2026-02-20",
        #""source":"notification","transaction":"t-a1","#
          + #""data":{"notificationType":"NEW","appAccountToken":"token of eve"}"#),
    ])
    try book.erase("ada", "e2", at: "2026-03-01")
    #expect(try book.shown().contains { $0.contains("token of eve") })
    #expect(try book.event("r1")?.account == "eve")
    try book.finishes()
  }

  @Test("takes no name from the living whom a late event names first")
  func livingPeople() throws {
    let book = try ErasureBook([bought("a1", "ada", "iphone", on: "2026-01-01")])
    try book.erase("ada", "e1", at: "2026-02-01")
    try book.append([
      event(
        "l1", "payments.checked", on: "2026-01-10",
        #""account":"ada","device":"tablet","data":{"allowed":true}"#),
      event(
        "l2", "account.transferred", on: "2026-01-11",
        #""account":"ada","data":{"to":"dave","reason":"sold"}"#),
      event("l3", "account.linked", on: "2026-01-12", #""account":"ada","data":{"to":"adele"}"#),
    ])
    #expect(try book.event("l1")?.device?.text.hasPrefix("erased:") == true)
    #expect(try book.event("l2")?.data.string("to") == "dave")
    #expect(try book.event("l3")?.data.string("to")?.hasPrefix("erased:") == true)
    // Purchases after the erasure belong to the buyer.
    try book.append([bought("d1", "dave", "phone-d", on: "2026-06-01")])
    #expect(try book.active("dave") == ["p.a1", "p.d1"])
    try book.append([
      bought("c1", "carol", "tablet", on: "2026-06-01"),
      bought("c2", "adele", "tablet", on: "2026-06-01"),
    ])
    #expect(try book.event("c1")?.device == "tablet")
    #expect(try book.active("carol") == ["p.c1"])
    #expect(try book.active("adele") == ["p.c2"])
    try book.finishes()
  }

  @Test("knows of the erasure from its commit on")
  func between() throws {
    let book = try ErasureBook([bought("a1", "ada", "iphone", on: "2026-01-01")])
    try book.ledger.eraseAndLeave(ErasureBook.erasure("ada", "e1", at: "2026-02-01"))
    // The keys are not destroyed yet.
    try book.append([
      event("n1", "note.added", on: "2026-01-15", #""account":"ada","data":{"text":"late"}"#),
      bought("a2", "ada", "iphone", on: "2026-06-01"),
    ])
    #expect(try !book.shown().contains { $0.contains("late") })
    #expect(try book.active("ada") == ["p.a2"])
    try book.reopen()
    #expect(try book.active("ada") == ["p.a2"])
    try book.finishes()
  }
}

@Suite("Key files that are put back") struct LedgerEraseKeysTests {
  @Test("of before an erasure bring nothing back; verify reports them and the next one mends it")
  func oldKeys() throws {
    let book = try ErasureBook([
      bought("a1", "ada", "iphone", on: "2026-01-01"),
      bought("b1", "bob", "android", on: "2026-01-01"),
    ])
    let old = try Data(contentsOf: book.keys)
    try book.erase("ada")
    try old.write(to: book.keys)
    try book.reopen()
    #expect(try !book.shown().contains { $0.contains("ada") || $0.contains("iphone") })
    #expect(try book.faults().map(\.part) == [.erasedKey])
    try book.erase("bob", "e2")
    #expect(try book.faults() == [])
  }

  @Test("and erased again, destroy the keys even if nothing else is left to erase")
  func oldKeysAgain() throws {
    let book = try ErasureBook([bought("a1", "ada", "iphone", on: "2026-01-01")])
    let old = try Data(contentsOf: book.keys)
    try book.erase("ada")
    try old.write(to: book.keys)
    try book.reopen()
    #expect(try book.faults().map(\.part) == [.erasedKey])
    try book.ledger.destroyErasedKeys()
    #expect(try book.faults() == [])
  }

  @Test("that lose keys to an erasure while they are verified are not at fault")
  func erasedMeanwhile() throws {
    let book = try ErasureBook([bought("a1", "ada", "iphone", on: "2026-01-01")])
    let log = book.ledger.log
    func faults(_ erasedSince: () throws(LedgerError) -> Set<UInt32>) throws(LedgerError)
      -> [LogFault]
    {
      try log.read { (view) throws(LedgerError) in
        if try log.lastPosition() == 1 {
          let erasure = Event(
            id: "e1", type: EventType(.accountErased),
            occurredAt: Instant(microseconds: 1_780_000_000_000_000), account: "ada")
          try book.ledger.erase(erasure)
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
    #expect(try book.faults() == [])
  }

  @Test("leave an erasure unfinished while they are missing, and it goes on when they are there")
  func missing() throws {
    let book = try ErasureBook([bought("a1", "ada", "iphone", on: "2026-01-01")])
    try book.ledger.eraseAndLeave(ErasureBook.erasure("ada", "e1", at: "2026-02-01"))
    let keys = try Data(contentsOf: book.keys)
    try FileManager.default.removeItem(at: book.keys)
    try book.reopen()
    try book.append([
      event("s1", "storefront.changed", on: "2026-03-01", #""data":{"storefront":"FRA"}"#)
    ])
    #expect(try book.ledger.log.erasureMark() != nil)
    try keys.write(to: book.keys)
    try book.reopen()
    #expect(try book.ledger.log.erasureMark() == nil)
    #expect(try book.faults() == [])
  }

  @Test("that end before the slots that are taken are not filled in their place")
  func tooShort() throws {
    let book = try ErasureBook([])
    let many = { (range: Range<Int>) in
      range.map {
        event(
          "s\($0)", "payments.checked", on: "2026-01-01",
          #""account":"person \#($0)","data":{"allowed":true}"#)
      }
    }
    try book.append(many(0..<4_000))
    let early = try Data(contentsOf: book.keys)
    try book.append(many(4_000..<4_200))
    let whole = try Data(contentsOf: book.keys)
    #expect(early.count < whole.count)
    try early.write(to: book.keys)
    try book.reopen()
    #expect(try book.shown().last?.contains("sealed:") == true)
    try book.append(many(4_200..<4_201))
    #expect(try book.shown()[4_150].contains("sealed:"))
    #expect(try book.shown().last?.contains("person 4200") == true)
    #expect(try book.faults().allSatisfy { $0.part == .key })
  }
}
