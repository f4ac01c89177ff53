import LedgerEvents
import ModelComparison
import Testing

@testable import LedgerModel

/// The knowledge of a unit about accounts, products and the facts folded into it.
struct CustomerTests {
  private func unit(_ scene: Scene, of account: Name) throws -> Unit {
    try #require(scene.folded.unit(of: scene.ledger.number(.account, account)))
  }

  @Test("linked ids are one customer until one of them is erased") func linkedIds() throws {
    let scene = try Scene(
      """
      1T10:00 account.linked a=A d=- {"to":"B"}
      1T10:01 account.linked a=C d=- {"to":"B"}
      1T10:02 account.transferred a=C d=- {"to":"E"}
      1T10:03 note.added a=D d=d9 {"text":"x"}
      """)
    func number(_ account: Name) -> NameNumber { scene.ledger.number(.account, account) }
    let linked = try unit(scene, of: "A")
    #expect(Set(linked.linkedAccounts(of: number("B"))) == Set(["A", "B", "C"].map(number)))
    #expect(linked.linkedAccounts(of: number("B")).first == number("B"))
    #expect(linked.linkedAccounts(of: number("D")) == [number("D")])
    #expect(linked.knows(account: number("C")) && !linked.knows(account: number("B")))
    #expect(linked.knownAccounts.map { scene.ledger.text(of: $0) } == ["A", "B", "C", "E"])
    let erased = try Scene(
      """
      1T10:00 account.linked a=A d=- {"to":"B"}
      1T10:01 account.erased a=A d=-
      """)
    let number = erased.ledger.number(.account, "A")
    #expect(try unit(erased, of: "A").linkedAccounts(of: number) == [number])
  }

  @Test("an account that only an unknown type states has an answer too") func accountOnly() throws {
    let scene = try Scene("1T10:00 future.thing a=A")
    let account = scene.ledger.number(.account, "A")
    let unit = try unit(scene, of: "A")
    #expect(unit.knownAccounts.isEmpty)
    #expect(unit.answeredAccounts == [account])
    #expect(unit.knows(account: account))
    #expect(unit.newestEvent(of: .account(account)) == nil)
  }

