import Audit
import LedgerEvents
import LedgerModel
import Testing

@Suite("Explanations") struct ExplanationTests {
  private func positions(_ explanation: Explanation) -> [UInt64] {
    explanation.steps.map(\.event.position)
  }

  private func explain(
    _ name: Name, for account: Name = "ada", at: String? = nil, _ lines: [String]
  ) throws -> Explanation {
    try ExplainedLines.explain(name, for: account, at: at, lines)
  }

  @Test("one purchase among much else decides that the customer has it") func bought() throws {
    let found = try explain(
      "map",
      [
        "session.started account=ada device=phone",
        "payment.added account=ada device=phone product=map payment=p1",
        "transaction.purchasing account=ada device=phone product=map payment=p1",
        "transaction.purchased account=ada device=phone product=map payment=p1 transaction=t1",
        "transaction.purchased account=ada device=phone product=hat transaction=t2",
        "download.requested device=phone product=map transaction=t1 download=d1",
        "download.finished device=phone product=map transaction=t1 download=d1",
        "content.installed device=phone product=map transaction=t1 download=d1|\"contentVersion\":\"1\"",
        "transaction.finished device=phone transaction=t1",
      ])
    #expect(found.isHeld)
    #expect(found.ground == .listed)
    #expect(positions(found) == [4])
    #expect(found.steps[0].before.isEmpty)
    #expect(found.steps[0].after.first?.state == .active)
    #expect(found.steps[0].without.isEmpty)
    #expect(
      found.steps[0].text == "the queue of phone reported the purchase of map, transaction t1")
  }

  @Test("an entitlement is explained by the catalogue and the purchase") func entitlement() throws {
    let lines = [
      #"catalog.set|"products":[{"product":"map","kind":"nonConsumable","entitlements":["pro"]}]"#,
      "transaction.purchased account=ada product=map transaction=t1",
      "transaction.purchased account=ada product=hat transaction=t2",
    ]
    #expect(positions(try explain("pro", lines)) == [1, 2])
    #expect(try explain("pro", lines).isHeld)
    // The product itself needs no catalogue, but its entry determines what else it gives.
    #expect(positions(try explain("map", lines)) == [2])
  }

  @Test("a refund is reported with the purchase, and what there would be without it")
  func refunded() throws {
    let found = try explain(
      "map",
      [
        "transaction.purchased account=ada product=map transaction=t1",
        "transaction.refunded source=notification transaction=t1|\"reason\":\"by mistake\"",
        "note.added account=ada|\"text\":\"angry\"",
      ])
    #expect(!found.isHeld)
    #expect(found.ground == .listed)
    #expect(found.holdings.map(\.state) == [.refunded])
    #expect(positions(found) == [1, 2])
    #expect(found.steps[1].without.map(\.state) == [.active])
    #expect(found.steps[1].text == "the store's server refunded transaction t1: by mistake")
  }

  @Test("what was transferred away is reported with the transfer") func transferred() throws {
    let lines = [
      "transaction.purchased account=ada product=map transaction=t1",
      #"account.transferred account=ada source=operator|"to":"eve","operator":"kim""#,
      "session.started account=ada device=phone",
    ]
    let lost = try explain("map", lines)
    #expect(lost.ground == .takenAway)
    #expect(positions(lost) == [1, 2])
    #expect(lost.steps[1].before.map(\.state) == [.active])
    #expect(lost.steps[1].after.isEmpty)
    #expect(lost.steps[1].text == "kim transferred everything that ada held to eve")
    let gained = try explain("map", for: "eve", lines)
    #expect(gained.isHeld)
    #expect(positions(gained) == [1, 2])
  }

  @Test("a purchase that another account named first is reported with that event")
  func another() throws {
    let found = try explain(
      "map",
      [
        "transaction.purchased account=eve device=phone product=map transaction=t1",
        "transaction.purchased account=ada device=phone product=map transaction=t1",
      ])
    #expect(!found.isHeld)
    #expect(found.ground == .takenAway)
    #expect(positions(found) == [1, 2])
  }

  @Test("a withdrawn grant is reported with both") func withdrawn() throws {
    let found = try explain(
      "pro",
      [
        #"entitlement.granted account=ada|"entitlement":"pro","operator":"kim""#,
        #"entitlement.withdrawn account=ada|"entitlement":"pro","operator":"lee","reason":"no""#,
      ])
    #expect(found.ground == .takenAway)
    #expect(found.steps.map(\.text) == ["kim granted pro", "lee withdrew pro: no"])
  }

  @Test("a grant that has ended says when") func over() throws {
    let found = try explain(
      "pro",
      [#"entitlement.granted account=ada|"entitlement":"pro","until":"2026-02-01T12:00:30Z""#])
    #expect(found.ground == .over(try #require(Instant(rfc3339: "2026-02-01T12:00:30Z"))))
    #expect(positions(found) == [1])
    let held = try explain(
      "pro", at: "2026-02-01T12:00:29Z",
      [#"entitlement.granted account=ada|"entitlement":"pro","until":"2026-02-01T12:00:30Z""#])
    #expect(held.isHeld)
  }

  @Test("what was bought in the sandbox is found there") func sandbox() throws {
    let found = try explain(
      "map", ["transaction.purchased account=ada product=map transaction=t1 environment=sandbox"])
    #expect(found.ground == .elsewhere(.sandbox))
    #expect(positions(found) == [1])
  }

  @Test("a consumable is credited and never had") func consumable() throws {
    let found = try explain(
      "coins",
      [
        #"catalog.set|"products":[{"product":"coins","kind":"consumable","grants":{"gold":5}}]"#,
        "transaction.purchased account=ada product=coins transaction=t1",
      ])
    #expect(found.ground == .consumable)
    #expect(positions(found) == [1, 2])
  }

  @Test("a failed payment is the last that was tried") func failed() throws {
    let found = try explain(
      "map",
      [
        "payment.added account=ada product=map payment=p1",
        "transaction.failed account=ada product=map payment=p1|\"cancelled\":true",
        "payment.added account=ada product=map payment=p2",
        #"transaction.failed account=ada product=map payment=p2|"error":{"domain":"SKErrorDomain","code":4}"#,
        "payment.added account=ada product=hat payment=p3",
      ])
    #expect(found.ground == .attempted)
    #expect(positions(found) == [3, 4])
    #expect(
      found.steps[1].text
        == "the queue reported that the purchase of map failed: SKErrorDomain 4")
  }

  @Test("an attempt is found by the entitlement that it would have opened, and for linked accounts")
  func failedAlike() throws {
    let lines = [
      #"catalog.set|"products":[{"product":"map","kind":"nonConsumable","entitlements":["pro"]}]"#,
      #"account.linked account=ada source=operator|"to":"ada-2""#,
      "payment.added account=ada device=phone product=map payment=p1",
      "transaction.failed account=ada device=phone product=map payment=p1"
        + #"|"error":{"domain":"SKErrorDomain","code":2}"#,
    ]
    for account: Name in ["ada", "ada-2"] {
      for name: Name in ["map", "pro"] {
        let found = try explain(name, for: account, lines)
        #expect(found.ground == .attempted, "\(account.text) \(name.text)")
        #expect(positions(found) == [3, 4])
      }
    }
  }

  @Test("what somebody tried on a device where others are is nobody's attempt in particular")
  func strangersAttempt() throws {
    let failure = #"|"error":{"domain":"SKErrorDomain","code":2}"#
    let lines = [
      "payment.added device=phone product=map payment=p1",
      "transaction.failed device=phone product=map payment=p1" + failure,
      "session.started account=ada device=phone session=s1",
      "session.started account=bob device=phone session=s2",
      "payment.added device=phone session=s2 product=map payment=p2",
      "transaction.failed device=phone session=s2 product=map payment=p2" + failure,
    ]
    #expect(try explain("map", lines).ground == .nothing)
    let bobs = try explain("map", for: "bob", lines)
    #expect(bobs.ground == .attempted)
    #expect(positions(bobs) == [5, 6])
    // Without anyone else in it, the session is the customer's.
    #expect(positions(try explain("map", Array(lines[..<3]))) == [1, 2])
  }

  @Test("a balance says what is left") func balance() throws {
    let lines = [
      #"catalog.set|"products":[{"product":"coins","kind":"consumable","#
        + #""grants":{"gold":5}}]"#,
      "transaction.purchased account=ada product=coins transaction=t1",
      #"consumable.consumed account=ada|"unit":"gold","amount":2"#,
    ]
    #expect(try explain("gold", lines).ground == .balance(3))
    let rest = #"consumable.consumed account=ada|"unit":"gold","amount":3"#
    #expect(try explain("gold", lines + [rest]).ground == .balance(0))
  }

  @Test("of many catalogues that make it a consumable, and of many transfers, one is enough")
  func manyTakers() throws {
    let catalogue = #"catalog.set|"products":[{"product":"coins","kind":"consumable"}]"#
    let found = try explain(
      "coins",
      Array(repeating: catalogue, count: 12) + [
        "transaction.purchased account=ada product=coins transaction=t1"
      ])
    #expect(found.ground == .consumable)
    #expect(positions(found).count == 2)
    let transfer = #"account.transferred account=ada source=operator|"to":"eve""#
    let moved = try explain(
      "map",
      ["transaction.purchased account=ada product=map transaction=t1", transfer, transfer])
    #expect(moved.ground == .takenAway)
    #expect(positions(moved) == [1, 2])
  }

  @Test("a deferred purchase is pending, and explained") func pending() throws {
    let found = try explain(
      "map", ["transaction.deferred account=ada product=map payment=p1"])
    #expect(!found.isHeld)
    #expect(found.holdings.map(\.state) == [.pending])
    #expect(positions(found) == [1])
  }

  @Test("nothing is said to be nothing, and an unknown account to be unknown") func nothing() throws
  {
    let lines = ["transaction.purchased account=ada product=map transaction=t1"]
    #expect(try explain("hat", lines).ground == .nothing)
    #expect(try explain("map", for: "bob", lines).ground == .unknownAccount)
    #expect(try explain("map", for: "bob", []).ground == .unknownAccount)
  }

  @Test("a renewal that came in time makes the one before superfluous") func renewed() throws {
    let lines = [
      #"transaction.purchased account=ada product=pro transaction=t1|"expiresAt":"2026-02-01T12:00:20Z""#,
      #"subscription.renewed source=notification product=pro transaction=t2 originalTransaction=t1|"expiresAt":"2026-03-01T12:00:00Z","purchasedAt":"2026-02-01T12:00:20Z""#,
    ]
    let found = try explain("pro", lines)
    #expect(found.isHeld)
    #expect(positions(found).contains(2))
    let then = try explain("pro", at: "2026-02-01T12:00:10Z", lines)
    #expect(positions(then) == [1])
  }
}
