import LedgerEvents
import LedgerOracle
import Testing

@testable import StoreImport

private func answer(
  _ transaction: String = "1", original: String? = nil, _ more: String = "",
  date: String = "1700000000000", requested: String = "1800000000000"
) -> String {
  """
  {"status":0,"environment":"Production","receipt":{"bundle_id":"app",
   "request_date_ms":"\(requested)","in_app":[{"transaction_id":"\(transaction)",
   "original_transaction_id":"\(original ?? transaction)","product_id":"map",
   "purchase_date_ms":"\(date)"\(more)}]}}
  """
}

private func tokenMember(_ token: String) -> String { #","app_account_token":"\#(token)""# }

@Suite("Ownership in a receipt") struct ReceiptOwnershipTests {
  private var random = Seeded(state: 1)

  private func refusal(
    _ ledger: ImportingLedger, _ text: String, _ account: Name
  ) -> ImportError? {
    do {
      var ledger = ledger
      try ledger.add(text, account: account)
      return nil
    } catch {
      return error as? ImportError
    }
  }

  @Test("a receipt for a second account is refused with the owners name")
  func aReceiptForASecondAccountIsRefusedWithTheOwnersName() throws {
    var ledger = ImportingLedger()
    try ledger.add(answer(), account: "ada")
    let error = try #require(refusal(ledger, answer(), "ben"))
    #expect(error.code == .ownedByAnother)
    #expect(error.path == "receipt.in_app[0]")
    #expect(error.reason.contains("belongs to ada, not to ben"))
    for wayOut in ["daybook link ben ada", "daybook transfer ada ben", "--claim"] {
      #expect(error.remedy.contains(wayOut), "\(error)")
    }
    #expect(try ledger.add(answer(), account: "ada") == 0)
  }

  /// Two accounts and one receipt: the first account keeps it, whatever the two are called and in
  /// whatever order the events arrive elsewhere.
  @Test("a claim never moves a purchase", arguments: 1...40 as ClosedRange<UInt64>)
  func aClaimNeverMovesAPurchase(seed: UInt64) throws {
    var random = Seeded(state: seed)
    let owner = Name("account-\(random.next())")
    let other = Name("account-\(random.next())")
    let text = answer(String(random.next()))
    var ledger = ImportingLedger()
    try ledger.add(text, account: owner)
    #expect(throws: ImportError.self) { try ledger.add(text, account: other) }
    let claimed = try outcome(text, account: other, known: ledger.known, recordsClaims: true)
    #expect(claimed.claims.map(\.account) == [other])
    try ledger.add(text, account: other, recordsClaims: true)
    let notes = claimed.claims.map { claim in
      // Dated before everything else: it must not win by the fold order, either.
      claim.note(id: "note", at: Instant(microseconds: 1), fileName: "answer.json")
    }
    #expect(notes.allSatisfy { $0.transaction == nil && $0.account == other })
    for _ in 0..<4 {
      let answer = try ledger.answer(with: notes, shuffledBy: &random)
      #expect(answer.accounts[owner]?.active == ["map"], "seed \(seed)")
      #expect(answer.accounts[other]?.active ?? [] == [], "seed \(seed)")
      #expect(answer.findings.isEmpty, "seed \(seed)")
    }
  }

  @Test("an owner whom the queue named is kept") func anOwnerWhomTheQueueNamedIsKept() throws {
    var ledger = ImportingLedger()
    var data = EventData.Builder()
    data.set("purchasedAt", at("2023-11-14T22:13:20Z"))
    try ledger.append([
      Event(
        id: "z", type: EventType(.transactionPurchased), occurredAt: at("2023-11-14T22:13:25Z"),
        account: "ada", product: "map", transaction: "1", data: data.build())
    ])
    #expect(refusal(ledger, answer(), "ben")?.code == .ownedByAnother)
    #expect(refusal(ledger, answer(), "ada") == nil)
  }

  @Test("a purchase of nobodys is given to the account")
  func aPurchaseOfNobodysIsGivenToTheAccount() throws {
    var ledger = ImportingLedger()
    let first = try outcome(answer())
    #expect(first.unownedCount == 1)
    try ledger.add(answer())
    #expect(try ledger.add(answer(), account: "ada") == 1)
    var random = random
    let answer = try ledger.answer(shuffledBy: &random)
    #expect(answer.accounts["ada"]?.active == ["map"])
    #expect(answer.findings.isEmpty)
    #expect(try outcome(StoreImportTests.answer(), known: ledger.known).unownedCount == 0)
  }

  @Test("a later transaction of the chain is the owners too")
  func aLaterTransactionOfTheChainIsTheOwnersToo() throws {
    var ledger = ImportingLedger()
    try ledger.add(answer(), account: "ada")
    let later = answer("2", original: "1", date: "1700000900000")
    #expect(refusal(ledger, later, "ben")?.code == .ownedByAnother)
    #expect(try outcome(later, account: "ada", known: ledger.known).events.count == 2)
    let shared = answer("2", original: "1", #","in_app_ownership_type":"FAMILY_SHARED""#)
    #expect(refusal(ledger, shared, "ben") == nil, "a family member's copy is its own")
  }

  @Test("an older transaction of the chain that arrives later is the owner's from its own date on")
  func olderTransaction() throws {
    let first = answer("1")
    let later = answer("2", original: "1", date: "1700000900000")
    var random = random
    for texts in [[first, later], [later, first]] {
      var ledger = ImportingLedger()
      for text in texts { try ledger.add(text, account: "ada") }
      let answer = try ledger.answer(at: "2023-11-14T22:20:00Z", shuffledBy: &random)
      #expect(answer.accounts["ada"]?.active == ["map"])
      #expect(try ledger.add(first, account: "ada") == 0)
    }
  }

  @Test("a linked ID is the same customer") func aLinkedIDIsTheSameCustomer() throws {
    var ledger = ImportingLedger()
    try ledger.add(answer(), account: "ada")
    ledger.linked["ada-2"] = ["ada", "ada-2"]
    #expect(try ledger.add(answer(), account: "ada-2") == 0)
  }

  @Test("what an erased customer held stays nobodys") func whatAnErasedCustomerHeldStaysNobodys()
    throws
  {
    let known = KnownPurchases(transactions: [
      .init(transaction: "1", original: "1", statedAccount: "erased:1", holder: .forgotten)
    ])
    // A file about many customers names the one who was erased, too, and a renewal is that one's.
    for text in [answer(), answer("2", original: "1"), answer("1", tokenMember("eve"))] {
      for recordsClaims in [false, true] {
        let again = try outcome(text, account: "ada", known: known, recordsClaims: recordsClaims)
        #expect(again.events.allSatisfy { $0.account == nil } && again.claims.isEmpty)
        #expect(again.warnings.count == 1 && again.warnings[0].contains("customer who was erased"))
        #expect(!again.warnings[0].contains("ada"))
      }
    }
  }

  @Test("what a notification of an erased customer keeps does not name them")
  func forgottenNotification() throws {
    let text = Signed.notification(
      "CONSUMPTION_REQUEST",
      transaction: Signed.transaction(end: nil, #""appAccountToken":"ada""#))
    let known = KnownPurchases(transactions: [
      .init(transaction: "1", original: "1", statedAccount: "erased:1", holder: .forgotten)
    ])
    func kept(_ known: KnownPurchases) throws -> String {
      let events = try signed(text).outcome([.production: known]).events
      let event = try #require(events.of(.notificationReceived).first)
      return String(decoding: EventEncoder().encode(event), as: UTF8.self)
    }
    #expect(try kept(KnownPurchases()).contains("ada"))
    #expect(try !kept(known).contains("ada") && kept(known).contains(#""transactionId":"1""#))
  }

  @Test("a second owner in one file is refused as in a second file") func secondOwner() throws {
    func item(_ id: String, _ token: String, signed: Int64, _ more: String = "") -> String {
      Signed.transaction(
        id: id, at: Int64(id == "2" ? 1_000 : 0), end: id == "2" ? 2_000 : 1_000, signed: signed,
        #""appAccountToken":"\#(token)"\#(more)"#)
    }
    // A renewal, and the same transaction signed again, newest first in the file.
    for (first, second) in [
      (item("1", "ada", signed: 1), item("2", "bob", signed: 2)),
      (item("1", "ada", signed: 1), item("1", "bob", signed: 2)),
    ] {
      var ledger = ImportingLedger()
      try ledger.add(signed: first, as: .transaction)
      let known = ledger.known
      let one = try signed(second + "\n" + first, as: .transaction)
      let two = try signed(second, as: .transaction)
      for run in [
        { (claims: Bool) in try one.outcome(recordsClaims: claims) },
        { (claims: Bool) in try two.outcome([.production: known], recordsClaims: claims) },
      ] {
        #expect(throws: ImportError(.ownedByAnother, reason: "", remedy: "")) { try run(false) }
        let claimed = try run(true)
        #expect(claimed.claims.map(\.account) == ["bob"] && claimed.claims[0].cause == .owned)
        #expect(claimed.events.of(.transactionAssigned).allSatisfy { $0.account == "ada" })
      }
    }
    // A family member's copy has its own owner.
    let shared = item("2", "bob", signed: 2).replacing("PURCHASED", with: "FAMILY_SHARED")
    let both = try signed(item("1", "ada", signed: 1) + "\n" + shared, as: .transaction)
    #expect(try both.outcome().events.of(.transactionAssigned).count == 2)
  }

  @Test("a former holder moves nothing back") func aFormerHolderMovesNothingBack() throws {
    let known = KnownPurchases(transactions: [
      .init(transaction: "1", original: "1", statedAccount: "ada", holder: .customer(["ben"]))
    ])
    let again = try outcome(answer(), account: "ada", known: known)
    #expect(again.events.allSatisfy { $0.account == nil })
    #expect(again.warnings.contains { $0.contains("now belongs to ben") })
    #expect(throws: ImportError.self) { try outcome(answer(), account: "eve", known: known) }
  }

  @Test("the receipts token counts unless the other is said to")
  func theReceiptsTokenCountsUnlessTheOtherIsSaidTo() throws {
    let text = answer("1", tokenMember("token"))
    let token = try outcome(text, account: "ada")
    #expect(token.events.of(.transactionAssigned).map(\.account) == ["token"])
    #expect(token.claims.map(\.account) == ["ada"])
    #expect(token.claims.map(\.cause) == [.receiptStatesAnother])
    let named = try outcome(text, account: "ada", isAccountOverToken: true)
    #expect(named.events.of(.transactionAssigned).map(\.account) == ["ada"])
    #expect(named.claims.map(\.account) == ["token"])
    #expect(try outcome(text).claims.isEmpty)
    let linked = KnownPurchases(linked: ["ada": ["ada", "token"]])
    #expect(try outcome(text, account: "ada", known: linked).claims.isEmpty)
  }

  @Test("a token that only one list states makes no other purchase")
  func aTokenThatOnlyOneListStatesMakesNoOtherPurchase() throws {
    var ledger = ImportingLedger()
    try ledger.add(answer())
    #expect(try ledger.add(answer("1", tokenMember("token"))) == 2, "the file, and the account")
  }
}