  @Test("a customer's newest event is of any of its ids and transactions, by environment")
  func customersNewest()
    throws
  {
    let scene = try Scene(
      """
      1T10:00 transaction.purchased t=t1 p=book a=A
      1T10:01 account.linked a=A d=- {"to":"B"}
      1T10:02 transaction.finished t=t1
      1T10:03 note.added d=d1 {"text":"nobody's"}
      1T10:04 transaction.purchased t=t2 p=book a=A env=sandbox
      """)
    let unit = try unit(scene, of: "B")
    let subject = Subject.account(scene.ledger.number(.account, "B"))
    #expect(unit.newestEvent(of: subject) == (try Scene.moment("1T10:02")))
    #expect(
      unit.newestEvent(of: subject, environments: [.production, EnvironmentSet(.sandbox)])
        == (try Scene.moment("1T10:04")))
    #expect(unit.newestEvent(of: subject, environments: EnvironmentSet(.xcode)) == nil)
  }

  @Test("a fact gets its transaction and environment") func factTold() throws {
    let scene = try Scene(
      """
      1T10:00 transaction.purchasing pay=p1 p=book
      1T10:01 transaction.purchased t=t1 pay=p1 p=book a=A env=sandbox
      1T10:02 transaction.purchasing pay=p2 p=book
      1T10:03 session.started
      1T10:04 account.linked a=A d=- {"to":"B"}
      """)
    let unit = try unit(scene, of: "A")
    let transaction = scene.ledger.number(.transaction, "t1")
    let payment = scene.ledger.number(.payment, "p2")
    let facts = scene.ledger.facts
    #expect(
      facts.map { unit.transaction(of: $0) } == [transaction, transaction, payment, 0, 0])
    #expect(
      facts.map { unit.environment(of: $0) } == [.sandbox, .sandbox, .production, .production, nil])
  }

  @Test("a unit's answers concern what it sold, what the queue spoke of and what was granted")
  func unitsAnswers()
    throws
  {
    let scene = try Scene(
      """
      1T10:00 transaction.purchased t=t1 p=book a=A
      1T10:01 entitlement.granted a=A d=- p=pass
      1T10:02 transaction.deferred t=t2 p=map a=A
      1T10:03 content.installed p=pen a=A {"contentVersion":"1"}
      """)
    let unit = try unit(scene, of: "A")
    let concerns = ["book", "pass", "map", "pen"].map {
      unit.concernsAnswer(of: scene.ledger.number(.product, $0))
    }
    #expect(concerns == [true, true, true, false])
  }

  @Test("the version on offer is the highest that any unit's events named") func versionOn() throws
  {
    let scene = try Scene(
      """
      1T10:00 catalog.received d=d1 {"products":[{"product":"book","contentVersion":"1.9"}]}
      1T10:01 content.versionPublished d=d2 p=book {"contentVersion":"1.10"}
      1T10:02 transaction.purchased t=t1 p=book d=d3 {"downloads":[{"download":"c1","contentVersion":"1.2"}]}
      1T10:03 download.requested t=t1 dl=c1 d=d3 {"contentVersion":"1.3"}
      1T10:04 session.started d=d4 env=sandbox
      """)
    let book = scene.ledger.number(.product, "book")
    #expect(scene.folded.units.count == 4)
    #expect(scene.folded.versionOnOffer(of: book, in: .production) == "1.10")
    #expect(scene.folded.versionOnOffer(of: book, in: .sandbox) == "1.9")
    #expect(scene.folded.versionOnOffer(of: 0, in: .production) == nil)
  }

  @Test("of equal versions on offer the one that was named first is it") func equalVersions() throws
  {
    let scene = try Scene(
      """
      1T10:00 session.started d=d1
      1T10:01 session.started d=d2
      1T10:02 content.versionPublished d=d2 p=book {"contentVersion":"2"}
      1T10:03 content.versionPublished d=d1 p=book {"contentVersion":"2.0"}
      1T10:03 content.versionPublished d=d3 p=book {"contentVersion":"1.9"}
      """)
    let book = scene.ledger.number(.product, "book")
    #expect(scene.folded.units.count == 3)
    #expect(scene.folded.versionOnOffer(of: book, in: .production) == "2")
  }

  @Test("chains that nobody holds ask what nobody has installed") func chainsNobody() throws {
    let text = """
      1T10:00 transaction.purchased t=t1 p=book {"downloads":[{"download":"c1"}]}
      1T10:01 transaction.finished t=t1
      1T10:02 transaction.purchased t=t2 p=map a=A {"downloads":[{"download":"c1"}]}
      1T10:03 transaction.finished t=t2
      """
    let scene = try Scene(text)
    let unheld = scene.folded.units.flatMap(\.unheldProducts)
    #expect(unheld.map { scene.ledger.text(of: $0.product) } == ["book"])
    #expect(try scene.findings(at: "1T11:00") == ["undelivered", "undelivered"])
    let installed = try Scene(
      text + "\n1T10:04 content.installed p=book d=other {\"contentVersion\":\"1\"}")
    #expect(installed.folded.units.count == 2)
    #expect(try installed.findings(at: "1T11:00") == ["undelivered"])
    let alone = try #require(installed.folded.unit(of: installed.ledger.number(.transaction, "t1")))
    let found = alone.findings(
      at: try Scene.moment("1T11:00"), in: .production, context: installed.folded.context,
      texts: installed.ledger)
    #expect(found.map(\.rule) == [.undelivered, .undelivered])
  }

  @Test("most facts leave the context as it is, and belong to a unit") func mostFacts() throws {
    let scene = try Scene(
      """
      1T10:00 transaction.purchased t=t1 p=book a=A
      1T10:01 session.started d=-
      1T10:02 content.versionPublished d=- p=book {"contentVersion":"1"}
      """)
    var context = SharedContext()
    var changes: [Bool] = []
    for fact in scene.ledger.facts {
      var change = ContextChange()
      context.extend(with: fact, scene.ledger, &change)
      changes.append(change.isEmpty)
      #expect(context.concerns(fact) == !change.isEmpty)
    }
    #expect(changes == [true, false, true])
    #expect(scene.ledger.facts.map { UnitNodes($0).isEmpty } == [false, true, true])
  }
}
