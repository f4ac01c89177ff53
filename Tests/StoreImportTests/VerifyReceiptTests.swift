import LedgerEvents
import Testing

@testable import StoreImport

@Suite("An answer of verifyReceipt") struct VerifyReceiptTests {
  private func sample(account: Name? = nil) throws -> [Event] {
    try VerifyReceipt.events(
      from: StoreFiles.sample("sample-receipt.json"),
      options: ImportOptions(
        fileName: "Tools/samples/sample-receipt.json", digestKey: digestKey, account: account))
  }

  @Test("an import stands before its events and counts them")
  func anImportStandsBeforeItsEventsAndCountsThem() throws {
    let events = try sample()
    let received = try #require(events.first)
    #expect(received.type.kind == .importReceived)
    #expect(received.data.string("format") == "verify-receipt")
    #expect(received.data.string("file") == "sample-receipt.json")
    #expect(received.data.integer("events") == Int64(events.count - 1))
    #expect(received.data.string("sha256")?.utf8.count == 64)
    #expect(received.occurredAt == at("2026-02-20T08:30:00Z"))
    #expect(received.environment == .production)
  }

  @Test("gives ids that nobody can find by guessing what they are digests of")
  func guessing() throws {
    func imported(_ key: [UInt8]) throws -> [Event] {
      try VerifyReceipt.events(
        from: StoreFiles.sample("sample-receipt.json"),
        options: ImportOptions(
          fileName: "ada@example.org.json", digestKey: key, account: "ada@example.org"))
    }
    let events = try imported(digestKey)
    #expect(try events.map(\.id) == imported(digestKey).map(\.id))
    let other = try imported([UInt8](repeating: 8, count: 16))
    let digested = events.map(\.id).filter { $0.text.contains(/:[0-9a-f]{16,}$/) }
    #expect(digested.count > 1)
    #expect(Set(digested).isDisjoint(with: other.map(\.id)))
    // What is no digest is the same in every ledger.
    #expect(Set(events.map(\.id)).subtracting(digested).isSubset(of: other.map(\.id)))
    // All that the id of an import is made of, as somebody would guess it.
    let received = try #require(events.first)
    let guess =
      received.data.members.flatMap {
        [$0.name, String(decoding: $0.json, as: UTF8.self)]
      } + [
        received.app?.text ?? "", received.environment?.text ?? "",
        String(received.occurredAt.microseconds),
      ]
    #expect(received.id != Name("import:verify-receipt:\(Digest.hex(guess))"))
    #expect(
      received.id == Name("import:verify-receipt:\(Digest.hex(guess, key: digestKey))"),
      "the guess is one")
  }

  @Test("every transaction is one purchase") func everyTransactionIsOnePurchase() throws {
    let purchases = try sample().of(.transactionPurchased, .subscriptionRenewed)
    #expect(Set(purchases.map(\.transaction)).count == 7)
    #expect(purchases.count == 7)
  }

  @Test("facts stand in the order in which they happened")
  func factsStandInTheOrderInWhichTheyHappened() throws {
    let facts = try sample().dropFirst()
    #expect(zip(facts, facts.dropFirst()).allSatisfy { $0.occurredAt <= $1.occurredAt })
  }

  @Test("a purchase is dated and named by the store") func aPurchaseIsDatedAndNamedByTheStore()
    throws
  {
    let charts = try #require(try sample().first { $0.product == "com.example.tides.northsea" })
    #expect(charts.id == "receipt:com.example.tides:production:480000900000102:purchased")
    #expect(charts.type.kind == .transactionPurchased)
    #expect(charts.source == EventSource(.receipt))
    #expect(charts.occurredAt == at("2026-01-05T18:02:44Z"))
    #expect(charts.data.instant("purchasedAt") == charts.occurredAt)
    #expect(charts.app == "com.example.tides")
    #expect(charts.transaction == "480000900000102")
    #expect(charts.originalTransaction == "480000900000102")
    #expect(charts.data["quantity"] == nil)
  }

  @Test("the first period is bought and later ones are renewed")
  func theFirstPeriodIsBoughtAndLaterOnesAreRenewed() throws {
    let periods = try sample().filter { $0.originalTransaction == "480000900000103" }
      .of(.transactionPurchased, .subscriptionRenewed)
    #expect(
      periods.map(\.type.kind) == [
        .transactionPurchased, .subscriptionRenewed, .subscriptionRenewed,
      ])
    #expect(periods.map { $0.data.instant("expiresAt") }.last == at("2026-03-17T12:00:00Z"))
    #expect(
      periods.ids.last
        == "receipt:com.example.tides:production:480000900000121:renewed:"
        + "1771329600000-1773748800000")
  }

  @Test("more than one of a product states its quantity")
  func moreThanOneOfAProductStatesItsQuantity() throws {
    let questions = try sample().filter { $0.transaction == "480000900000117" }
    #expect(questions.map { $0.data.integer("quantity") } == [2])
  }

  @Test("a cancelled purchase is refunded when the store says so")
  func aCancelledPurchaseIsRefundedWhenTheStoreSaysSo() throws {
    let refunds = try sample().of(.transactionRefunded)
    #expect(refunds.map(\.transaction) == ["480000900000118"])
    #expect(refunds.map(\.occurredAt) == [at("2026-02-14T10:00:00Z")])
    #expect(refunds.map { $0.data.string("reason") } == ["appIssue"])
  }

  @Test("a trial is an offer redeemed beside the purchase")
  func aTrialIsAnOfferRedeemedBesideThePurchase() throws {
    let offers = try sample().of(.subscriptionOfferRedeemed)
    #expect(offers.map(\.transaction) == ["480000900000103"])
    #expect(offers.map { $0.data.string("offer") } == ["freeTrial"])
  }

  @Test("the renewal state is dated by the request") func theRenewalStateIsDatedByTheRequest()
    throws
  {
    let changes = try sample().of(.subscriptionAutoRenewChanged)
    #expect(changes.map(\.occurredAt) == [at("2026-02-20T08:30:00Z")])
    #expect(changes.map { $0.data.boolean("autoRenew") } == [true])
    #expect(changes.map { $0.data.string("toProduct") } == ["com.example.tides.plus.yearly"])
    #expect(changes.map(\.originalTransaction) == ["480000900000103"])
  }

  @Test("the same answer again appends nothing") func theSameAnswerAgainAppendsNothing() throws {
    var log = IdempotentLog()
    let events = try sample()
    #expect(try log.append(events) == events.count)
    #expect(try log.append(try sample()) == 0)
  }

  @Test("the account named is a fact of its own for each chain")
  func theAccountNamedIsAFactOfItsOwnForEachChain() throws {
    var log = IdempotentLog()
    let nobodys = try sample()
    let hers = try sample(account: "ada")
    _ = try log.append(nobodys)
    let chains = Set(nobodys.compactMap(\.originalTransaction)).count
    #expect(try log.append(hers) == chains)
    let assigned = hers.of(.transactionAssigned)
    #expect(assigned.count == chains)
    #expect(assigned.allSatisfy { $0.account == "ada" })
    #expect(hers.allSatisfy { $0.account == nil || $0.type.kind == .transactionAssigned })
  }

  @Test("no ID depends on the account") func noIDDependsOnTheAccount() throws {
    #expect(try sample(account: "ada").ids == sample(account: "ben").ids)
  }

  @Test("every event is valid and its ID not too long") func everyEventIsValidAndItsIDNotTooLong()
    throws
  {
    for event in try sample(account: "ada") {
      try event.validate()
      #expect(event.id.byteCount <= 128)
    }
  }
}
