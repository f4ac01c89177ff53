import LedgerEvents
import LedgerModel
import LedgerQueries
import Testing

@testable import LedgerStore

/// Whose an event is: what `events --account` shows, and what an erasure destroys.
@Suite("A customer's events") struct CustomerEventsTests {
  private func ids(of account: Name, in book: ErasureBook) throws -> [Name] {
    try book.ledger.read { (view) throws(LedgerError) in
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
  private func restored() throws -> ErasureBook {
    try ErasureBook([
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
    let book = try restored()
    #expect(try ids(of: "bob", in: book) == ["restored"])
    #expect(try ids(of: "ada", in: book) == ["o", "rejected"])
  }

  @Test("leave the original transaction's text readable when they are erased") func erased() throws
  {
    let book = try restored()
    try book.erase("bob")
    #expect(try book.shown().contains { $0.contains("ada@home") })
    try book.erase("ada", "e2")
    #expect(try !book.shown().contains { $0.contains("ada@home") })
  }

  @Test("are of both linked accounts, and not of the holder of a transaction that a link names")
  func linkWithTransaction() throws {
    let book = try ErasureBook([
      bought("c1", "carol", "phone-c", on: "2026-01-01"),
      bought("a1", "ada", "phone-a", on: "2026-01-01"),
      bought("b1", "bob", "phone-b", on: "2026-01-01"),
      event(
        "link", "account.linked", on: "2026-02-01",
        #""account":"ada","transaction":"t-c1","data":{"to":"bob"}"#),
    ])
    #expect(try ids(of: "ada", in: book) == ["a1", "b1", "link"])
    #expect(try ids(of: "bob", in: book) == ["a1", "b1", "link"])
    #expect(try ids(of: "carol", in: book) == ["c1", "link"])
  }

  @Test("have findings about a transaction that was transferred, under the new account, too")
  func findingsAfterTransfer() throws {
    let book = try ErasureBook([
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
      let rules = try book.ledger.read { (view) throws(LedgerError) in
        try view.findings(query).map(\.rule)
      }
      #expect(rules.contains(.unfulfilled), "\(customer)")
    }
  }

  @Test("come to an end where links name the other customer's transaction in turn")
  func linksInTurn() throws {
    let book = try ErasureBook([
      bought("c1", "carol", "phone-c", on: "2026-01-01"),
      event(
        "link", "account.linked", on: "2026-02-01",
        #""account":"ada","transaction":"t-c1","data":{"to":"bob"}"#),
      event(
        "back", "account.linked", on: "2026-03-01", #""account":"carol","data":{"to":"ada"}"#),
    ])
    #expect(try ids(of: "bob", in: book) == ["c1", "link", "back"])
  }
}
