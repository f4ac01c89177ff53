import LedgerEvents
import LedgerModel
import LedgerQueries
import Testing

@testable import LedgerStore

/// Whose an event is: what `events --account` shows, and what an erasure destroys.
@Suite("A customer's events") struct CustomerEventsTests {
  private func ids(of account: Name, in fixture: ErasureFixture) throws -> [Name] {
    try fixture.ledger.read { (view) throws(LedgerError) in
      var query = EventsQuery()
      query.account = account
      var ids: [Name] = []
      try view.events(query) { (recorded) throws(LedgerError) in
        ids.append(recorded.event.id)
        return true
      }
      return ids
    }
  }

  /// A purchase by ada, which the store restores for bob as another transaction.
  private func restored() throws -> ErasureFixture {
    try ErasureFixture([
      bought("o", "ada", "phone-a", on: "2026-01-01"),
      event(
        "rejected", "receipt.rejected", on: "2026-01-02",
        #""account":"ada","device":"phone-a","transaction":"t-o","#
          + #""data":{"error":{"domain":"x","code":1,"message":"ada@home"}}"#),
      event(
        "restored", "transaction.restored", on: "2026-02-01",
        #""account":"bob","device":"phone-b","transaction":"t-r","originalTransaction":"t-o","#
          + #""product":"p.o""#),
    ])
  }

  @Test("are not those of the original transaction, which somebody else holds")
  func original() throws {
    let fixture = try restored()
    #expect(try ids(of: "bob", in: fixture) == ["restored"])
    #expect(try ids(of: "ada", in: fixture) == ["o", "rejected"])
  }

  @Test("leave the original transaction's text readable when they are erased") func erased() throws
  {
    let fixture = try restored()
    try fixture.erase("bob")
    #expect(try fixture.shown().contains { $0.contains("ada@home") })
    try fixture.erase("ada", "e2")
    #expect(try !fixture.shown().contains { $0.contains("ada@home") })
  }

  @Test("are of both linked accounts, and not of the holder of a transaction that a link names")
  func linkWithTransaction() throws {
    let fixture = try ErasureFixture([
      bought("c1", "carol", "phone-c", on: "2026-01-01"),
      bought("a1", "ada", "phone-a", on: "2026-01-01"),
      bought("b1", "bob", "phone-b", on: "2026-01-01"),
      event(
        "link", "account.linked", on: "2026-02-01",
        #""account":"ada","transaction":"t-c1","data":{"to":"bob"}"#),
    ])
    #expect(try ids(of: "ada", in: fixture) == ["a1", "b1", "link"])
    #expect(try ids(of: "bob", in: fixture) == ["a1", "b1", "link"])
    #expect(try ids(of: "carol", in: fixture) == ["c1", "link"])
  }

  @Test("have findings about a transaction that was transferred, under the new account, too")
  func findingsAfterTransfer() throws {
    let fixture = try ErasureFixture([
      bought("a0", "ada", "phone", on: "2026-01-01"),
      event(
        "f1", "transaction.finished", on: "2026-01-01",
        #""account":"ada","device":"phone","transaction":"t-a0""#),
      event(
        "f2", "transaction.finished", on: "2026-01-01",
        #""account":"ada","device":"phone","transaction":"t-a0""#),
      bought("a1", "ada", "phone", on: "2026-01-01"),
      event(
        "moved", "account.transferred", on: "2026-01-02", #""account":"ada","data":{"to":"bob"}"#),
      event(
        "finished", "transaction.finished", on: "2026-01-03",
        #""device":"phone","transaction":"t-a1""#),
      event(
        "failed", "purchase.fulfillmentFailed", on: "2026-01-04",
        #""source":"server","transaction":"t-a1""#),
      event("later", "session.started", on: "2026-01-10", #""device":"phone""#),
    ])
    for customer in [
      CustomerReference.account("bob"), .transaction("t-a1"),
    ] {
      var query = FindingsQuery()
      query.customer = customer
      let rules = try fixture.ledger.read { (view) throws(LedgerError) in
        try view.findings(query).map(\.rule)
      }
      #expect(rules.contains(.unfulfilled), "\(customer)")
    }
    // Whose it was keeps what the events up to the transfer show.
    var query = FindingsQuery()
    query.account = "ada"
    let positions = try fixture.ledger.read { (view) throws(LedgerError) in
      try view.findings(query).map(\.position)
    }
    #expect(positions.contains(3))
    #expect(positions.allSatisfy { $0 <= 5 }, "\(positions)")
  }

  /// A chain with a purchase by ada, and its renewal that bob has restored.
  private func sharedChain() throws -> ErasureFixture {
    try ErasureFixture([
      bought("s1", "ada", "phone-a", on: "2026-01-01"),
      event(
        "restored", "transaction.restored", on: "2026-01-02",
        #""account":"bob","device":"phone-b","transaction":"t-s2","originalTransaction":"t-s1","#
          + #""product":"p.s1""#),
      event(
        "expired", "subscription.expired", on: "2026-02-01",
        #""originalTransaction":"t-s1","data":{"payload":"raw of both"}"#),
    ])
  }

  @Test("name only a chain that somebody else bought") func chainOfAnother() throws {
    let fixture = try sharedChain()
    #expect(try ids(of: "bob", in: fixture) == ["restored", "expired"])
    #expect(try ids(of: "ada", in: fixture) == ["s1", "expired"])
  }

  @Test(
    "that name only a chain are destroyed with the last of its holders",
    arguments: [["ada", "bob"], ["bob", "ada"]])
  func erasedChain(_ order: [String]) throws {
    let fixture = try sharedChain()
    let first = try fixture.erase(Name(order[0]))
    #expect(first.remainder.sharedChains == [3])
    #expect(try fixture.shown().contains { $0.contains("raw of both") })
    let last = try fixture.erase(Name(order[1]), "e2")
    #expect(last.remainder.sharedChains == [])
    #expect(try !fixture.shown().contains { $0.contains("raw of both") })
    // What comes later about the chain is reached by erasing either of them again.
    try fixture.append([
      event(
        "late", "subscription.expired", on: "2026-01-20",
        #""originalTransaction":"t-s1","data":{"payload":"raw of the past"}"#)
    ])
    try fixture.erase(Name(order[0]), "e3")
    #expect(try !fixture.shown().contains { $0.contains("raw of the past") })
  }

  @Test("are not those of a customer to whom another erased customer had transferred the chain")
  func transferredBeforeErasure() throws {
    let book = try ErasureFixture([
      bought("o", "ada", "phone-a", on: "2026-01-01"),
      event(
        "restored", "transaction.restored", on: "2026-01-02",
        #""account":"bob","device":"phone-b","transaction":"t-r","originalTransaction":"t-o","#
          + #""product":"p.o""#),
      event(
        "moved", "account.transferred", on: "2026-01-03", #""account":"bob","data":{"to":"carol"}"#),
      event(
        "refunded", "transaction.refunded", on: "2026-01-04",
        #""device":"phone-c","transaction":"t-r","originalTransaction":"t-o","#
          + #""data":{"payload":"raw of carol"}"#),
    ])
    try book.erase("bob")
    try book.erase("ada", "e2")
    try book.erase("ada", "e3")
    let shown = try book.shown()
    #expect(shown.contains { $0.contains("raw of carol") && $0.contains("phone-c") })
    #expect(!shown.contains { $0.contains("phone-a") })
  }

  @Test(
    "are the customer's if they came late about a transaction of a chain that began with another")
  func lateOfSharedChain() throws {
    let fixture = try ErasureFixture([
      bought("o", "ada", "phone-a", on: "2026-01-01"),
      event(
        "restored", "transaction.restored", on: "2026-01-02",
        #""account":"bob","device":"phone-b","transaction":"t-r","originalTransaction":"t-o","#
          + #""product":"p.o""#),
    ])
    try fixture.erase("bob")
    try fixture.append([
      event(
        "refunded", "transaction.refunded", on: "2026-01-04",
        #""transaction":"t-r","originalTransaction":"t-o","data":{"payload":"raw of bob"}"#)
    ])
    #expect(try fixture.shown().contains { $0.contains("raw of bob") })
    try fixture.erase("bob", "e2")
    #expect(try !fixture.shown().contains { $0.contains("raw of bob") })
    #expect(try fixture.shown().contains { $0.contains("phone-a") })
  }

  @Test("are not those of a customer to whom the erased one had transferred everything")
  func transferredToAnother() throws {
    let book = try ErasureFixture([
      bought("o", "ada", "phone-a", on: "2026-01-01"),
      event(
        "moved", "account.transferred", on: "2026-01-03", #""account":"ada","data":{"to":"carol"}"#),
      event(
        "refunded", "transaction.refunded", on: "2026-01-04",
        #""transaction":"t-o","data":{"payload":"raw of carol"}"#),
    ])
    try book.erase("ada")
    #expect(try book.shown().contains { $0.contains("raw of carol") })
    try book.erase("ada", "e2")
    #expect(try book.shown().contains { $0.contains("raw of carol") })
  }

  @Test("name only a chain of which no purchase is known") func chainWithoutPurchase() throws {
    let fixture = try ErasureFixture([
      event(
        "submitted", "receipt.submitted", on: "2026-01-01",
        #""account":"ada","transaction":"t-s1""#),
      event(
        "grace", "subscription.gracePeriodEntered", on: "2026-02-01",
        #""originalTransaction":"t-s1","data":{"gracePeriodExpiresAt":"2026-02-16T00:00:00Z","#
          + #""payload":"raw of ada"}"#),
    ])
    #expect(try ids(of: "ada", in: fixture) == ["submitted", "grace"])
    try fixture.erase("ada")
    #expect(try !fixture.shown().contains { $0.contains("raw of ada") })
  }

  @Test("have no findings about a customer who was erased before under the same account")
  func findingsOfAnotherLife() throws {
    let fixture = try ErasureFixture([
      bought("a1", "ada", "phone", on: "2026-01-01"),
      event(
        "f1", "transaction.finished", on: "2026-01-02",
        #""account":"ada","device":"phone","transaction":"t-a1""#),
      event(
        "f2", "transaction.finished", on: "2026-01-03",
        #""account":"ada","device":"phone","transaction":"t-a1""#),
      event("gone", "account.erased", on: "2026-01-04", #""account":"ada""#),
      bought("a2", "ada", "tablet", on: "2026-02-01"),
      event(
        "f3", "transaction.finished", on: "2026-02-02",
        #""account":"ada","device":"tablet","transaction":"t-a2""#),
      event(
        "f4", "transaction.finished", on: "2026-02-03",
        #""account":"ada","device":"tablet","transaction":"t-a2""#),
    ])
    var query = FindingsQuery()
    let all = try fixture.ledger.read { (view) throws(LedgerError) in
      try view.findings(query).map(\.position)
    }
    #expect(all.contains(3))
    query.account = "ada"
    let positions = try fixture.ledger.read { (view) throws(LedgerError) in
      try view.findings(query).map(\.position)
    }
    #expect(positions.contains(7))
    #expect(positions.allSatisfy { $0 > 4 }, "\(positions)")
  }

  @Test("come to an end where links name the other customer's transaction in turn")
  func linksInTurn() throws {
    let fixture = try ErasureFixture([
      bought("c1", "carol", "phone-c", on: "2026-01-01"),
      event(
        "link", "account.linked", on: "2026-02-01",
        #""account":"ada","transaction":"t-c1","data":{"to":"bob"}"#),
      event(
        "back", "account.linked", on: "2026-03-01", #""account":"carol","data":{"to":"ada"}"#),
    ])
    #expect(try ids(of: "bob", in: fixture) == ["c1", "link", "back"])
  }
}
