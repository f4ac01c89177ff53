import LedgerEvents
import LedgerModel
import ModelComparison
import Testing

struct AnswerTests {
  @Test("a subscription's answer changes by time alone, and says when") func subscriptionsAnswer()
    throws
  {
    let scene = try Scene(
      """
      1T09:00 catalog.set d=- {"products":[{"product":"sub","kind":"autoRenewable","entitlements":["pro"]}]}
      1T10:00 subscription.renewed t=t1 o=t1 p=sub a=A src=notification {"expiresAt":"2024-01-05T00:00:00Z"}
      2T10:00 subscription.gracePeriodEntered o=t1 src=notification {"gracePeriodExpiresAt":"2024-01-08T00:00:00Z"}
      """)
    let account = scene.ledger.number(.account, "A")
    let unit = try #require(scene.folded.unit(of: account))
    var grants = UnitGrants(of: unit, context: scene.folded.context, texts: scene.ledger)
    let granted = grants.segments(
      of: account, in: .production, of: unit, context: scene.folded.context, texts: scene.ledger)
    let found = try #require(granted)
    let segments = found.segments
    // The store's fact about the chain states no account.
    let newest = try Scene.moment("1T10:00")
    #expect(found.newest == newest)
    #expect(
      segments.map(\.from)
        == [newest, try Scene.moment("5T00:00"), try Scene.moment("8T00:00")])
    #expect(segments.map { $0.items[0].state } == [.active, .gracePeriod, .billingRetry])
    #expect(segments.map { $0.items[0].entitlements } == [["pro"], ["pro"], ["pro"]])
    let answer = try scene.answer("A", at: "3T00:00")
    #expect(answer.nextChangeAt == segments[1].from)
    #expect(segments[2].nextChange == nil)
  }

  @Test("a grace period and billing retry hold since what first said so, whatever says it again")
  func stateSaidAgain() throws {
    let lines = """
      1T09:00 catalog.set d=- {"products":[{"product":"sub","kind":"autoRenewable"}]}
      1T10:00 subscription.renewed t=t1 o=t1 p=sub a=A src=notification {"expiresAt":"2024-01-05T00:00:00Z"}
      6T10:00 subscription.gracePeriodEntered o=t1 src=receipt {"gracePeriodExpiresAt":"2024-01-09T00:00:00Z"}
      """
    let again = """

      7T10:00 subscription.billingFailed o=t1 src=receipt id=a
      7T10:00 subscription.gracePeriodEntered o=t1 src=receipt id=b {"gracePeriodExpiresAt":"2024-01-09T00:00:00Z"}
      """
    let retry = """

      10T10:00 subscription.billingFailed o=t1 src=receipt
      """
    func since(_ lines: String, _ time: String) throws -> Int64? {
      try Scene(lines).answer("A", at: time).entries.first { $0.product != 0 }?.since
    }
    let entered = try Scene.moment("6T10:00")
    let over = try Scene.moment("9T00:00")
    #expect(try since(lines, "8T00:00") == entered)
    #expect(try since(lines + again, "8T00:00") == entered)
    for events in [lines, lines + retry, lines + again + retry] {
      #expect(try since(events, "12T00:00") == over)
    }
    let recovered = """

      6T12:00 subscription.billingRecovered o=t1 src=receipt
      """
    #expect(try since(lines + recovered + again, "8T00:00") == Scene.moment("7T10:00"))
  }

  @Test("of several environments the best grantor is shown and balances add up")
  func severalEnvironments() throws {
    let scene = try Scene(
      """
      1T09:00 catalog.set d=- {"products":[{"product":"coin","kind":"consumable","grants":{"c":5}}]}
      1T10:00 transaction.purchased t=t1 p=book a=A env=production
      1T10:01 transaction.refunded t=t1 src=notification env=production
      1T10:02 transaction.purchased t=t2 p=book a=A env=sandbox
      1T10:03 transaction.purchased t=t3 p=coin a=A env=production
      1T10:04 transaction.purchased t=t4 p=coin a=A env=sandbox
      """)
    let account = Subject.account(scene.ledger.number(.account, "A"))
    let at = try Scene.moment("2T00:00")
    let production = scene.folded.answer(account, at: at)
    #expect(production.entries.map(\.state) == [.refunded])
    #expect(production.balances.map(\.amount) == [5])
    let both = scene.folded.answer(
      account, environments: [.production, EnvironmentSet(.sandbox)], at: at)
    #expect(both.entries.map(\.state) == [.active])
    #expect(both.entries.map(\.environment) == [.sandbox])
    #expect(both.balances.map(\.amount) == [10])
  }

  @Test("entitlements of a product are those of the environments in which it is active")
  func entitlementsOfSeveralEnvironments() throws {
    let scene = try Scene(
      """
      1T09:00 catalog.set d=- env=production {"products":[{"product":"book","kind":"nonConsumable","entitlements":["pro"]},{"product":"map","kind":"nonConsumable","entitlements":["maps"]}]}
      1T09:01 catalog.set d=- env=sandbox {"products":[{"product":"book","kind":"nonConsumable","entitlements":["test"]},{"product":"map","kind":"nonConsumable","entitlements":["test"]}]}
      1T10:00 transaction.purchased t=t1 p=book a=A env=production
      1T10:01 transaction.refunded t=t1 src=notification env=production
      1T10:02 transaction.purchased t=t2 p=book a=A env=sandbox
      1T10:03 transaction.purchased t=t3 p=map a=A env=production
      1T10:04 transaction.purchased t=t4 p=map a=A env=sandbox
      """)
    let account = Subject.account(scene.ledger.number(.account, "A"))
    let both = scene.folded.answer(
      account, environments: [.production, EnvironmentSet(.sandbox)],
      at: try Scene.moment("2T00:00"))
    #expect(both.active == ["book", "map", "maps", "test"])
  }

  @Test("a transaction answers for the customer who holds it, or for its chain alone")
  func transactionAnswers() throws {
    let scene = try Scene(
      """
      1T10:00 transaction.purchased t=t1 p=book a=A
      1T10:01 transaction.purchased t=t2 p=map a=A
      1T10:02 transaction.purchased t=t3 p=atlas
      """)
    let at = try Scene.moment("2T00:00")
    let held = scene.folded.answer(.transaction(scene.ledger.number(.transaction, "t1")), at: at)
    #expect(held.active == ["book", "map"])
    let alone = scene.folded.answer(.original(scene.ledger.number(.transaction, "t3")), at: at)
    #expect(alone.active == ["atlas"])
  }

  @Test("what the absent device shares is folded together, and only then") func absentDevice()
    throws
  {
    let scene = try Scene(
      """
      1T10:00 transaction.failed t=t1 p=book d=- {"error":{"domain":"x","code":2}}
      1T10:01 transaction.purchased t=t2 p=book d=-
      1T10:02 transaction.purchased t=t3 p=map d=-
      1T10:03 transaction.purchased t=t4 p=map d=-
      """)
    #expect(scene.findings == ["purchased-after-failure@2"])
    #expect(scene.folded.units.count == 3)
  }

  @Test("a purge of the absent device reaches the finishes of every unit") func purgeAbsent() throws
  {
    let scene = try Scene(
      """
      1T10:00 transaction.purchased t=t1 p=book a=A d=- {"downloads":[{"download":"c1"}]}
      1T10:01 download.finished t=t1 dl=c1 d=-
      1T10:02 transaction.finished t=t1 d=-
      1T10:03 content.purged d=-
      1T10:04 content.purged d=-
      """)
    #expect(scene.findings.contains("content-missing-at-install@4"))
    #expect(!scene.findings.contains("content-missing-at-install@5"))
  }

  @Test("a customer's events follow links, transfers and erasures") func customersEvents() throws {
    let scene = try Scene(
      """
      1T10:00 transaction.purchased t=t1 p=book a=A
      1T10:01 transaction.purchased t=t2 p=map a=B
      1T10:02 account.linked a=A d=- {"to":"B"}
      1T10:03 account.transferred a=B d=- {"to":"C"}
      1T10:04 transaction.finished t=t1
      1T10:05 note.added a=A d=- {"text":"x"}
      """)
    func positions(_ account: Name) -> Set<UInt64> {
      Unit.positions(
        ofCustomer: scene.ledger.number(.account, account), among: scene.ledger.facts,
        context: scene.folded.context, texts: scene.ledger)
    }
    #expect(positions("A") == [1, 2, 3, 4, 6])
    #expect(positions("B") == positions("A"))
    #expect(positions("C") == [1, 2, 4, 5])
  }

  @Test("an in-memory ledger grows fact by fact to what a fold of all of them is")
  func memoryLedger() throws {
    let scene = try Scene(
      """
      1T10:00 transaction.purchased t=t1 p=book a=A {"downloads":[{"download":"c1"}]}
      1T10:01 transaction.finished t=t1
      1T10:02 transaction.finished t=t1
      """)
    var growing = InMemoryLedger(texts: scene.ledger)
    var counts: [Int] = []
    for fact in scene.ledger.facts {
      growing.append([fact])
      counts.append(growing.findings.count)
    }
    #expect(counts == [0, 1, 2])
    #expect(growing.units.map { $0.encoded() } == scene.folded.units.map { $0.encoded() })
  }

  @Test("a finding names the account that a transaction's chain lends it") func findingNames()
    throws
  {
    let scene = try Scene(
      """
      1T10:00 transaction.purchased t=t1 o=t1 p=book a=A
      1T10:01 transaction.restored t=t2 o=t1 p=book
      1T10:02 transaction.removed t=t2
      """)
    let finding = try #require(scene.folded.findings.first { $0.rule == .removedWithoutFinish })
    #expect(finding.account == scene.ledger.number(.account, "A"))
  }

  @Test("thresholds belong to rules that hold at a moment") func thresholdsBelong() {
    var thresholds = Thresholds.standard
    for rule in Rule.allCases {
      #expect(thresholds.set(rule, to: 5) == Thresholds.rules.contains(rule))
    }
    #expect(thresholds.neverFinished == 5 && thresholds.restoreUnanswered == 5)
  }

  @Test("balances stop at the ends of 64 bits") func balancesStop() throws {
    let scene = try Scene(
      """
      1T09:00 catalog.set d=- {"products":[{"product":"coin","kind":"consumable","grants":{"c":9000000000000000000}}]}
      1T10:00 transaction.purchased t=t1 p=coin a=A {"quantity":3}
      1T10:01 transaction.purchased t=t2 p=coin a=A {"quantity":3}
      1T10:02 transaction.refunded t=t2 src=server {"percent":50}
      1T10:03 consumable.consumed a=B d=- {"unit":"c","amount":9000000000000000000}
      1T10:04 consumable.consumed a=B d=- {"unit":"c","amount":9000000000000000000}
      """)
    #expect(try scene.answer("A", at: "2T00:00").balances.map(\.amount) == [.max])
    #expect(try scene.answer("B", at: "2T00:00").balances.map(\.amount) == [-.max])
  }

  @Test("a refund gives back a part of a negative credit rounded half up, too")
  func negativeCredits() throws {
    let scene = try Scene(
      """
      1T09:00 catalog.set d=- {"products":[{"product":"loan","kind":"consumable","grants":{"c":-10}}]}
      1T10:00 transaction.purchased t=t1 p=loan a=A
      1T10:01 transaction.refunded t=t1 src=server
      1T10:02 transaction.purchased t=t2 p=loan a=B
      1T10:03 transaction.refunded t=t2 src=server {"percent":25}
      """)
    #expect(try scene.answer("A", at: "2T00:00").balances.isEmpty)
    // A quarter of -10 is -2.5, which is rounded up to -2.
    #expect(try scene.answer("B", at: "2T00:00").balances.map(\.amount) == [-8])
  }

  @Test("a term that ends after the last year ends with it") func termEnds() throws {
    let scene = try Scene(
      """
      1T09:00 catalog.set d=- {"products":[{"product":"pass","kind":"nonRenewing","duration":"P9999Y"}]}
      1T10:00 transaction.purchased t=t1 p=pass a=A
      """)
    let entry = try #require(try scene.answer("A", at: "2T00:00").entries.first)
    #expect(entry.expiresAt == Instant.microsecondsMax)
  }
}
